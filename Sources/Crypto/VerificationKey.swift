internal import CCrypto

/// A key that verifies signatures: a public key, or a secret that both sides share.
///
/// Any thread may use it. A wrong signature is false and never an error, even if its length is wrong.
public final class VerificationKey: Sendable {
    /// What a key is made of.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// An RSA key of 2048 to 8192 bits.
        case rsa
        /// A point on P-256, called secp256r1 and prime256v1 too.
        case p256
        /// A point on P-384, called secp384r1 too.
        case p384
        /// A key of Ed25519.
        case ed25519
        /// Bytes for HMAC.
        case secret
    }

    /// A curve of NIST (FIPS 186-5) for ECDSA.
    public enum Curve: Hashable, Sendable {
        /// P-256, with coordinates of 32 bytes.
        case p256
        /// P-384, with coordinates of 48 bytes.
        case p384
    }

    /// What the key is made of, which decides the algorithms that it fits.
    public let kind: Kind
    /// nil for a secret. An enum of both would hide one of the pointers from the search for leaks.
    private let handle: KeyHandle?
    /// Empty for a public key.
    private let secret: [UInt8]

    private init(_ kind: Kind, _ handle: KeyHandle?, secret: [UInt8] = []) {
        self.kind = kind
        self.handle = handle
        self.secret = secret
    }
}

// MARK: Creating

extension VerificationKey {
    /// Returns an RSA key. Both numbers are big-endian (`n` and `e` of RFC 7518 6.3.1). Zeros in front are
    /// ignored.
    public static func rsa(modulus: [UInt8], exponent: [UInt8]) throws(KeyFault) -> VerificationKey {
        let modulus = modulus.drop { $0 == 0 }
        let exponent = exponent.drop { $0 == 0 }
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard (2048...8192).contains(bits) else { throw .modulusSize(bits: bits) }
        guard let lastOfModulus = modulus.last, lastOfModulus & 1 == 1 else { throw .evenModulus }
        guard let lastOfExponent = exponent.last, lastOfExponent & 1 == 1, exponent.count <= 8,
            exponent.count > 1 || lastOfExponent >= 3
        else { throw .exponent }
        var nativeModulus = nativeOrder(modulus)
        var nativeExponent = nativeOrder(exponent)
        return try make(.rsa, or: .refused) {
            ccrypto_rsa_key(&nativeModulus, nativeModulus.count, &nativeExponent, nativeExponent.count)
        }
    }

    /// Returns a key of ECDSA. Both coordinates are big-endian and as long as the curve's field (`x` and `y`
    /// of RFC 7518 6.2.1). A point that is not on the curve is refused.
    public static func ellipticCurve(
        _ curve: Curve, x: [UInt8], y: [UInt8]
    ) throws(KeyFault) -> VerificationKey {
        let size = curve.fieldSize
        for coordinate in [x, y] where coordinate.count != size {
            throw .length(bytes: coordinate.count, expected: size)
        }
        // Uncompressed (SEC 1 2.3.3). All points of these curves but infinity, which this form cannot name,
        // have the curve's order.
        let point = [0x04] + x + y
        return try make(curve.kind, or: .pointNotOnCurve) { ccrypto_ec_key(curve.name, point, point.count) }
    }

    /// Returns a key of Ed25519: the 32 bytes of RFC 8032 5.1.5 (`x` of RFC 8037 2).
    public static func ed25519(_ bytes: [UInt8]) throws(KeyFault) -> VerificationKey {
        guard bytes.count == 32 else { throw .length(bytes: bytes.count, expected: 32) }
        guard !Ed25519Point.hasSmallOrder(bytes) else { throw .smallOrder }
        return try make(.ed25519, or: .refused) {
            EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count)
        }
    }

    /// Returns a secret for HMAC of at least 32 bytes (`k` of RFC 7518 6.4.1).
    public static func secret(_ bytes: [UInt8]) throws(KeyFault) -> VerificationKey {
        guard bytes.count >= 32 else { throw .shortSecret(bytes: bytes.count) }
        return VerificationKey(.secret, nil, secret: bytes)
    }

    private static func make(
        _ kind: Kind, or fault: KeyFault, _ create: () -> OpaquePointer?
    ) throws(KeyFault) -> VerificationKey {
        VerificationKey(kind, try KeyHandle(or: fault, create))
    }

    /// Returns the bytes of a big-endian number in the machine's order.
    private static func nativeOrder(_ number: ArraySlice<UInt8>) -> [UInt8] {
        #if _endian(little)
            number.reversed()
        #else
            Array(number)
        #endif
    }
}

