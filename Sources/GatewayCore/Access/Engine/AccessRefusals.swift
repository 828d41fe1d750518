import AccessControl
import HTTPModel

/// The answers to requests whose caller may not call.
extension GatewayError {
    /// No entry found a credential. Each says what it accepts, without `error` (RFC 6750 3.1).
    static func noCredential(_ entries: [AuthEntry]) -> GatewayError {
        var challenges: [String] = []
        for entry in entries where !challenges.contains(entry.challenge) {
            challenges.append(entry.challenge)
        }
        return .refusedCaller(.unauthorized, "Credentials are required", challenges)
    }

    /// A credential is not accepted. Only its expiry is told: anything else helps whoever forges one.
    static func badCredential(of entry: AuthEntry, isExpired: Bool = false) -> GatewayError {
        let message = isExpired ? "The token has expired" : "The credentials are not accepted"
        guard case .tokens = entry.kind else {
            return .refusedCaller(.unauthorized, message, [entry.challenge])
        }
        let description = isExpired ? ", error_description=\"The token has expired\"" : ""
        return .refusedCaller(.unauthorized, message, ["Bearer error=\"invalid_token\"\(description)"])
    }

    /// The caller is known, but lacks a scope or a claim.
    static func insufficient(_ rule: AccessRule, of entry: AuthEntry) -> GatewayError {
        let message = "The caller is not allowed to do this"
        guard entry.challenge == "Bearer" else { return .refusedCaller(.forbidden, message, []) }
        let scope = rule.scopes.isEmpty ? "" : ", scope=\"\(rule.scopeText)\""
        return .refusedCaller(.forbidden, message, ["Bearer error=\"insufficient_scope\"\(scope)"])
    }

    /// A claim cannot be told to upstreams.
    static var unfitClaim: GatewayError { .forbidden("The caller is not allowed to do this") }

    /// A page of another site may have made the request. Its developer learns what to change, and an attacker
    /// nothing that the page does not see anyway.
    static var crossSiteWrite: GatewayError {
        .forbidden(
            "A page of another site must not make this request: its origin is not among cors.origins")
    }

    /// Keys could not be fetched, or an authorizer gave no verdict.
    static var callerUnknown: GatewayError { callerUnknown(retryAfter: 1) }

    /// - Parameter retryAfter: seconds.
    static func callerUnknown(retryAfter: Int) -> GatewayError {
        .upstreamUnavailable("The caller cannot be checked at the moment", retryAfter: retryAfter)
    }

    private static func refusedCaller(_ code: ErrorCode, _ message: String, _ challenges: [String])
        -> GatewayError
    {
        var error = GatewayError(code, message)
        for challenge in challenges { error.fields.append(.wwwAuthenticate, challenge) }
        return error
    }
}
