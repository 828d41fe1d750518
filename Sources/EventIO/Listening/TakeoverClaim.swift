import Glibc

/// The claim to take over a port from a process that leaves it: of all in a network namespace one has it at a time,
/// until it lets go of it or ends.
///
/// It is a name of Linux's abstract Unix sockets (unix(7)), which leaves no file behind and goes with its process.
public final class TakeoverClaim: Sendable {
    private let descriptor: Int32

    /// - Throws: an error that `isAddressInUse` where another process has the claim.
    public init(of address: SocketAddress) throws(SocketError) {
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw SocketError(.socket, errno) }
        let name = "sluice takes over \(address)"
        var storage = sockaddr_un()
        storage.sun_family = sa_family_t(AF_UNIX)
        // A name that begins with NUL is abstract; it has no NUL at its end.
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
