/// Who may call an endpoint.
package struct PlannedRequirement: Sendable {
    /// The entries of `auth`, of which the first that applies decides. Empty: everyone may call.
    package var entries: [Located<String>] = []
    /// What a token must permit: all of them.
    package var scopes: [Located<String>] = []
    /// What the claims of the caller must be: all of them.
    package var claims: [PlannedClaim] = []
    /// Whether a request without a credential is admitted, too.
    @Placed package var isOptional: Bool?

    package init(_ entries: [Located<String>] = []) { self.entries = entries }
}

/// The values of which a claim must have one.
package struct PlannedClaim: Sendable {
    /// The name of the claim: `plan`, or `realm_access.roles` for a member of a member.
    package var name: Located<String>
    /// Text, and numbers and Booleans as JSON writes them.
    package var values: [Located<String>]

    package init(_ name: Located<String>, _ values: [Located<String>]) {
        self.name = name
        self.values = values
    }
}
