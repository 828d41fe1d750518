import ASCIIText
import Crypto
import JSONBytes

/// Decides whether a token is valid.
public struct TokenVerifier: Sendable, Hashable {
    /// The most keys that are tried for a token without `kid`.
    public static let mostTries = 4

    /// What a token must be.
    public let rules: TokenRules

    /// Creates a verifier.
    public init(_ rules: TokenRules) { self.rules = rules }

    /// Checks a token.
    ///
    /// The claims come first, because they cost less than a signature: a token that is refused by them causes
    /// no fetch of keys. So the reason of a refusal says nothing about the signature.
    ///
    /// - Parameters:
    ///   - token: the token.
    ///   - keys: the keys of the issuer, as they are known now.
    ///   - now: the wall clock, in seconds since 1970.
    public func verify(_ token: UnverifiedToken, with keys: KeySet, at now: Int64) -> TokenVerdict {
        if let fault = fault(of: token, at: now) { return .invalid(fault) }
        if let fault = fault(ofSignature: token, keys) { return fault }
        return .valid(until: token.expiry.map { Self.sum($0, rules.leeway) } ?? .max)
    }

    /// Returns the verdict on a token that no fitting key has signed; nil if one has.
    func fault(ofSignature token: UnverifiedToken, _ keys: KeySet) -> TokenVerdict? {
        let algorithm = token.algorithm
        let named = keys.keys(for: token.keyID)
        let fitting = named.filter { $0.algorithms.contains(algorithm) }
        let hasKeyID = token.keyID != nil
        if hasKeyID, !named.isEmpty, fitting.isEmpty { return .invalid(.unfitKey(algorithm.name)) }
        let isSigned = fitting.prefix(Self.mostTries).contains { key in
            key.key.verifies(token.signature[...], of: token.signedBytes, by: algorithm)
        }
        if isSigned { return nil }
        // Without kid, a new key may have signed the token.
        return hasKeyID && !named.isEmpty ? .invalid(.badSignature) : .unknownKey
    }

    /// Returns why the token is invalid, whoever has signed it.
    private func fault(of token: UnverifiedToken, at now: Int64) -> TokenFault? {
        guard rules.algorithms.contains(token.algorithm) else {
            return .unlistedAlgorithm(token.algorithm.name)
        }
        if let type = rules.type, !Self.isType(token.type, type) { return .wrongType(expected: type) }
        guard let issuer = token.issuer, issuer.isExactly(rules.issuer) else {
            return .wrongIssuer(expected: [rules.issuer])
        }
        let audience = token.registered.audience ?? []
        guard audience.contains(where: { value in rules.audience.contains { $0.isExactly(value) } }) else {
            return .wrongAudience(expected: rules.audience)
        }
        for name in rules.required where token.claims[member: name]?.isNull ?? true {
            return .missingClaim(name)
        }
        // RFC 7519 4.1.4: the current time must be before exp.
        if let expiry = token.expiry, now >= Self.sum(expiry, rules.leeway) { return .expired }
        if let start = token.registered.notBefore, now < Self.sum(start, -rules.leeway) {
            return .notYetValid
        }
        return nil
    }

    /// Whether two media types are equal (RFC 7515 4.1.9): case does not count, and neither does
    /// `application/` if no other slash follows.
    private static func isType(_ type: String?, _ expected: String) -> Bool {
        guard let type else { return false }
        return shortType(type) == shortType(expected)
    }

    private static func shortType(_ type: String) -> [UInt8] {
        let bytes = type.utf8.map(ASCII.lowercased)
        let prefix = Array("application/".utf8)
        guard bytes.starts(with: prefix) else { return bytes }
        let rest = bytes[prefix.count...]
        return rest.contains(Byte.slash) ? bytes : Array(rest)
    }

    /// Returns the sum, or the nearest number to it.
    private static func sum(_ seconds: Int64, _ leeway: Int64) -> Int64 {
        let (sum, isTooLarge) = seconds.addingReportingOverflow(leeway)
        return isTooLarge ? (leeway > 0 ? .max : .min) : sum
    }
}

/// Whether a token is valid.
public enum TokenVerdict: Sendable, Hashable {
    /// The issuer has signed it. It stays valid until this second since 1970, leeway included; `Int64.max`
    /// without `exp`.
    case valid(until: Int64)
    /// It will not become valid by another fetch of keys.
    case invalid(TokenFault)
    /// No known key has signed it. Newer keys might have.
    case unknownKey
}

extension String {
    /// Whether both are the same bytes. `==` regards other spellings of a character as equal.
    func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
