import Glibc

/// The right to take over a port from a running process. One process per network namespace can hold it.
///
/// It is a name in Linux's abstract Unix socket namespace (unix(7)), which needs no file and vanishes with
/// its process.
public final class TakeoverClaim: Sendable {
    private let descriptor: Int32

    /// - Throws: an error with `isAddressInUse` when another process holds the claim.
    public init(of address: SocketAddress) throws(SocketError) {
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw SocketError(.socket, errno) }
        let name = "sluice takes over \(address)"
        var storage = sockaddr_un()
        storage.sun_family = sa_family_t(AF_UNIX)
        // An abstract name begins with NUL and is not terminated.
        withUnsafeMutableBytes(of: &storage.sun_path) { path in
            UnsafeMutableRawBufferPointer(rebasing: path[1...]).copyBytes(
                from: name.utf8.prefix(path.count - 1))
        }
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        let length = min(MemoryLayout<sockaddr_un>.size, offset + 1 + name.utf8.count)
        let result = withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(length))
            }
        }
        if result != 0 { throw SocketError(.bind, errno, subject: name) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
