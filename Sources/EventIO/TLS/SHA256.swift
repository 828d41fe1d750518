import COpenSSL

/// A SHA-256 digest of bytes that arrive in pieces (FIPS 180-4).
package final class SHA256 {
    // Freed in `deinit`.
    private let context: OpaquePointer

    package init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            preconditionFailure("OpenSSL has no SHA-256")
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    package func append(_ bytes: UnsafeRawBufferPointer) {
        let isAdded = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
        precondition(isAdded == 1, "OpenSSL could not digest \(bytes.count) bytes")
    }

    package func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

    /// Returns the 32 bytes of the digest. Nothing can be appended afterwards.
    package func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let isMade = EVP_DigestFinal_ex(context, &digest, nil)
        precondition(isMade == 1, "OpenSSL could not finish a digest")
        return digest
    }

    /// Returns the digest as 64 hexadecimal digits, like sha256sum(1).
    package func finishHexadecimal() -> String {
        finish().map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0" + text : text
        }.joined()
    }
}
