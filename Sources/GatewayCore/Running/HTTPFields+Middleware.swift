import HTTPModel

extension HTTPFields {
    /// Adds the fields of middleware, but none that an answer has once and already has. A `Cache-Control`
    /// replaces the default for successes; failures and partial answers are not stored, and an endpoint's own
    /// rules stay.
    ///
    /// - Parameter hasCORSPolicy: whether the gateway has a policy, which alone sets the fields of CORS.
    mutating func add(ofMiddleware fields: HTTPFields, hasCORSPolicy: Bool) {
        for (text, value) in fields {
            guard let name = HTTPFieldName(text), !hasCORSPolicy || !CORSPolicy.fields.contains(name) else {
                continue
            }
            if name == .cacheControl, self[.cacheControl] == AnswerFields.notShared { remove(.cacheControl) }
            if !Self.isSingle(name) || !contains(name) { append(name, value) }
        }
    }

    /// Whether an answer has the field once, as the gateway or an endpoint wrote it.
    static func isSingle(_ name: HTTPFieldName) -> Bool { single.contains(name) }

    private static let single: [HTTPFieldName] =
        CORSPolicy.fields + [
            .cacheControl, .contentEncoding, .contentRange, .eTag, .lastModified, .location, .retryAfter,
        ]
}
