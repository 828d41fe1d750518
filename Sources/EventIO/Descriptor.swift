import Glibc

/// The system calls on sockets that several files need, with their errors. All sockets are non-blocking and
/// closed on exec.
enum Descriptor {
    static func socket(_ family: Int32) throws(SocketError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(family, type, 0)
        guard descriptor >= 0 else { throw SocketError(.socket, errno) }
        return descriptor
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

    /// Begins to connect a socket of that family, without Nagle's delay. Whether it is connected already.
    static func connect(_ descriptor: Int32, to address: SocketAddress) throws(SocketError) -> Bool {
        if !address.isUnix { try set(TCP_NODELAY, level: Int32(IPPROTO_TCP), of: descriptor) }
        let result = address.withUnsafeSockaddr { Glibc.connect(descriptor, $0, $1) }
        guard result != 0 else { return true }
        guard errno == EINPROGRESS else { throw SocketError(.connect, errno) }
        return false
    }

    /// Takes the error that waits on the socket; 0 when there is none.
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
