import COpenSSL
import Glibc

/// PEM text as OpenSSL reads it, with the name under which complaints speak of it.
struct TLSText: ~Copyable {
    /// Bytes of a file with certificates or keys.
    static var largest: Int { 16 << 20 }

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
        guard !path.utf8.contains(0) else {
            throw TLSError(.configuration, "\(subject.prefix { $0 != "\0" }): its path has a NUL")
        }
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
