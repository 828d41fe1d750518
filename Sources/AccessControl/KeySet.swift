public import Crypto

/// The keys with which an issuer signs tokens: a JWK Set (RFC 7517 5).
public struct KeySet: Sendable, Hashable {
    /// The longest document, in bytes: 256 KiB.
    public static let maxLength = 256 * 1024
    /// The most keys of a document, used or not.
    public static let maxKeys = 64
    /// The deepest nesting.
    static let maxDepth = 16
    /// The most reasons in `reasonsOfSkipped`.
    static let mostReasons = 4

    /// A set without keys, which verifies nothing.
    public static let empty = KeySet(keys: [], skipped: [])

    /// The usable keys, in the order of the document.
    let keys: [IssuerKey]
    /// The keys that are not used, by their index in the document, and why.
    public let skipped: [Skipped]

    /// A key that is not used.
    public struct Skipped: Sendable, Hashable {
        /// The key's place in `keys`, from 0.
        public let index: Int
        /// Why it is not used.
        public let reason: SkippedKey
    }

    /// Reads a document.
    ///
    /// Keys that are unknown, incomplete or out of range are skipped, as RFC 7517 5 says. A malformed
    /// document is refused.
    ///
    /// - Parameters:
    ///   - document: the JSON text.
    ///   - allowsSecrets: whether `oct` keys are used: true only for a file, with `TokenRules.allowsSecrets`.
    public init(parsing document: ArraySlice<UInt8>, allowsSecrets: Bool) throws(KeySetFault) {
        self = try KeySetParser(allowsSecrets: allowsSecrets).parse(document)
    }

    init(keys: [IssuerKey], skipped: [Skipped]) {
        self.keys = keys
        self.skipped = skipped
    }

    /// The number of usable keys.
    public var count: Int { keys.count }

    /// Whether no key is usable.
    public var isEmpty: Bool { keys.isEmpty }

    /// Whether one of the keys verifies one of the algorithms.
    public func fits(_ algorithms: [SignatureAlgorithm]) -> Bool {
        keys.contains { key in algorithms.contains(where: key.algorithms.contains) }
    }

    /// The skipped keys and why, for a log; nil without any. Of many, only the first are named.
    public var reasonsOfSkipped: String? {
        guard !skipped.isEmpty else { return nil }
        var parts = skipped.prefix(Self.mostReasons).map { "key \($0.index + 1): \($0.reason)" }
        if skipped.count > Self.mostReasons { parts.append("and \(skipped.count - Self.mostReasons) more") }
        return parts.joined(separator: "; ")
    }

    /// Whether both sets have equal keys, in any order, so that tokens verified by one stay verified.
    public func hasSameKeys(as other: KeySet) -> Bool { Set(keys) == Set(other.keys) }

    /// Returns the keys with this `kid`; all keys for nil.
    func keys(for keyID: String?) -> [IssuerKey] {
        guard let keyID else { return keys }
        return keys.filter { $0.keyID?.isExactly(keyID) ?? false }
    }
}

/// A key of a set, with what it is for.
struct IssuerKey: Sendable {
    /// `kid`, if the key has one.
    let keyID: String?
    /// The algorithms that fit `kty`, `crv` and `alg`.
    let algorithms: [SignatureAlgorithm]
    let key: VerificationKey
    /// A digest of the numbers, by which keys are compared.
    let fingerprint: SHA256Digest
}

extension IssuerKey: Hashable {
    static func == (left: IssuerKey, right: IssuerKey) -> Bool {
        left.fingerprint == right.fingerprint && left.algorithms == right.algorithms
            && left.keyID.map { Array($0.utf8) } == right.keyID.map { Array($0.utf8) }
    }

    func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }
}
