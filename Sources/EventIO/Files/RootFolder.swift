private import CLinux
import Glibc
import Locking

/// A folder whose files are opened by relative path. It follows no symbolic links, so nothing outside of it
/// can be opened. Stays the same folder if it is renamed.
public final class RootFolder: Sendable {
    package enum Walk: Sendable {
        /// One call of `openat2` with RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS and RESOLVE_NO_MAGICLINKS.
        case atOnce
        /// One folder at a time with O_NOFOLLOW, for kernels before 5.6 and old containers that block
        /// `openat2`.
        case stepwise
    }

    /// The path of the folder.
    public let path: String
    package let walk: Walk
    private let descriptor: Int32
    /// Whether the folder is on a local file system, where only the disk may make a call wait.
    private let isLocal: Bool

    /// Opens the folder. Blocks. Follows links on the way to the folder itself.
    ///
    /// - Throws: `SocketError` when the folder does not exist or may not be searched.
    public convenience init(path: String) throws(SocketError) {
        try self.init(path: path, walk: nil)
    }

    /// `walk` is nil for `atOnce` if the kernel supports it.
    package init(path: String, walk: Walk?) throws(SocketError) {
        try SocketError.checkPath(path)
        self.path = path
        descriptor = Glibc.open(path, linux_o_path | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SocketError(.file, errno, subject: path) }
        self.walk = walk ?? (Self.opensAtOnce(descriptor) ? .atOnce : .stepwise)
        isLocal = linux_is_local(descriptor) == 1
        guard faccessat(descriptor, ".", X_OK, AT_EACCESS) == 0 else {
            throw SocketError(.file, errno, subject: path)
        }
    }

    deinit { close(descriptor) }

    private static func opensAtOnce(_ folder: Int32) -> Bool {
        let probe = linux_open_beneath(folder, ".", linux_o_path | O_DIRECTORY | O_CLOEXEC)
        guard probe >= 0 else { return false }
        close(probe)
        return true
    }

    /// Opens a regular file. Blocks, but not for the other end of a pipe.
    ///
    /// - Parameter name: the relative path: names separated by single slashes, none of them empty, `.` or
    ///   `..`.
    /// - Throws: `SocketError`, with `isMissing` when the path has no regular file or it may not be read.
    public func open(_ name: String) throws(SocketError) -> OpenFile {
        guard Self.isRelative(name) else { throw SocketError(.file, ENOENT, subject: path) }
        let file =
            switch walk {
            case .atOnce: try openAtOnce(name)
            case .stepwise:
                try openStepwise(name.utf8.split(separator: UInt8(ascii: "/")).map { String($0) ?? "" })
            }
        return try OpenFile(file, name, isLocal: false)
    }

    /// Opens a regular file as `open` does, if that waits for nothing: the kernel has its path in memory.
    /// Does not block, so a loop may call it.
    ///
    /// - Throws: `SocketError`, with `ENOENT` when the path has nothing. Any other error leaves the answer to
    ///   `open`: the disk would have to be asked, the file system is not local, or something else is there.
    public func openCached(_ name: String) throws(SocketError) -> OpenFile {
        guard isLocal, walk == .atOnce, Self.isRelative(name) else {
            throw SocketError(.file, EAGAIN, subject: path)
        }
        let file = Descriptor.leavingSpare(linux_open_cached(descriptor, name, Self.flags))
        guard file >= 0 else { throw SocketError(.file, errno, subject: name) }
        return try OpenFile(file, name, isLocal: true)
    }

    /// Whether a path has names separated by single slashes, none of them empty, `.` or `..`.
    private static func isRelative(_ path: String) -> Bool {
        var (length, dots) = (0, 0)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "/"):
                guard length > 2 || length > dots else { return false }
                (length, dots) = (0, 0)
                continue
            case 0: return false
            case UInt8(ascii: "."): dots += 1
            default: break
            }
            length += 1
        }
        return length > 2 || length > dots
    }

    // In case it is not a regular file: do not wait for a pipe's other end or acquire a controlling terminal.
    private static let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY

    private func openAtOnce(_ name: String) throws(SocketError) -> Int32 {
        var code: Int32 = 0
        // EAGAIN: something was renamed meanwhile (openat2(2)).
        for _ in 0..<8 {
            let file = Descriptor.leavingSpare(linux_open_beneath(descriptor, name, Self.flags))
            if file >= 0 { return file }
            code = errno
            guard code == EAGAIN || code == EINTR else { break }
        }
        throw SocketError(.file, code, subject: name)
    }

    private func openStepwise(_ names: [String]) throws(SocketError) -> Int32 {
        var folder = descriptor
        defer { if folder != descriptor { close(folder) } }
        for name in names.dropLast() {
            let next = openat(folder, name, linux_o_path | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { throw SocketError(.file, errno, subject: name) }
            if folder != descriptor { close(folder) }
            folder = next
        }
        let name = names.last ?? ""
        let file = Descriptor.leavingSpare(openat(folder, name, Self.flags | O_NOFOLLOW))
        guard file >= 0 else { throw SocketError(.file, errno, subject: name) }
        return file
    }
}