extension VerificationKey.Curve {
    fileprivate var kind: VerificationKey.Kind {
        switch self {
        case .p256: .p256
        case .p384: .p384
        }
    }

    fileprivate var name: String {
        switch self {
        case .p256: "P-256"
        case .p384: "P-384"
        }
    }

    /// The bytes of a coordinate, and of each half of a signature.
    var fieldSize: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        }
    }
}

// MARK: Verifying

extension VerificationKey {
    /// Whether the signature of the message is right. False as well if the key is of another kind than the
    /// algorithm needs.
    ///
    /// - Parameters:
    ///   - signature: the bytes of a token's third part. With ECDSA these are `r` and `s`, each as long as
    ///     the curve's field (RFC 7518 3.4).
    ///   - message: what was signed: a token's first two parts with the point between them.
    ///   - algorithm: how it was signed, of which the caller knows that it is allowed.
    public func verifies(
        _ signature: ArraySlice<UInt8>, of message: ArraySlice<UInt8>, by algorithm: SignatureAlgorithm
    ) -> Bool {
        guard algorithm.keyKind == kind else { return false }
        guard let handle else { return Self.isCode(signature, of: message, with: secret) }
        return switch algorithm {
        case .hs256: false
        case .rs256: verifyRSA(handle, signature, message, EVP_sha256())
        case .rs384: verifyRSA(handle, signature, message, EVP_sha384())
        case .rs512: verifyRSA(handle, signature, message, EVP_sha512())
        case .ps256: verifyRSA(handle, signature, message, EVP_sha256(), isPSS: true)
        case .es256: verifyECDSA(handle, .p256, signature, message, EVP_sha256())
        case .es384: verifyECDSA(handle, .p384, signature, message, EVP_sha384())
        // The hash belongs to the algorithm (RFC 8032 5.1).
        case .ed25519: verify(handle, signature, message, nil)
        }
    }

    private func verifyRSA(
        _ handle: KeyHandle, _ signature: ArraySlice<UInt8>, _ message: ArraySlice<UInt8>,
        _ hash: OpaquePointer?, isPSS: Bool = false
    ) -> Bool {
        // RFC 8017 8.1.2 and 8.2.2, step 1.
        guard signature.count == Int(EVP_PKEY_get_size(handle.key)) else { return false }
        return verify(handle, signature, message, hash, isPSS: isPSS)
    }

    private func verifyECDSA(
        _ handle: KeyHandle, _ curve: Curve, _ signature: ArraySlice<UInt8>,
        _ message: ArraySlice<UInt8>, _ hash: OpaquePointer?
    ) -> Bool {
        guard let signature = ECDSASignature.der(signature, fieldSize: curve.fieldSize) else { return false }
        return verify(handle, signature[...], message, hash)
    }

    private func verify(
        _ handle: KeyHandle, _ signature: ArraySlice<UInt8>, _ message: ArraySlice<UInt8>,
        _ hash: OpaquePointer?, isPSS: Bool = false
    ) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        // Belongs to `context`.
        var padding: OpaquePointer?
        guard EVP_DigestVerifyInit(context, &padding, hash, nil, handle.key) == 1,
            !isPSS || ccrypto_set_pss(padding) == 1
        else { return false }
        return signature.withUnsafeBufferPointer { signature in
            message.withUnsafeBufferPointer { message in
                EVP_DigestVerify(
                    context, signature.baseAddress, signature.count, message.baseAddress, message.count) == 1
            }
        }
    }

    /// Compares the code in constant time, because a client that sees how many bytes are right could find the
    /// others one by one.
    private static func isCode(
        _ signature: ArraySlice<UInt8>, of message: ArraySlice<UInt8>, with secret: [UInt8]
    ) -> Bool {
        guard signature.count == 32 else { return false }
        let code = message.withUnsafeBytes { SHA256Digest(authenticating: $0, with: secret) }.words
        return signature.withUnsafeBytes { bytes in
            let sent = (0..<4).map {
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
            }
            return (sent[0] ^ code.0) | (sent[1] ^ code.1) | (sent[2] ^ code.2) | (sent[3] ^ code.3) == 0
        }
    }
}
