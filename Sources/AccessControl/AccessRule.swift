import ASCIIText
public import JSONBytes

/// What an endpoint requires of the claims of a caller.
public struct AccessRule: Sendable, Hashable {
    /// Scopes that must all be granted.
    public var scopes: [String]
    /// Claims that must all have one of their values.
    public var claims: [ClaimRequirement]

    /// Creates a rule. Without arguments it grants access to each identity.
    public init(scopes: [String] = [], claims: [ClaimRequirement] = []) {
        self.scopes = scopes
        self.claims = claims
    }

    /// Whether each identity is granted access, so that there is nothing to check.
    public var isEmpty: Bool { scopes.isEmpty && claims.isEmpty }

    /// Whether the claims satisfy the rule.
    public enum Verdict: Sendable, Hashable {
        /// They do.
        case granted
        /// A scope is missing.
        case missingScopes
        /// The claim with this name is missing or has another value.
        case missingClaim(String)
    }

    /// Checks the claims of an identity, a JSON object. Scopes come first.
    public func check(_ claims: JSONFragment) -> Verdict {
        let claims = Claims(claims)
        guard claims.hasScopes(scopes) else { return .missingScopes }
        for requirement in self.claims where !requirement.isMet(by: claims) {
            return .missingClaim(requirement.name)
        }
        return .granted
    }

    /// The value of `scope` in `WWW-Authenticate`: the scopes with spaces between them (RFC 6750 3).
    public var scopeText: String { scopes.joined(separator: " ") }

    /// Whether a text is a scope (RFC 6749 3.3), so that it fits into `scope` of `WWW-Authenticate`.
    public static func isScope(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != Byte.quote && $0 != Byte.backslash }
    }
}

/// A claim that must equal one of some values, or be a list that has one of them.
public struct ClaimRequirement: Sendable, Hashable {
    /// The name, as `Claims.value(named:)` reads it.
    public let name: String
    private let values: Set<JSONValue>

    /// Creates a requirement.
    ///
    /// - Parameters:
    ///   - name: `plan`, or `realm_access.roles` for a member of a member.
    ///   - values: values as a file writes them. Each admits its text, and the number or boolean that it
    ///     is in JSON: `3` admits `"3"`, `3` and `3.0`.
    /// - Returns: nil without a value.
    public init?(_ name: String, written values: [String]) {
        guard !values.isEmpty else { return nil }
        self.name = name
        let scalars = values.compactMap { value in
            (try? JSONFragment(parsing: value)).flatMap { $0.kind == .string ? nil : Self.scalar($0) }
        }
        self.values = Set(values.map { .string(Array($0.utf8)) } + scalars)
    }

    /// Whether the claims have one of the values.
    func isMet(by claims: Claims) -> Bool {
        guard let value = claims.value(named: name) else { return false }
        guard value.kind == .array else { return isOne(value) }
        var isFound = false
        value.forEachElement { element in
            isFound = isOne(element)
            return !isFound
        }
        return isFound
    }

    private func isOne(_ value: JSONFragment) -> Bool { Self.scalar(value).map(values.contains) ?? false }

    private static func scalar(_ value: JSONFragment) -> JSONValue? {
        switch value.kind {
        case .string, .number, .bool: JSONValue(value)
        case .null, .array, .object: nil
        }
    }
}
