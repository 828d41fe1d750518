import COpenSSL
import Glibc

/// A PEM text, read once by OpenSSL, with a name for error messages.
final class TLSPEMText {
    /// The largest file, in bytes.
    static var largest: Int { 16 << 20 }

    let subject: String
    /// Created by `BIO_new` in `init`, freed in `deinit`. OpenSSL clears the memory when it grows and when it
    /// is freed.
    let handle: OpaquePointer
    private(set) var digest: [UInt8] = []

    init(_ pem: TLSConfiguration.PEM, for use: String) throws(TLSError) {
        ERR_clear_error()
        guard let handle = BIO_new(BIO_s_mem()) else {
            throw TLSError(.configuration, "\(use): cannot be read")
        }
        self.handle = handle
        switch pem.form {
        case .bytes(let bytes):
            subject = use
            guard bytes.withUnsafeBytes({ add($0) }) else { throw unreadable }
        case .file(let path):
            subject = "\(use) \(path)"
            try read(path)
        }
        var start: UnsafeMutablePointer<CChar>?
        let count = copenssl_BIO_get_mem_data(handle, &start)
        digest = Self.digest(of: UnsafeRawBufferPointer(start: start, count: max(0, count)))
    }

    deinit {
        BIO_free(handle)
    }

    /// Whether the text has an encrypted key. Call it before the text is parsed.
    ///
    /// "BEGIN ENCRYPTED PRIVATE KEY" (RFC 7468, section 11) or "Proc-Type: 4,ENCRYPTED" (RFC 1421).
    var isEncrypted: Bool { contains("ENCRYPTED") }

    /// Whether the text has a private key of any type (RFC 7468, sections 10, 11 and 13). Call it before the
    /// text is parsed.
    var hasPrivateKey: Bool { contains("PRIVATE KEY-----") }

    private func contains(_ words: String) -> Bool {
        var start: UnsafeMutablePointer<CChar>?
        let count = copenssl_BIO_get_mem_data(handle, &start)
        return UnsafeRawBufferPointer(start: start, count: max(0, count)).firstRange(of: words.utf8) != nil
    }

    func reason(_ code: UInt) -> String {
        ERR_reason_error_string(code).map { String(cString: $0) } ?? "not PEM"
    }

    static func digest(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let digest = SHA256()
        digest.append(bytes)
        return digest.finish()
    }

    static func digest(of bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { digest(of: $0) } }

    private func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.isEmpty || BIO_write(handle, bytes.baseAddress, Int32(bytes.count)) == bytes.count
    }

    private func read(_ path: String) throws(TLSError) {
        guard !path.utf8.contains(0) else {
            throw TLSError(.configuration, "\(subject.prefix { $0 != "\0" }): the path contains a NUL")
        }
        // In case it is not a regular file: do not wait for a pipe's other end or acquire a controlling
        // terminal.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw failure }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw failure }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw TLSError(.configuration, "\(subject): not a regular file")
        }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
        defer {
            // It may have held a private key.
            OPENSSL_cleanse(chunk.baseAddress, chunk.count)
            chunk.deallocate()
        }
        var total = 0
        while true {
            let count = Glibc.read(descriptor, chunk.baseAddress, chunk.count)
            if count == 0 { return }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw failure
            }
            total += count
            guard total <= Self.largest else {
                throw TLSError(.configuration, "\(subject): larger than \(Self.largest >> 20) MiB")
            }
            guard add(UnsafeRawBufferPointer(rebasing: chunk[..<count])) else { throw unreadable }
        }
    }

    private var unreadable: TLSError { TLSError(.configuration, "\(subject): cannot be read") }

    private var failure: TLSError {
        TLSError(.configuration, "\(subject): \(String(cString: strerror(errno)))")
    }
}
