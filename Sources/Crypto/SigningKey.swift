internal import CCrypto

/// A new pair of keys that signs tokens, for tests: the gateway signs none.
///
/// Any thread may use it.
public final class SigningKey: Sendable {
    /// How the key signs: `.es256` or `.ed25519`.
    public let algorithm: SignatureAlgorithm
    /// The public key's numbers by the names of a JWK (RFC 7518 6.2.1, RFC 8037 2), with `kty`, `crv` and
    /// `alg`. No value needs escaping in JSON.
    public let publicMembers: [(name: String, value: String)]
    /// The key that verifies the signatures.
    public let verificationKey: VerificationKey
    private let handle: KeyHandle

    /// Makes a key of P-256, which signs by ES256.
    public static func makeEllipticCurve() throws(KeyFault) -> SigningKey {
        let handle = try KeyHandle(or: .refused) { ccrypto_new_p256_key() }
        // Uncompressed (SEC 1 2.3.3).
        guard let point = handle.publicBytes(65) else { throw .refused }
        let x = Array(point[1..<33])
        let y = Array(point[33...])
        return SigningKey(
            handle, .es256, try .ellipticCurve(.p256, x: x, y: y),
            [("kty", "EC"), ("crv", "P-256"), ("x", Base64URL.encode(x)), ("y", Base64URL.encode(y))])
    }

    /// Makes a key of Ed25519.
    public static func makeEd25519() throws(KeyFault) -> SigningKey {
        let handle = try KeyHandle(or: .refused) { ccrypto_new_ed25519_key() }
        guard let bytes = handle.publicBytes(32) else { throw .refused }
        return SigningKey(
            handle, .ed25519, try .ed25519(bytes),
            [("kty", "OKP"), ("crv", "Ed25519"), ("x", Base64URL.encode(bytes))])
    }

    private init(
        _ handle: KeyHandle, _ algorithm: SignatureAlgorithm, _ verificationKey: VerificationKey,
        _ members: [(name: String, value: String)]
    ) {
        self.handle = handle
        self.algorithm = algorithm
        self.verificationKey = verificationKey
        publicMembers = members + [("alg", algorithm.name)]
    }

    /// Returns the signature of a message as a token has it: for ES256 `r` and `s` of 32 bytes each.
    public func sign(_ message: ArraySlice<UInt8>) throws(KeyFault) -> [UInt8] {
        defer { ERR_clear_error() }
        guard let context = EVP_MD_CTX_new() else { throw .refused }
        defer { EVP_MD_CTX_free(context) }
        let hash = algorithm == .es256 ? EVP_sha256() : nil
        var signature = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(handle.key)))
        var count = signature.count
        guard EVP_DigestSignInit(context, nil, hash, nil, handle.key) == 1 else { throw .refused }
        let isSigned = message.withUnsafeBufferPointer {
            EVP_DigestSign(context, &signature, &count, $0.baseAddress, $0.count)
        }
        guard isSigned == 1 else { throw .refused }
        signature.removeLast(signature.count - count)
        guard algorithm == .es256 else { return signature }
        guard let numbers = ECDSASignature.numbers(inDER: signature, fieldSize: 32) else { throw .refused }
        return numbers
    }
}
