import Locking

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file as a body, read while it is sent. Each reader opens the file itself, and only when it is needed.
///
/// The file's size is announced in advance. If the file changes, the call fails instead of sending a
/// truncated body, or a mixture of two versions.
///
/// A file of unknown size is sent chunked, to its end: one that the kernel makes while it is read (`/proc`,
/// `/sys`), or a named pipe. A pipe can be read once, so the call fails if it has to be repeated, and its
/// writer may be silent for at most 60 s.
public struct FileBody: BodySource {
    /// The path as given. A relative path starts at the process's working directory.
    public let path: String
    private let form: Form
    /// The longest that a pipe's writer may be silent.
    static let silence = Duration.seconds(60)
    private let silence: Duration

    private enum Form: Sendable {
        case sized(Int64)
        /// Made while it is read.
        case unsized
        case pipe(Once)
    }

    /// Number of bytes; nil for a pipe and for a file that the kernel makes while it is read.
    public var length: Int64? { if case .sized(let size) = form { size } else { nil } }

    /// Why a file cannot be sent.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The path as given.
        public let path: String
        /// The system's error text, or another description of the problem.
        public let description: String
    }

    /// Checks the file. Reads it only if it may have no size, and then at most 4 KiB.
    ///
    /// - Throws: `Failure` unless the path is a readable regular file or pipe. Links are followed.
    public init(path: String) throws(Failure) {
        try self.init(path: path, silence: Self.silence)
    }

    init(path: String, silence: Duration) throws(Failure) {
        self.path = path
        self.silence = silence
        // A pipe is not opened: closing it again would end its writer.
        if try FileDescriptor.isReadablePipe(path) {
            form = .pipe(Once())
        } else {
            let descriptor = try FileDescriptor(path)
            form = try descriptor.size().map { .sized($0) } ?? .unsized
        }
    }

    /// Opens the file. Throws `FileBody.Failure` if it cannot be read.
    public func open() throws -> any BodyReader {
        if case .pipe(let once) = form, !once.begin() {
            throw Failure(path: path, description: "a pipe can be read only once")
        }
        let descriptor = try FileDescriptor(path)
        guard case .sized(let size) = form else { return UnsizedReader(descriptor, silence: silence) }
        guard try descriptor.size() == size else {
            throw Failure(path: path, description: "its size has changed since it was announced")
        }
        return try FileReader(descriptor, size: size)
    }
}

extension FileBody: FileBasedBody {
    package var isPipe: Bool { if case .pipe = form { true } else { false } }
    /// Some files of the kernel, such as /proc/kmsg, have their next bytes only when something happens.
    package var isStored: Bool { if case .sized = form { true } else { false } }
}

/// Something that can be done once.
private final class Once: Sendable {
    private let hasBegun = Lock(false)

    /// Returns whether this is the first time.
    func begin() -> Bool {
        hasBegun.withLock { hasBegun in
            defer { hasBegun = true }
            return !hasBegun
        }
    }
}

/// An open file that is closed on deinit.
private final class FileDescriptor {
    private let descriptor: Int32
    private let path: String

    init(_ path: String) throws(FileBody.Failure) {
        self.path = path
        try Self.check(path)
        // O_NONBLOCK, because opening a pipe without a writer would block.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileDescriptor.failure(path) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    private static func check(_ path: String) throws(FileBody.Failure) {
        // C would end the path there.
        guard !path.utf8.contains(0) else {
            throw FileBody.Failure(path: path, description: "its name contains NUL")
        }
    }

    static func isReadablePipe(_ path: String) throws(FileBody.Failure) -> Bool {
        try check(path)
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure(path) }
        guard status.st_mode & S_IFMT == S_IFIFO else { return false }
        guard faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 else { throw failure(path) }
        return true
    }

    /// Returns the size of a file on a disk; nil for a file that the kernel makes while it is read.
    func size() throws(FileBody.Failure) -> Int64? {
        let status = try status()
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileBody.Failure(path: path, description: "it is neither a regular file nor a pipe")
        }
        let size = Int(status.st_size)
        // Such files occupy no blocks. Their size is 0 in /proc and 4096 in /sys, whatever they contain.
        // Small sparse files on a disk have the size that they announce.
        guard status.st_blocks == 0, size <= 4096 else { return Int64(size) }
        return try count(upTo: size + 1) == size ? Int64(size) : nil
    }

    /// Counts the bytes from the beginning, at most `limit`.
    private func count(upTo limit: Int) throws(FileBody.Failure) -> Int {
        var room = [UInt8](repeating: 0, count: limit)
        var count = 0
        while count < limit {
            let got = pread(descriptor, &room, limit - count, off_t(count))
            // A stream, such as /proc/kmsg.
            if got < 0, errno == EAGAIN || errno == ESPIPE { return limit }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw FileDescriptor.failure(path) }
            if got == 0 { break }
            count += got
        }
        return count
    }

    /// Returns when the file was last written to: seconds since 1970, and nanoseconds.
    func modified() throws(FileBody.Failure) -> (seconds: Int, nanoseconds: Int) {
        #if canImport(Glibc)
            let time = try status().st_mtim
        #else
            let time = try status().st_mtimespec
        #endif
        return (time.tv_sec, time.tv_nsec)
    }

    private func status() throws(FileBody.Failure) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileDescriptor.failure(path) }
        return status
    }

    /// Waits until a pipe has bytes or its writers have closed it. Before its first writer it waits as well,
    /// where read(2) would report the end (pipe(7)).
    func waitForBytes(atMost limit: Duration) throws(FileBody.Failure) {
        let milliseconds = Int32(clamping: Int64(limit / .milliseconds(1)))
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let ready = poll(&entry, 1, milliseconds)
            if ready > 0 { return }
            guard ready < 0 else {
                throw FileBody.Failure(
                    path: path, description: "nothing was written to it for \(milliseconds) ms")
            }
            guard errno == EINTR else { throw FileDescriptor.failure(path) }
        }
    }

    /// Returns nil if the next bytes have not arrived.
    func readIfReady(atMost count: Int) throws(FileBody.Failure) -> ArraySlice<UInt8>? {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, used in
            var got = read(descriptor, room.baseAddress, count)
            while got < 0, errno == EINTR { got = read(descriptor, room.baseAddress, count) }
            if got < 0 { code = errno }
            used = max(got, 0)
        }
        if code == EAGAIN { return nil }
        errno = code
        if code != 0 { throw FileDescriptor.failure(path) }
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
        let wanted = Int(min(Int64(count), left))
        guard let bytes = try descriptor.readIfReady(atMost: wanted), !bytes.isEmpty else {
            throw descriptor.shortened()
        }
        guard try descriptor.modified() == modified else { throw descriptor.changed() }
        left -= Int64(bytes.count)
        return bytes
    }
}

/// Reads to the end.
private final class UnsizedReader: BodyReader {
    private let descriptor: FileDescriptor
    private let silence: Duration

    init(_ descriptor: FileDescriptor, silence: Duration) {
        self.descriptor = descriptor
        self.silence = silence
    }

    func read(atMost count: Int) throws -> ArraySlice<UInt8> {
        while true {
            try descriptor.waitForBytes(atMost: silence)
            if let bytes = try descriptor.readIfReady(atMost: count) { return bytes }
        }
    }
}
