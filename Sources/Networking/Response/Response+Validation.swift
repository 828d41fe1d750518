import HTTPModel

/// Alamofire's names for asking whether a response may be read.
extension Response {
    /// The response if its status is 2xx and its body of a type that the request's `Accept` names.
    public func validate() throws -> Response {
        var accept = call.fields
        if !accept.contains(.accept) { accept.append(contentsOf: call.contextFields) }
        return try filterSuccessfulStatusCodes().validateType(AcceptedMediaTypes(accept))
    }

    /// The response if its status is among `codes`; it counts as a success from there on.
    public func validate(statusCode codes: some Sequence<Int>) throws -> Response {
        try filter(statusCodes: codes)
    }

    /// The response if its `Content-Type` is one of these (RFC 9110 8.3.1): `application/json`, `text/*`, `*/*`. A body of no bytes
    /// is of any type; one without `Content-Type` only of `*/*`.
    public func validate(contentType acceptable: [String]) throws -> Response {
        var accept = HTTPFields()
        for range in acceptable { accept.append(.accept, range) }
        // Nothing is named, so nothing is acceptable.
        if acceptable.isEmpty { accept.append(.accept, "") }
        return try validateType(AcceptedMediaTypes(accept))
    }

    private func validateType(_ accepted: AcceptedMediaTypes) throws -> Response {
        guard !data.isEmpty else { return self }
        // A type that nobody means, for a body that does not say what it is.
        let type = fields.firstValueBytes(.contentType).flatMap { MediaType(bytes: $0) }
        guard accepted.weight(of: type ?? MediaType(type: "", subtype: "")) > 0 else {
            throw reported(
                NetworkError(
                    self, kind: .pathErr, reason: .decodeError,
                    message: type.map { "the body is \($0.type)/\($0.subtype), which was not asked for" }
                        ?? "the body does not say of what type it is"))
        }
        return self
    }
}
