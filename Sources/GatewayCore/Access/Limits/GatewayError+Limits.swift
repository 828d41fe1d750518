import JSONBytes

extension GatewayError {
    /// 429 `TOO_MANY_REQUESTS`: limits with these names refuse the request. Their names are in
    /// `violated-policies` (draft-ietf-httpapi-ratelimit-headers-10, 6.1).
    ///
    /// - Parameters:
    ///   - limits: at least one name.
    ///   - retryAfter: seconds until all of them allow a request.
    static func limited(by limits: [String], retryAfter: Int) -> GatewayError {
        let names = limits.joined(separator: " and ")
        let subject = limits.count == 1 ? "The limit \(names) is" : "The limits \(names) are"
        var error = tooManyRequests("\(subject) reached; retry in \(retryAfter) s", retryAfter: retryAfter)
        let details: JSONLiteral = ["violated-policies": JSONLiteral(limits)]
        error.details = details.fragment
        return error
    }
}
