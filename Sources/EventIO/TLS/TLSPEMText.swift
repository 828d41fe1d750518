import COpenSSL
import Glibc

/// A PEM text, read once by OpenSSL, with a name for error messages.
final class TLSPEMText {
    /// The largest file, in bytes.
    static var largest: Int { 16 << 20 }

    let subject: String
    /// Created by `BIO_new` in `init`, freed in `deinit`. OpenSSL clears the memory when it grows and when it is freed.
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

    func reason(_ code: UInt) -> String {
        ERR_reason_error_string(code).map { String(cString: $0) } ?? "not PEM"
    }

    static func digest(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: 32)
        let isMade = EVP_Digest(bytes.baseAddress, bytes.count, &hash, nil, EVP_sha256(), nil)
        precondition(isMade == 1, "OpenSSL has no SHA-256")
        return hash
    }

    private func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.isEmpty || BIO_write(handle, bytes.baseAddress, Int32(bytes.count)) == bytes.count
    }

    private func read(_ path: String) throws(TLSError) {
        guard !path.utf8.contains(0) else {
            throw TLSError(.configuration, "\(subject.prefix { $0 != "\0" }): the path contains a NUL")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure }
        defer { close(descriptor) }
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
