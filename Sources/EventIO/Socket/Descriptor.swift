import Glibc

/// System calls on descriptors. All sockets are non-blocking and close on exec.
enum Descriptor {
    static func socket(_ family: Int32, mayUseReserve: Bool = false) throws(SocketError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = leavingSpare(Glibc.socket(family, type, 0), mayUseReserve: mayUseReserve)
        guard descriptor >= 0 else { throw SocketError(.socket, errno) }
        return descriptor
    }

    /// Descriptors that connections and files leave for libraries. Dispatch aborts the process when it cannot
    /// open `/proc/<thread>/stat`, as it does once a second under load (`_dispatch_workq_monitor_pools`). A
    /// body uploaded from a file may still take one.
    static let spare: Int32 = 8

    /// Returns the descriptor. If it is one of the last `spare` ones, closes it and returns -1 with `EMFILE`
    /// in `errno`. A limit below 64 keeps an eighth spare.
    static func leavingSpare(_ descriptor: Int32, mayUseReserve: Bool = false) -> Int32 {
        guard descriptor >= 0, isSpare(descriptor, mayUseReserve: mayUseReserve) else { return descriptor }
        Glibc.close(descriptor)
        errno = EMFILE
        return -1
    }

    /// The kernel assigns the lowest free number, so a high one means that few are left.
    ///
    /// - Parameter mayUseReserve: whether the descriptors of `DescriptorReserve` may be used.
    static func isSpare(_ descriptor: Int32, mayUseReserve: Bool = false) -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
        let count = Int32(clamping: limit.rlim_cur)
        let reserve = mayUseReserve ? 0 : min(DescriptorReserve.held, count / 8)
        return descriptor >= count - min(spare, count / 8) - reserve
    }

    static func set(_ option: Int32, level: Int32, of descriptor: Int32, to value: Int32 = 1)
        throws(SocketError)
    {
        var value = value
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard setsockopt(descriptor, level, option, &value, size) == 0 else {
            throw SocketError(.option, errno)
        }
    }

    /// Starts connecting, with Nagle's algorithm off. Returns whether it has connected already.
    static func connect(_ descriptor: Int32, to address: SocketAddress) throws(SocketError) -> Bool {
        if !address.isUnix { try set(TCP_NODELAY, level: Int32(IPPROTO_TCP), of: descriptor) }
        let result = address.withUnsafeSockaddr { Glibc.connect(descriptor, $0, $1) }
        guard result != 0 else { return true }
        guard errno == EINPROGRESS else { throw SocketError(.connect, errno) }
        return false
    }

    /// Writes all bytes to a file. Returns 0 or `errno`.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0 {
                guard errno == EINTR else { return errno }
            } else {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
        return 0
    }

    /// Whether the path names a Unix-domain socket, and not a file of another kind or a link.
    static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// Takes the pending error of the socket; 0 without one.
    static func takeError(of descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
    }

    static func localAddress(of descriptor: Int32) -> SocketAddress? {
        address { getsockname(descriptor, $0, $1) }
    }

    static func remoteAddress(of descriptor: Int32) -> SocketAddress? {
        address { getpeername(descriptor, $0, $1) }
    }

    private static func address(
        _ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                ask($0, &length) == 0 ? SocketAddress($0, length: length) : nil
            }
        }
    }
}
