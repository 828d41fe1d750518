import Glibc

/// A source that may block, such as a file. One helper thread uses it at a time, but not always the same thread.
public protocol BlockingReader: AnyObject {
    /// Reads up to `count` bytes. Returns none at the end.
    func read(atMost count: Int) throws -> ArraySlice<UInt8>
}

public final class FileReader: BlockingReader {
    private let descriptor: Int32
    private let path: String
    /// The size when the file was opened.
    public let byteCount: Int64

    /// Opens the file. Blocks.
    ///
    /// - Throws: `SocketError`, also for anything but a regular file, since reading might never end.
    public init(path: String) throws(SocketError) {
        try SocketError.checkPath(path)
        self.path = path
        // O_NONBLOCK, in case it is a pipe without a writer. It has no effect on files.
        descriptor = Descriptor.leavingSpare(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK))
        guard descriptor >= 0 else { throw SocketError(.file, errno, subject: path) }
        var status = stat()
        let code = fstat(descriptor, &status) == 0 ? 0 : errno
        byteCount = Int64(status.st_size)
        // All properties are set, so a failure below closes the file.
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
