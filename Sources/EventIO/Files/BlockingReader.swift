import Glibc

/// What is read piece by piece and may block: a file, mostly. Used by one helper thread at a time, one call after the
/// other, not always the same thread.
public protocol BlockingReader: AnyObject {
    /// The next bytes, `count` at most; none at the end.
    func read(atMost count: Int) throws -> ArraySlice<UInt8>
}

/// A file, from its first byte to its last.
public final class FileReader: BlockingReader {
    private let descriptor: Int32
    private let path: String
    /// Bytes that it had when it was opened.
    public let byteCount: Int64

    /// Blocks.
    ///
    /// - Throws: `SocketError`, also where it is no regular file: what else there is may never end.
    public init(path: String) throws(SocketError) {
        try SocketError.checkPath(path)
        self.path = path
        // Not to wait for the other end of what turns out to be a pipe; to a file it means nothing.
        descriptor = Descriptor.leavingSpare(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK))
        guard descriptor >= 0 else { throw SocketError(.file, errno, subject: path) }
        var status = stat()
        let code = fstat(descriptor, &status) == 0 ? 0 : errno
        byteCount = Int64(status.st_size)
        // It is whole from here on: what fails below closes the file.
        guard code == 0 else { throw SocketError(.file, code, subject: path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SocketError(.file, status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL, subject: path)
        }
    }

    deinit { close(descriptor) }

    public func read(atMost count: Int) throws -> ArraySlice<UInt8> {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            var result = Glibc.read(descriptor, room.baseAddress, count)
            while result < 0, errno == EINTR { result = Glibc.read(descriptor, room.baseAddress, count) }
            if result < 0 { code = errno }
            filled = max(0, result)
        }
        guard code == 0 else { throw SocketError(.file, code, subject: path) }
        return bytes[...]
    }
}
