import Glibc

/// A listening socket for a peer to inherit. Its port is known before the peer runs, and early clients wait
/// in its backlog.
struct PeerSocket {
    let descriptor: Int32
    /// 0 for a Unix domain socket.
    let port: UInt16

    /// Listens on a free port of 127.0.0.1.
    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(descriptor, address, length) == 0, listen(descriptor, 511) == 0 else {
                    return Int32(-1)
                }
                return getsockname(descriptor, address, &length)
            }
        }
        (self.descriptor, port) = (descriptor, UInt16(bigEndian: address.sin_port))
        guard status == 0 else { throw PeerFailure(description: "listen: errno \(errno)") }
    }

    init(unixPath path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        (self.descriptor, port) = (descriptor, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, listen(descriptor, 511) == 0 else {
            throw PeerFailure(description: "listen: errno \(errno)")
        }
    }

    func close() { Glibc.close(descriptor) }

    /// Returns a port of 127.0.0.1 that is free now, for a peer that cannot inherit a socket.
    static func freePort() throws -> UInt16 {
        let socket = try PeerSocket()
        defer { socket.close() }
        return socket.port
    }

    /// Whether a peer that could not inherit a socket accepts connections.
    ///
    /// - Parameter host: its IPv4 address, as a number.
    static func listens(on host: UInt32 = 0x7f00_0001, at port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { Glibc.close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
