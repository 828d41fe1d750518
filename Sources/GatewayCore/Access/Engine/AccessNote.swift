/// How the check of a request's caller ended, for the access log and the counts. Has no token, key or claim.
package struct AccessNote: Sendable {
    /// The results, with the words of the access log.
    package enum Result: String, Sendable, CaseIterable {
        /// The caller is known.
        case ok
        /// The request has no credential. It is served if the requirement is optional.
        case none
        /// The credential is not accepted.
        case invalid
        /// The credential was valid once.
        case expired
        /// The caller is known but may not do this, or another site made the request.
        case forbidden
        /// Nobody can tell, because keys, an authorizer or a store cannot be reached.
        case unavailable
        /// A limit refused the request.
        case limited
    }

    /// The entry that decided; nil if none did.
    package internal(set) var entry: String?
    /// Nil at an endpoint without a requirement, unless its limits refused the request.
    package internal(set) var result: Result?
    /// The name of the API key.
    package internal(set) var key: String?
    /// The limits that have counted the request.
    package internal(set) var limits: [String] = []
    /// The limits that refused it.
    package internal(set) var refusedBy: [String] = []
    /// Why the request was refused, for the log at `debug`. Clients see less.
    package internal(set) var reason: String?

    init() {}
}
