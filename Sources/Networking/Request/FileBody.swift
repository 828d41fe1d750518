import Glibc

/// A file as a body, read as it is sent: opened anew by each reader, and by none before it is asked for.
///
/// Its size is what is announced, so a file that has another one by the time that it is read is an error, not a body cut short.
public struct FileBody: BodySource {
    /// As it was given; a relative one begins at the process's folder.
    public let path: String
    private let size: Int64

    public var length: Int64? { size }

    /// Why a file cannot be sent.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// As it was given.
        public let path: String
        /// What the system calls it, or what else is wrong.
        public let description: String
    }

    /// Looks at the file and reads nothing.
    ///
    /// - Throws: `Failure` where there is no regular file that can be read.
    public init(path: String) throws(Failure) {
        self.path = path
        let descriptor = try FileDescriptor(path)
        size = try descriptor.size()
    }

    public func open() throws -> any BodyReader {
        let descriptor = try FileDescriptor(path)
        guard try descriptor.size() == size else {
            throw Failure(path: path, description: "it has another size than when it was announced")
        }
        return FileReader(descriptor, size: size)
    }
}

/// An open file, closed with its owner.
private final class FileDescriptor {
    private let descriptor: Int32
    private let path: String

    init(_ path: String) throws(FileBody.Failure) {
        self.path = path
        // To C the name would end there.
        guard !path.utf8.contains(0) else {
            throw FileBody.Failure(path: path, description: "its name has a NUL")
        }
        // A file without a writer (a pipe) would hold the opening up; it is refused for its kind.
        descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileDescriptor.failure(path) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func size() throws(FileBody.Failure) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileDescriptor.failure(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileBody.Failure(path: path, description: "it is no regular file")
        }
        return Int64(status.st_size)
    }

    /// As many bytes as there are at once, `count` at most.
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

    func changed() -> FileBody.Failure {
        FileBody.Failure(path: path, description: "it became shorter while it was read")
    }

    private static func failure(_ path: String) -> FileBody.Failure {
        FileBody.Failure(path: path, description: String(cString: strerror(errno)))
    }
}

/// Reads as many bytes as were announced, and no more.
private final class FileReader: BodyReader {
    private let descriptor: FileDescriptor
    private var left: Int64

    init(_ descriptor: FileDescriptor, size: Int64) {
        self.descriptor = descriptor
        left = size
    }

    func read(atMost count: Int) throws -> ArraySlice<UInt8> {
        guard left > 0 else { return [] }
        let bytes = try descriptor.read(atMost: Int(min(Int64(count), left)))
        guard !bytes.isEmpty else { throw descriptor.changed() }
        left -= Int64(bytes.count)
        return bytes
    }
}
