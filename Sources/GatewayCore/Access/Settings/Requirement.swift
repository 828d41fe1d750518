package import AccessControl

/// Who may call an endpoint.
///
///     gateway.get("/reports", .require("mobile", "partners", scopes: ["read"]))
public struct Requirement: Sendable, Hashable {
    /// Names of entries (`Gateway.auth(_:_:send:)`). The first whose credential the request has decides.
    public let any: [String]
    /// Whether a request without a credential is served, without an identity.
    public let isOptional: Bool
    /// What the claims must be.
    package let rule: AccessRule
    /// What is wrong with it.
    package let faults: [String]

    /// Creates a requirement that one of the entries knows the caller.
    ///
    /// - Parameters:
    ///   - any: names of entries, at least one.
    ///   - scopes: each must be in the claim `scope` or `scp`.
    ///   - claims: claims with their possible values. A claim must equal one of them, or be a list that has
    ///     one.
    ///   - isOptional: whether a request without a credential is served, too, without an identity.
    public init(
        any: [String], scopes: [String] = [], claims: [String: [String]] = [:], isOptional: Bool = false
    ) {
        var faults: [String] = []
        let requirements = claims.sorted { $0.key < $1.key }.compactMap { name, values in
            let requirement = ClaimRequirement(name, written: values)
            if requirement == nil { faults.append("requires the claim \(name) without naming a value") }
            return requirement
        }
        if any.isEmpty {
            faults.append(
                scopes.isEmpty && claims.isEmpty
                    ? "requires no entry; .require(.none) admits everybody"
                    : "requires scopes or claims, but names no entry")
        }
        self.init(
            any: any, rule: AccessRule(scopes: scopes, claims: requirements), isOptional: isOptional,
            faults: faults)
    }

    private init(any: [String], rule: AccessRule, isOptional: Bool, faults: [String]) {
        self.any = any
        self.isOptional = isOptional
        self.rule = rule
        self.faults =
            faults
            + rule.scopes.filter { !AccessRule.isScope($0) }.map {
                "requires \"\($0)\", which is not a scope"
            }
    }

    /// Everybody may call. Says that the endpoint is open on purpose, though others have a requirement.
    public static let none = Requirement(any: [], rule: AccessRule(), isOptional: false, faults: [])

    /// Whether everybody may call.
    package var isNone: Bool { any.isEmpty }
}
