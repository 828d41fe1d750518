/// Why a document is not a set of keys (RFC 7517 5). The text is for messages and logs.
public enum KeySetFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// More than `KeySet.maxLength` bytes.
    case tooLong
    /// Not JSON, or too deep.
    case notJSON(String)
    /// Two members of an object have the same name.
    case repeatedMember
    /// The document is not an object with a list `keys`.
    case noKeys
    /// More than `KeySet.maxKeys` keys.
    case tooManyKeys
    /// An element of `keys` is not an object; numbered from 0.
    case notAnObject(index: Int)

    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .tooLong: "the key set is longer than \(KeySet.maxLength / 1024) KiB"
        case .notJSON(let reason): "the key set is not JSON: \(reason)"
        case .repeatedMember: "an object of the key set repeats a member"
        case .noKeys: "the key set must be an object with a list \"keys\""
        case .tooManyKeys: "the key set has more than \(KeySet.maxKeys) keys"
        case .notAnObject(let index): "keys[\(index)] is not an object"
        }
    }
}

/// Why a key of a set is not used. The other keys of the set are.
public enum SkippedKey: Sendable, Hashable, CustomStringConvertible {
    /// `kty` is missing or unknown.
    case unknownType
    /// `crv` is missing or unknown.
    case unknownCurve
    /// `use` is not `sig`, or `key_ops` lacks `verify`.
    case notForSignatures
    /// `alg` is unknown, or does not fit the key.
    case unfitAlgorithm
    /// A member is missing or malformed.
    case malformed(String)
    /// The numbers are not a key.
    case invalid(String)
    /// The key has its private part, so that others than its owner may have it.
    case isPrivate
    /// A secret where only public keys are allowed.
    case isSecret

    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .unknownType: "kty is not RSA, EC, OKP or oct"
        case .unknownCurve: "crv is not P-256, P-384 or Ed25519"
        case .notForSignatures: "use or key_ops does not allow it to verify signatures"
        case .unfitAlgorithm: "alg is not a supported algorithm of such a key"
        case .malformed(let name): "\(name) is missing or malformed"
        case .invalid(let reason): reason
        case .isPrivate: "the key has its private part; publish only the public part"
        case .isSecret: "a secret is used only from a file, with HS256 as the only algorithm"
        }
    }
}
