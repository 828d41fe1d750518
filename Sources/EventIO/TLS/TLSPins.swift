import COpenSSL

/// The SHA-256 hashes of public keys (SubjectPublicKeyInfo, RFC 7469, section 2.4), one of which a server
/// must have.
struct TLSPins: Sendable {
    private let hashes: Set<[UInt8]>

    var isEmpty: Bool { hashes.isEmpty }

    init(_ texts: Set<String>) throws(TLSError) {
        var hashes: Set<[UInt8]> = []
        for text in texts {
            for part in text.split(separator: ";", omittingEmptySubsequences: false) {
                hashes.insert(try Self.hash(part))
            }
        }
        self.hashes = hashes
    }

    private static func hash(_ text: Substring) throws(TLSError) -> [UInt8] {
        let base64 = Array(text.hasPrefix("sha256//") ? text.dropFirst(8).utf8 : text.utf8)
        guard !base64.isEmpty else { throw TLSError(.configuration, "a pin is empty") }
        var decoded = [UInt8](repeating: 0, count: 33)
        // 32 bytes are 43 digits and one padding character, which decodes to a zero byte.
        guard base64.count == 44, base64[43] == UInt8(ascii: "="), base64[42] != UInt8(ascii: "="),
            EVP_DecodeBlock(&decoded, base64, 44) == 33
        else {
            throw TLSError(
                .configuration, "'\(text)' is not a pin: expected the base64 of a SHA-256 (44 characters)")
        }
        return Array(decoded[..<32])
    }

    func contain(keyOf certificate: OpaquePointer) -> Bool {
        Self.hash(ofKeyOf: certificate).map(hashes.contains) ?? false
    }

    /// Returns the SHA-256 of a certificate's public key, 32 bytes.
    static func hash(ofKeyOf certificate: OpaquePointer) -> [UInt8]? {
        guard let key = X509_get_X509_PUBKEY(certificate) else { return nil }
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509_PUBKEY(key, &encoded)
        guard count > 0, let encoded else { return nil }
        defer { CRYPTO_free(encoded, "", 0) }
        var hash = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(encoded, Int(count), &hash, nil, EVP_sha256(), nil) == 1 else { return nil }
        return hash
    }
}
