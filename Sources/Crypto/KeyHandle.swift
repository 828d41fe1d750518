internal import CCrypto

/// A key of OpenSSL, public or with its private part. Any thread may use it.
final class KeyHandle: Sendable {
    /// An EVP_PKEY, freed in `deinit`. `nonisolated(unsafe)`: constant. Each operation has its own context,
    /// and what OpenSSL caches in a key has locks of its own.
    nonisolated(unsafe) let key: OpaquePointer

    /// Owns the key that `create` returns.
    ///
    /// - Throws: `fault` if it returns nil.
    init(or fault: KeyFault, _ create: () -> OpaquePointer?) throws(KeyFault) {
        // Errors that stayed in the thread's queue would be taken for errors of the loop's TLS connections.
        defer { ERR_clear_error() }
        guard let key = create() else { throw fault }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Returns the public key as a point or as bytes; nil unless it has this length.
    func publicBytes(_ count: Int) -> [UInt8]? {
        defer { ERR_clear_error() }
        var bytes = [UInt8](repeating: 0, count: count)
        var length = 0
        guard EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &bytes, count, &length) == 1
        else {
            return nil
        }
        return length == count ? bytes : nil
    }
}
