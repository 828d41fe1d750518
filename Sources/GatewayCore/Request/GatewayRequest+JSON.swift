import HTTPModel
public import JSONBytes
import JSONCoding

extension GatewayRequest {
    /// The body as a value of `type`.
    ///
    /// 415 where `Content-Type` is not JSON (`application/json` or `...+json`, in UTF-8), 400 where the body is
    /// not JSON or not of this shape, with the place of the fault.
    public func json<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        let fragment = try json()
        do {
            return try JSONBytesDecoder().decode(type, from: fragment)
        } catch let error as DecodingError {
            throw GatewayError.invalidRequest(Self.complaint(error))
        }
    }

    /// The body as it came, found to be JSON.
    public func json() throws(GatewayError) -> JSONFragment {
        try checkContentType()
        guard !body.isEmpty else { throw .invalidRequest("the body is empty; JSON is due") }
        do {
            return try JSONFragment(validating: body, limits: endpoint.settings.json)
        } catch {
            throw .invalidRequest("the body is not JSON at byte \(error.offset): \(error.reason)")
        }
    }

    private func checkContentType() throws(GatewayError) {
        guard let bytes = fields.firstValueBytes(.contentType) else {
            throw .unsupportedMediaType("Content-Type is missing; application/json is due")
        }
        guard let type = MediaType(bytes: bytes), type.isJSON else {
            throw .unsupportedMediaType("Content-Type must be application/json")
        }
        guard let charset = type.parameter("charset")?.lowercased() else { return }
        guard charset == "utf-8" || charset == "utf8" || charset == "us-ascii" else {
            throw .unsupportedMediaType("the charset of JSON must be utf-8")
        }
    }

    /// Names the place, and what is due there; never what the decoder makes of our types' names.
    private static func complaint(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context):
            "body: \(place(context.codingPath + [key])) is missing"
        case .valueNotFound(_, let context):
            "body: \(place(context.codingPath)) must not be null"
        case .typeMismatch(let type, let context):
            "body: \(place(context.codingPath)) must be \(name(of: type))"
        case .dataCorrupted(let context):
            "body: \(place(context.codingPath)) is not valid: \(context.debugDescription)"
        @unknown default:
            "body: not of the expected shape"
        }
    }

    /// `points[2].weight`; "the value" for the whole.
    private static func place(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "the value" }
        var text = ""
        for key in path {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return text
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is any BinaryInteger.Type, is any BinaryFloatingPoint.Type: "a number"
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is [String: Any].Type: "an object"
        case is [Any].Type: "an array"
        default: "of another kind"
        }
    }
}
