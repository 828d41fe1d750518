import HTTPModel
public import JSONBytes
import JSONCoding

extension GatewayRequest {
    /// Decodes the body as a value of `type`.
    ///
    /// - Throws: 415 if `Content-Type` is not JSON (`application/json` or `...+json`, in UTF-8), what
    ///   `decodedBody()` throws, 400 if the body is not JSON or not of this shape, with the location of the
    ///   fault. The text of a `DecodingError.dataCorrupted` is shown if it begins with "must":
    ///   `must be sorted`.
    public func json<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        let fragment = try json()
        do {
            return try JSONBytesDecoder().decode(type, from: fragment)
        } catch let error as DecodingError {
            throw GatewayError.invalidRequest(Self.complaint(error, in: fragment))
        }
    }

    /// Returns the body after validating it as JSON. Throws 415, 413 and 400, as `json(as:)` does. At an
    /// endpoint that streams bodies, an error that is answered with `500 INTERNAL`.
    public func json() throws -> JSONFragment {
        try requireBufferedBody(for: "json()")
        try checkContentType()
        let body = try decodedBody()
        guard !body.isEmpty else { throw GatewayError.invalidRequest("The body is empty; it must be JSON") }
        do {
            return try JSONFragment(validating: body, limits: endpoint.settings.json)
        } catch {
            throw GatewayError.invalidRequest("The body is not JSON at byte \(error.offset): \(error.reason)")
        }
    }

    /// Throws what `json()` throws because of the head alone.
    func checkHeadOfJSON() throws(GatewayError) {
        try checkContentType()
        _ = try CodedBody.codings(of: self)
    }

    private func checkContentType() throws(GatewayError) {
        try checkContent()
        guard let bytes = fields.firstValueBytes(.contentType) else {
            throw .unsupportedMediaType("Content-Type is missing; it must be application/json")
        }
        guard let type = MediaType(bytes: bytes), type.isJSON else {
            throw .unsupportedMediaType("Content-Type must be application/json")
        }
        guard let charset = type.parameter("charset")?.lowercased() else { return }
        guard charset == "utf-8" || charset == "utf8" || charset == "us-ascii" else {
            throw .unsupportedMediaType("The charset of JSON must be utf-8")
        }
    }

    /// Returns a sentence with the location and what is expected there, without the decoder's text, which
    /// names Swift types.
    private static func complaint(_ error: DecodingError, in body: JSONFragment) -> String {
        switch error {
        case .keyNotFound(let key, let context):
            "\(place(context.codingPath + [key])) is missing"
        case .valueNotFound(_, let context):
            "\(place(context.codingPath)) must not be null"
        case .typeMismatch(let type, let context):
            "\(place(context.codingPath)) must be \(name(of: type))"
        case .dataCorrupted(let context):
            "\(place(context.codingPath)) \(fault(context, in: body))"
        @unknown default:
            "The body does not have the expected shape"
        }
    }

    /// `In the body, points[2].weight`; `The body` for the whole.
    private static func place(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "The body" }
        var text = ""
        for key in path {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return "In the body, \(text)"
    }

    private static func fault(_ context: DecodingError.Context, in body: JSONFragment) -> String {
        if context.debugDescription.hasPrefix("must ") { return context.debugDescription }
        let value = context.codingPath.reduce(Optional(body)) { value, key in
            key.intValue.map { value?[element: $0] } ?? value?[member: key.stringValue]
        }
        guard let value, value.kind == .number else { return "is not valid" }
        // A number may have hundreds of digits (`JSONLimits.maxNumberLength`).
        let text = String(decoding: value.bytes.prefix(40), as: UTF8.self)
        return "cannot be \(text)\(value.bytes.count > 40 ? "..." : "")"
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is any BinaryInteger.Type, is any BinaryFloatingPoint.Type: "a number"
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is [String: Any].Type: "an object"
        case is [Any].Type: "an array"
        default: "of another type"
        }
    }
}
