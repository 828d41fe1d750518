import HTTPModel

/// Checks with Alamofire's names.
extension Response {
    /// Returns the response if its status is 2xx and the request's `Accept` allows the body's media type.
    public func validate() throws -> Response {
        var accept = call.fields
        if !accept.contains(.accept) { accept.append(contentsOf: call.contextFields) }
        return try filterSuccessfulStatusCodes().validateType(AcceptedMediaTypes(accept))
    }

    /// Returns the response if its status is in `codes`. From there on, the status counts as a success.
    public func validate(statusCode codes: some Sequence<Int>) throws -> Response {
        try filter(statusCodes: codes)
    }

    /// Returns the response if its `Content-Type` matches one of these media ranges (RFC 9110 8.3.1):
    /// `application/json`, `text/*`, `*/*`. An empty body always matches; a body without `Content-Type`
    /// matches only `*/*`.
    public func validate(contentType acceptable: [String]) throws -> Response {
        var accept = HTTPFields()
        for range in acceptable { accept.append(.accept, range) }
        // An empty list accepts nothing.
        if acceptable.isEmpty { accept.append(.accept, "") }
        return try validateType(AcceptedMediaTypes(accept))
    }

    private func validateType(_ accepted: AcceptedMediaTypes) throws -> Response {
        guard !data.isEmpty else { return self }
        // Without Content-Type, a type that matches only `*/*`.
        let type = fields.firstValueBytes(.contentType).flatMap { MediaType(bytes: $0) }
        guard accepted.weight(of: type ?? MediaType(type: "", subtype: "")) > 0 else {
            throw reported(
                NetworkError(
                    self, kind: .pathErr, reason: .decodeError,
                    message: type.map {
                        "the body is \($0.type)/\($0.subtype), which the request does not accept"
                    }
                        ?? "the response has no Content-Type"))
        }
        return self
    }
}
