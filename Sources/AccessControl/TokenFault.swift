/// Why a token is refused.
///
/// The description is for the log at `debug`. It shows what the rules expect, and nothing of the token but
/// the names of claims. A client learns only that a token has expired.
public enum TokenFault: Error, Sendable, Hashable {
    // MARK: Form

    /// Longer than `UnverifiedToken.maxLength`.
    case tooLong
    /// Five parts: an encrypted token (RFC 7516).
    case encrypted
    /// Not three parts that are separated by points.
    case notThreeParts
    /// A part is not strict base64url.
    case badEncoding(Part)
    /// A part is not a JSON object, or nests too deeply.
    case notAnObject(Part)
    /// An object of the part has two members of the same name.
    case repeatedMember(Part)
    /// The signature has no bytes.
    case noSignature

    // MARK: Header

    /// A member of the header is not text.
    case malformedHeader(String)
    /// The header has no `alg`.
    case noAlgorithm
    /// `alg` is `none`, in any case of letters.
    case algorithmNone
    /// `alg` names an algorithm that is not supported.
    case unknownAlgorithm
    /// The header has `crit`: extensions that its readers must understand.
    case criticalExtensions

    // MARK: Rules

    /// The rules do not list the algorithm.
    case unlistedAlgorithm(String)
    /// `typ` is missing or names another type.
    case wrongType(expected: String)
    /// A registered claim is not of its kind: `exp` is text, for example.
    case malformedClaim(String)
    /// A required claim is missing or null.
    case missingClaim(String)
    /// `iss` is missing or none of these. There are several if several entries read one field.
    case wrongIssuer(expected: [String])
    /// `aud` is missing or contains none of these.
    case wrongAudience(expected: [String])
    /// The time of `exp` has come.
    case expired
    /// The time of `nbf` has not come yet.
    case notYetValid

    // MARK: Keys

    /// No key of the set has this `kid`, or the token has no `kid` and no key of the set verifies it.
    case unknownKey
    /// The key with this `kid` is not meant for the algorithm.
    case unfitKey(String)
    /// The key exists, and the signature is not by it.
    case badSignature

    /// A part of a token.
    public enum Part: String, Sendable {
        /// The first part.
        case header
        /// The second part.
        case payload
        /// The third part.
        case signature
    }

    /// Whether the client may be told this reason (RFC 6750 3.1).
    public var isForClient: Bool { self == .expired }
}

extension TokenFault: CustomStringConvertible {
    /// The reason in words, for logs.
    public var description: String {
        switch self {
        case .tooLong: "the token is longer than \(UnverifiedToken.maxLength) bytes"
        case .encrypted: "the token has five parts, and encrypted tokens are not supported"
        case .notThreeParts: "the token does not have three parts"
        case .badEncoding(let part): "the \(part.rawValue) is not base64url without padding"
        case .notAnObject(let part): "the \(part.rawValue) is not a JSON object of at most 16 levels"
        case .repeatedMember(let part): "an object of the \(part.rawValue) repeats a member"
        case .noSignature: "the signature is empty"
        case .malformedHeader(let name): "the header's \(name) is not text"
        case .noAlgorithm: "the header has no alg"
        case .algorithmNone: "the token is unsigned (alg none)"
        case .unknownAlgorithm: "alg is not a supported algorithm"
        case .criticalExtensions: "the header has crit"
        case .unlistedAlgorithm(let name): "alg is \(name), which is not listed in algorithms"
        case .wrongType(let type): "typ is not \"\(type)\""
        case .malformedClaim(let name): "the claim \(name) is malformed"
        case .missingClaim(let name): "the claim \(name) is missing"
        case .wrongIssuer(let issuers): "iss is not \(Self.list(issuers))"
        case .wrongAudience(let audience): "aud does not contain \(Self.list(audience))"
        case .expired: "the token has expired"
        case .notYetValid: "the token is not valid yet"
        case .unknownKey: "no known key has signed the token"
        case .unfitKey(let name): "the key with this kid is not for \(name)"
        case .badSignature: "the signature does not match"
        }
    }

    /// The most expected values that a reason shows.
    private static let mostShown = 4

    /// Returns `"app" or "web"`.
    private static func list(_ values: [String]) -> String {
        var shown = values.prefix(mostShown).map { "\"\($0)\"" }
        if values.count > mostShown { shown.append("another of \(values.count) values") }
        guard shown.count > 1, let last = shown.popLast() else { return shown.first ?? "any value" }
        return "\(shown.joined(separator: ", ")) or \(last)"
    }
}
