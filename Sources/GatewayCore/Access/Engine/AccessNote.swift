import Resilience

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
        /// The caller is known but may not do this.
        case forbidden
        /// A page of another site made the request. Nobody has looked at the credential.
        case crossSite
        /// Nobody can tell, because keys, an authorizer or a store cannot be reached.
        case unavailable
        /// A limit refused the request.
        case limited
    }

    /// Nil at an endpoint without a requirement, unless its limits refused the request.
    package internal(set) var result: Result?
    /// Why the request was refused, for the log at `debug`. Clients see less.
    package internal(set) var reason: String?
    /// The entry that decided.
    var by: AuthEntry?
    /// Whom the credential names, also if the request was refused.
    var caller: Identity?
    /// What limits have counted.
    var usage = LimitUsage()

    init() {}

    /// The name of the entry that decided; nil if none did.
    package var entry: String? { by?.name }

    /// The name of the API key.
    package var key: String? { caller?.key }

    /// The limits that have counted the request.
    package var limits: [String] { usage.names }

    /// The limits that refused it.
    package var refusedBy: [String] {
        var names: [String] = []
        forEachLimit { name, isAllowed in if !isAllowed { names.append(name) } }
        return names
    }

    /// Calls `body` with the name of each limit that has counted the request, and whether it allowed it.
    package func forEachLimit(_ body: (_ name: String, _ isAllowed: Bool) -> Void) {
        usage.forEach { body($0.name, $1.decision.isAllowed) }
    }
}
