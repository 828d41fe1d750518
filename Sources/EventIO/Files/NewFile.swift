import Glibc
import Locking

/// A file that is created for its owner alone (mode 0600), written from beginning to end, and removed unless
/// it is finished. Its functions block, so call them on a helper thread (`FileThreads`).
public final class NewFile: Sendable {
    /// The path of the file.
    public let path: String
    /// The descriptor; -1 once the file is finished or removed.
    private let descriptor: Lock<Int32>

    /// Creates the file.
    ///
    /// - Throws: `SocketError` when the path exists, even as a dangling link, or the file cannot be created.
    public init(path: String) throws(SocketError) {
        try SocketError.checkPath(path)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let created = Glibc.open(path, flags, 0o600)
        guard created >= 0 else { throw SocketError(.file, errno, subject: path) }
        guard !Descriptor.isSpare(created) else {
            Glibc.close(created)
            unlink(path)
            throw SocketError(.file, EMFILE, subject: path)
        }
        self.path = path
        descriptor = Lock(created)
    }

    /// Removes the file if it is not finished; on a helper thread if this is a loop.
    deinit {
        let (descriptor, path) = (descriptor.withLock { $0 }, path)
        guard descriptor >= 0 else { return }
        if CurrentLoop.get() != nil, FileThreads.submit({ Self.remove(descriptor, path) }) { return }
        Self.remove(descriptor, path)
    }

    /// Appends the bytes. Has no effect on a file that is finished or removed.
    public func append(_ bytes: ArraySlice<UInt8>) throws(SocketError) {
        // One thread at a time: the lock is held while the disk works, and nothing else waits for it.
        let code: Int32 = descriptor.withLock { descriptor in
            descriptor < 0 ? 0 : bytes.withUnsafeBytes { Descriptor.write($0, to: descriptor) }
        }
        guard code == 0 else { throw SocketError(.file, code, subject: path) }
    }

    /// Closes the file and keeps it. Some file systems report a full disk only here; the file is removed
    /// then.
    public func finish() throws(SocketError) {
        let open = take()
        guard open >= 0, Glibc.close(open) != 0, errno != EINTR else { return }
        let code = errno
        unlink(path)
        throw SocketError(.file, code, subject: path)
    }

    /// Closes the file and removes it, unless it is finished.
    public func remove() {
        let open = take()
        if open >= 0 { Self.remove(open, path) }
    }

    private func take() -> Int32 {
        descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
    }

    private static func remove(_ descriptor: Int32, _ path: String) {
        Glibc.close(descriptor)
        unlink(path)
    }
}
