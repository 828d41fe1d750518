import Glibc

/// A file as a body, read while it is sent. Each reader opens the file anew, and only when it is needed.
///
/// The file's size is announced in advance. If the file changes, the call fails instead of sending a truncated body, or a mixture of two
/// versions.
public struct FileBody: BodySource {
    /// The path as given. A relative path starts at the process's working directory.
    public let path: String
    private let size: Int64

    public var length: Int64? { size }

    /// Why a file cannot be sent.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The path as given.
        public let path: String
        /// The system's error text, or another description of the problem.
        public let description: String
    }

    /// Checks the file without reading it.
    ///
    /// - Throws: `Failure` unless the path is a readable regular file.
    public init(path: String) throws(Failure) {
        self.path = path
        let descriptor = try FileDescriptor(path)
        size = try descriptor.size()
    }

    public func open() throws -> any BodyReader {
        let descriptor = try FileDescriptor(path)
        guard try descriptor.size() == size else {
            throw Failure(path: path, description: "its size has changed since it was announced")
        }
        return try FileReader(descriptor, size: size)
    }
}

/// An open file that is closed on deinit.
private final class FileDescriptor {
    private let descriptor: Int32
    private let path: String

    init(_ path: String) throws(FileBody.Failure) {
        self.path = path
        // C would end the path there.
        guard !path.utf8.contains(0) else {
            throw FileBody.Failure(path: path, description: "its name contains NUL")
        }
        // O_NONBLOCK, because opening a pipe without a writer would block. size() rejects the pipe.
        descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileDescriptor.failure(path) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func size() throws(FileBody.Failure) -> Int64 {
        let status = try status()
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileBody.Failure(path: path, description: "it is not a regular file")
        }
        return Int64(status.st_size)
    }

    /// Returns when the file was last written to: seconds since 1970, and nanoseconds.
    func modified() throws(FileBody.Failure) -> (seconds: Int, nanoseconds: Int) {
        let time = try status().st_mtim
        return (time.tv_sec, time.tv_nsec)
    }

    private func status() throws(FileBody.Failure) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileDescriptor.failure(path) }
        return status
    }

    func read(atMost count: Int) throws(FileBody.Failure) -> ArraySlice<UInt8> {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, used in
            var got = Glibc.read(descriptor, room.baseAddress, count)
            while got < 0, errno == EINTR { got = Glibc.read(descriptor, room.baseAddress, count) }
            failed = got < 0
            used = max(got, 0)
        }
        if failed { throw FileDescriptor.failure(path) }
        return bytes[...]
    }

    func shortened() -> FileBody.Failure {
        FileBody.Failure(path: path, description: "it became shorter while it was read")
    }

    func changed() -> FileBody.Failure {
        FileBody.Failure(path: path, description: "it was written to while it was read")
    }

    private static func failure(_ path: String) -> FileBody.Failure {
        FileBody.Failure(path: path, description: String(cString: strerror(errno)))
    }
}

/// Reads exactly the announced number of bytes.
private final class FileReader: BodyReader {
    private let descriptor: FileDescriptor
    private let modified: (seconds: Int, nanoseconds: Int)
    private var left: Int64

    init(_ descriptor: FileDescriptor, size: Int64) throws(FileBody.Failure) {
        self.descriptor = descriptor
        modified = try descriptor.modified()
        left = size
    }

    func read(atMost count: Int) throws -> ArraySlice<UInt8> {
        guard left > 0 else { return [] }
        let bytes = try descriptor.read(atMost: Int(min(Int64(count), left)))
        guard !bytes.isEmpty else { throw descriptor.shortened() }
        guard try descriptor.modified() == modified else { throw descriptor.changed() }
        left -= Int64(bytes.count)
        return bytes
    }
}
