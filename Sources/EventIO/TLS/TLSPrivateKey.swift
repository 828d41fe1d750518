import COpenSSL
import Glibc

struct TLSPrivateKey: ~Copyable {
    let subject: String
    /// Created by `PEM_read_bio_PrivateKey`, freed in `deinit`.
    let handle: OpaquePointer

    init(_ text: TLSPEMText, password: String?) throws(TLSError) {
        guard text.hasPrivateKey else {
            throw TLSError(.configuration, "\(text.subject): contains no private key in PEM")
        }
        guard password != nil || !text.isEncrypted else {
            throw TLSError(
                .configuration,
                "\(text.subject): the private key is encrypted, and there is no password for it")
        }
        let secret = (password ?? "").utf8CString
        let key = secret.withUnsafeBufferPointer {
            PEM_read_bio_PrivateKey(
                text.handle, nil, tlsPassword, UnsafeMutableRawPointer(mutating: $0.baseAddress))
        }
        guard let key else {
            let code = ERR_peek_error()
            ERR_clear_error()
            let hint = password == nil ? "" : " (wrong password?)"
            throw TLSError(
                .configuration, "\(text.subject): cannot read the private key: \(text.reason(code))\(hint)")
        }
        subject = text.subject
        handle = key
    }

    deinit {
        EVP_PKEY_free(handle)
    }
}

/// Passes OpenSSL the NUL-terminated password at `data`, if any. Without this callback it asks on the
/// terminal.
func tlsPassword(
    _ room: UnsafeMutablePointer<CChar>?, _ size: Int32, _: Int32, _ data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let room, let data else { return -1 }
    let secret = data.assumingMemoryBound(to: CChar.self)
    let length = strlen(secret)
    guard length <= Int(size) else { return -1 }
    memcpy(room, secret, length)
    return Int32(length)
}
