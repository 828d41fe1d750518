import COpenSSL
import Glibc

/// What PEM text holds of certificates, with the name under which complaints speak of it.
struct TLSCertificates: ~Copyable {
    let subject: String
    /// At least one. Made by `PEM_read_bio_X509`, freed in `deinit`: who keeps one takes a reference of his own.
    let all: [OpaquePointer]

    static func read(_ pem: TLSConfiguration.PEM, for use: String) throws(TLSError) -> TLSCertificates {
        let text = try TLSText(pem, for: use)
        var all: [OpaquePointer] = []
        while let certificate = PEM_read_bio_X509(text.handle, nil, tlsPassword, nil) {
            all.append(certificate)
        }
        // After the last one OpenSSL complains that no further begins; anything else is one that is broken.
        let code = ERR_peek_last_error()
        ERR_clear_error()
        let certificates = TLSCertificates(subject: text.subject, all: all)
        guard ERR_GET_REASON(code) == PEM_R_NO_START_LINE else {
            throw TLSError(
                .configuration, "\(text.subject): certificate \(all.count + 1): \(text.reason(code))")
        }
        guard !all.isEmpty else {
            throw TLSError(.configuration, "\(text.subject): no certificate is in it")
        }
        return certificates
    }

    deinit {
        for certificate in all { X509_free(certificate) }
    }
}

/// A private key, with the name under which complaints speak of it.
struct TLSPrivateKey: ~Copyable {
    let subject: String
    /// Made by `PEM_read_bio_PrivateKey`, freed in `deinit`.
    let handle: OpaquePointer

    init(_ pem: TLSConfiguration.PEM, password: String?) throws(TLSError) {
        let text = try TLSText(pem, for: "client key")
        let secret = (password ?? "").utf8CString
        let key = secret.withUnsafeBufferPointer {
            PEM_read_bio_PrivateKey(
                text.handle, nil, tlsPassword, UnsafeMutableRawPointer(mutating: $0.baseAddress))
        }
        guard let key else {
            let code = ERR_peek_error()
            ERR_clear_error()
            let hint = password == nil ? "" : " (is it the right password?)"
            throw TLSError(.configuration, "\(text.subject): no key can be read: \(text.reason(code))\(hint)")
        }
        subject = text.subject
        handle = key
    }

    deinit {
        EVP_PKEY_free(handle)
    }
}

/// Gives OpenSSL the password that stands, ended by a zero, where `data` points; none where it is nil. (Without a function
/// of ours it would ask on the terminal.)
private func tlsPassword(
    _ room: UnsafeMutablePointer<CChar>?, _ size: Int32, _: Int32, _ data: UnsafeMutableRawPointer?
) -> Int32 {
    guard let room, let data else { return -1 }
    let secret = data.assumingMemoryBound(to: CChar.self)
    let length = strlen(secret)
    guard length <= Int(size) else { return -1 }
    memcpy(room, secret, length)
    return Int32(length)
}

/// PEM text as OpenSSL reads it.
private struct TLSText: ~Copyable {
    private static var largest: Int { 16 << 20 }

    let subject: String
    /// Made by `BIO_new` in `init`, freed in `deinit`.
    let handle: OpaquePointer

    init(_ pem: TLSConfiguration.PEM, for use: String) throws(TLSError) {
        let bytes: [UInt8]
        switch pem.form {
        case .bytes(let given): (subject, bytes) = (use, given)
        case .file(let path):
            subject = "\(use) \(path)"
            bytes = try Self.read(path, subject)
        }
        ERR_clear_error()
        guard let handle = BIO_new(BIO_s_mem()), BIO_write(handle, bytes, Int32(bytes.count)) == bytes.count
        else { throw TLSError(.configuration, "\(subject): it cannot be read") }
        self.handle = handle
    }

    deinit {
        BIO_free(handle)
    }

    func reason(_ code: UInt) -> String {
        ERR_reason_error_string(code).map { String(cString: $0) } ?? "it is no PEM"
    }

    private static func read(_ path: String, _ subject: String) throws(TLSError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(subject) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw failure(subject)
            }
            bytes += chunk[..<count]
            guard bytes.count <= largest else {
                throw TLSError(.configuration, "\(subject): it is larger than \(largest >> 20) MiB")
            }
        }
    }

    private static func failure(_ subject: String) -> TLSError {
        TLSError(.configuration, "\(subject): \(String(cString: strerror(errno)))")
    }
}
