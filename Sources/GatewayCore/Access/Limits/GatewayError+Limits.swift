import JSONBytes

extension GatewayError {
    /// 429 `TOO_MANY_REQUESTS`: limits with these names refuse the request. Their names are in
    /// `violated-policies` (draft-ietf-httpapi-ratelimit-headers-10, 6.1).
    ///
    /// - Parameters:
    ///   - limits: at least one name.
    ///   - retryAfter: seconds until all of them allow a request.
    static func limited(by limits: [String], retryAfter: Int) -> GatewayError {
        let subject = subject(of: limits)
        var error = tooManyRequests(
            "The \(subject) reached; retry in \(retryAfter) s", retryAfter: retryAfter)
        let details: JSONLiteral = ["violated-policies": JSONLiteral(limits)]
        error.details = details.fragment
        return error
    }

    /// Returns `limit perUser is`, or `limits perUser and each are`.
    static func subject(of limits: [String]) -> String {
        let names = limits.joined(separator: " and ")
        return limits.count == 1 ? "limit \(names) is" : "limits \(names) are"
    }
}
