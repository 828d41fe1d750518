import Glibc

/// Bytes on disk for a slow reader. The file has no name, so it vanishes with its last user, even after a
/// crash.
public final class SpoolFile: Sendable {
    /// Writer threads, shared by all loops, because writing blocks.
    static let writerThreads = 2
    /// Files that may wait for a thread.
    static let waitingFiles = 1024

    private static let writers = HelperThreads(
        name: "spool", limit: writerThreads, waitingLimit: waitingFiles)

    private let descriptor: Int32
    let byteCount: Int
    /// Given up once the file is closed.
    private let place: FileDescriptors.Place?

    private init(descriptor: Int32, byteCount: Int, _ place: FileDescriptors.Place?) {
        self.descriptor = descriptor
        self.byteCount = byteCount
        self.place = place
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Writes `slices` to a file in `directory` on a helper thread, and calls `completion` there. If too many
    /// files are waiting, calls `completion` at once with `EAGAIN`.
    static func write(
        _ slices: [ArraySlice<UInt8>], in directory: String, keeping place: FileDescriptors.Place? = nil,
        then completion: @escaping @Sendable (Result<SpoolFile, SocketError>) -> Void
    ) {
        let isTaken = writers.submit {
            completion(Result { () throws(SocketError) in try SpoolFile(slices, in: directory, place) })
        }
        if !isTaken { completion(.failure(SocketError(.spool, EAGAIN, subject: directory))) }
    }

    /// - Throws: the reason why files cannot be created in `directory`.
    public static func check(_ directory: String) throws(SocketError) {
        Glibc.close(try open(in: directory))
    }

    private convenience init(
        _ slices: [ArraySlice<UInt8>], in directory: String, _ place: FileDescriptors.Place?
    ) throws(SocketError) {
        // Owned from here on, so a failure below closes the file.
        self.init(
            descriptor: try Self.open(in: directory), byteCount: slices.reduce(0) { $0 + $1.count }, place)
        for slice in slices {
            let code = slice.withUnsafeBytes { Descriptor.write($0, to: descriptor) }
            guard code == 0 else { throw SocketError(.spool, code, subject: directory) }
        }
    }

    private static func open(in directory: String) throws(SocketError) -> Int32 {
        try SocketError.checkPath(directory, for: .spool)
        // O_TMPFILE (a file without a name), which Swift does not import, includes O_DIRECTORY.
        let flags = O_RDWR | O_CLOEXEC | O_DIRECTORY | 0o20_000_000
        let descriptor = Descriptor.leavingSpare(Glibc.open(directory, flags, 0o600))
        if descriptor >= 0 { return descriptor }
        let code = errno
        guard code == EOPNOTSUPP || code == EISDIR else {
            throw SocketError(.spool, code, subject: directory)
        }
        return try openUnlinked(in: directory)
    }

    /// For file systems without O_TMPFILE.
    private static func openUnlinked(in directory: String) throws(SocketError) -> Int32 {
        var path = Array("\(directory)/sluice-XXXXXX".utf8CString)
        let file = mkstemp(&path)
        guard file >= 0 else { throw SocketError(.spool, errno, subject: directory) }
        unlink(path)
        let descriptor = Descriptor.leavingSpare(file)
        guard descriptor >= 0 else { throw SocketError(.spool, errno, subject: directory) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    /// Reads at `offset`. Returns a count, 0 past the end, or -1 with `errno`.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, offset)
            if count >= 0 || errno != EINTR { return count }
        }
    }
}
