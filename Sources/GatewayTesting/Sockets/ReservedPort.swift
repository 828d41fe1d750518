import EventIO
import Glibc

/// A loopback port that is bound but not listened on, so that it refuses connections and no other process
/// takes it. A `Listener` may listen there meanwhile.
final class ReservedPort: Sendable {
    let address: SocketAddress
    private let descriptor: Int32

    init() throws(SocketError) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SocketError(.socket, errno) }
        var isShared: Int32 = 1
        let length = socklen_t(MemoryLayout<Int32>.size)
        guard setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, length) == 0,
            let port = Self.bind(descriptor)
        else {
            let code = errno
            close(descriptor)
            throw SocketError(.bind, code)
        }
        self.descriptor = descriptor
        address = .loopback(port: port)
    }

    deinit { close(descriptor) }

    /// Returns the port; nil if the system refuses.
    private static func bind(_ descriptor: Int32) -> Int? {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                Glibc.bind(descriptor, name, length) == 0 && getsockname(descriptor, name, &length) == 0
            }
        }
        return isBound ? Int(UInt16(bigEndian: name.sin_port)) : nil
    }
}