/// A regular file that is open for reading.
public final class OpenFile: Sendable {
    /// The size when the file was opened.
    public let byteCount: Int64
    /// When the content last changed: seconds since 1970, and nanoseconds.
    public let modified: (seconds: Int64, nanoseconds: Int64)
    private let opened: FileStamp
    private let descriptor: Int32
    private let name: String
    private let place = Lock<FileDescriptors.Place?>(nil)
    /// Whether it is known to be on a local file system, so that closing waits for nothing.
    private let isLocal: Bool

    fileprivate init(_ descriptor: Int32, _ name: String, isLocal: Bool) throws(SocketError) {
        self.descriptor = descriptor
        self.name = name
        self.isLocal = isLocal
        var status = stat()
        let code = fstat(descriptor, &status) == 0 ? 0 : errno
        byteCount = Int64(status.st_size)
        opened = FileStamp(status)
        modified = (Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec))
        guard code == 0 else { throw SocketError(.file, code, subject: name) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SocketError(
                .file, status.st_mode & S_IFMT == S_IFDIR ? EISDIR : ENXIO, subject: name)
        }
    }

    /// Closing may block on a network file system, so a loop leaves it to a helper thread.
    deinit {
        let (descriptor, place) = (descriptor, place.withLock { $0 })
        let closing: @Sendable () -> Void = {
            withExtendedLifetime(place) { _ = close(descriptor) }
        }
        if !isLocal, CurrentLoop.get() != nil, FileThreads.submit(closing) { return }
        closing()
    }

    /// Keeps the place of its descriptor until the file is closed.
    public func keep(_ place: FileDescriptors.Place) {
        self.place.withLock { $0 = place }
    }

    /// Reads up to `count` bytes at `offset`. Returns none at the end of the file. Blocks.
    public func read(at offset: Int64, atMost count: Int) throws(SocketError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            var result = pread(descriptor, room.baseAddress, count, off_t(offset))
            while result < 0, errno == EINTR {
                result = pread(descriptor, room.baseAddress, count, off_t(offset))
            }
            if result < 0 { code = errno }
            filled = max(0, result)
        }
        guard code == 0 else { throw SocketError(.file, code, subject: name) }
        return bytes
    }

    /// Reads bytes that the kernel has in memory; nil if one of them is not there. The file is from
    /// `openCached`. Does not block, so a loop may call it, followed by `checkUnchanged`.
    public func readCached(_ range: Range<Int64>) -> [UInt8]? {
        guard isLocal else { return nil }
        let count = range.count
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            let result = linux_read_cached(descriptor, room.baseAddress, count, range.lowerBound)
            filled = max(0, result)
        }
        return bytes.count == count ? bytes : nil
    }

    /// Checks that the file has not been written to since it was opened. After a read, it vouches for the
    /// bytes, because the kernel changes the times of a file before its bytes. Blocks, unless the file is
    /// from `openCached`.
    ///
    /// - Throws: `SocketError` of the kind `.fileShortened` or `.fileChanged`.
    public func checkUnchanged() throws(SocketError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SocketError(.file, errno, subject: name) }
        guard Int64(status.st_size) >= byteCount else {
            throw SocketError(.fileShortened, .file, subject: name)
        }
        guard FileStamp(status).isOfSameContent(as: opened) else {
            throw SocketError(.fileChanged, .file, subject: name)
        }
    }

    /// Returns a reader of these bytes for `ReadAhead`. It fails with `.fileShortened` or `.fileChanged` if
    /// the file is written to.
    public func reader(of range: Range<Int64>) -> any BlockingReader { RangeReader(self, range) }

    private final class RangeReader: BlockingReader {
        private let file: OpenFile
        private var rest: Range<Int64>

        init(_ file: OpenFile, _ range: Range<Int64>) {
            self.file = file
            rest = range
        }

        func read(atMost count: Int) throws -> ArraySlice<UInt8> {
            guard !rest.isEmpty else { return [] }
            let bytes = try file.read(at: rest.lowerBound, atMost: Int(min(Int64(count), Int64(rest.count))))
            guard !bytes.isEmpty else { throw SocketError(.fileShortened, .file, subject: file.name) }
            try file.checkUnchanged()
            rest = (rest.lowerBound + Int64(bytes.count))..<rest.upperBound
            return bytes[...]
        }
    }
}

/// What `fstat` tells about the content of a file.
private struct FileStamp: Sendable {
    private let byteCount: Int
    private let links: UInt
    private let modified: (seconds: Int, nanoseconds: Int)
    private let changed: (seconds: Int, nanoseconds: Int)

    init(_ status: stat) {
        byteCount = Int(status.st_size)
        links = UInt(status.st_nlink)
        modified = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        changed = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
    }

    /// The time of the last change reveals a writer that sets the time of modification back. It changes also
    /// when the file loses its name to a new version, which is the right way to replace a file and leaves the
    /// old bytes as they are.
    func isOfSameContent(as other: FileStamp) -> Bool {
        byteCount == other.byteCount && modified == other.modified
            && (changed == other.changed || links != other.links)
    }
}

extension SocketError {
    /// Whether nothing readable is at the path: no such name, no regular file, a link on the way, or no
    /// permission.
    public var isMissing: Bool {
        guard operation == .file else { return false }
        return [ENOENT, ENOTDIR, ELOOP, EXDEV, EACCES, EPERM, EISDIR, ENXIO, ENODEV, ENAMETOOLONG, EINVAL]
            .contains(code)
    }
}
