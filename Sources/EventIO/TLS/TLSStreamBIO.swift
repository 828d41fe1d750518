import COpenSSL
import Glibc

/// The BIO between OpenSSL and a stream: it reads the bytes fed to the engine and writes to the stream. Never
/// blocks.
enum TLSStreamBIO {
    /// `nonisolated(unsafe)`: constant after its initialization. Never freed.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        let kind = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
        guard let method = BIO_meth_new(kind, "stream") else { return nil }
        BIO_meth_set_create(method, tlsBIOCreated)
        BIO_meth_set_read(method, tlsBIORead)
        BIO_meth_set_write(method, tlsBIOWritten)
        BIO_meth_set_ctrl(method, tlsBIOControlled)
        return method
    }()

    /// Attaches a BIO, which `ssl` frees. It refers to the engine unretained: the engine owns `ssl`.
    static func attach(_ engine: TLSEngine, to ssl: OpaquePointer) -> Bool {
        guard let method, let bio = BIO_new(method) else { return false }
        BIO_set_data(bio, Unmanaged.passUnretained(engine).toOpaque())
        SSL_set_bio(ssl, bio, bio)
        return true
    }
}

private func engine(of bio: OpaquePointer?) -> TLSEngine? {
    BIO_get_data(bio).map { Unmanaged<TLSEngine>.fromOpaque($0).takeUnretainedValue() }
}

private func tlsBIOCreated(_ bio: OpaquePointer?) -> Int32 {
    BIO_set_init(bio, 1)
    return 1
}

private func tlsBIORead(_ bio: OpaquePointer?, _ room: UnsafeMutablePointer<CChar>?, _ size: Int32) -> Int32 {
    BIO_clear_flags(bio, copenssl_BIO_FLAGS_ANY)
    guard let room, size > 0, let engine = engine(of: bio) else { return -1 }
    let count = engine.takeInput(UnsafeMutableRawBufferPointer(start: room, count: Int(size)))
    guard count > 0 else {
        BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
        return -1
    }
    return Int32(count)
}

private func tlsBIOWritten(_ bio: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int32) -> Int32 {
    BIO_clear_flags(bio, copenssl_BIO_FLAGS_ANY)
    guard let bytes, count > 0, let engine = engine(of: bio) else { return -1 }
    return engine.putOutput(UnsafeRawBufferPointer(start: bytes, count: Int(count))) ? count : -1
}

private func tlsBIOControlled(
    _: OpaquePointer?, _ command: Int32, _: Int, _: UnsafeMutableRawPointer?
) -> Int {
    // Nothing is buffered here, so a flush has nothing to do. Other commands are not supported.
    command == BIO_CTRL_FLUSH ? 1 : 0
}
