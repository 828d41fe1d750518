import EventIO
import Glibc
import TestSupport

/// A plain blocking socket that plays the peer. Every call gives up in time.
final class RawSocket: Sendable {
    // Close on exec, so that tests in their own process do not hold other tests' sockets open.
    private static let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

    let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: Int(Patience.limit.components.seconds), tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    }

    /// Connects. When this returns the connection is in the listener's queue.
    convenience init(connectedTo address: SocketAddress) throws {
        self.init(Glibc.socket(AF_INET, RawSocket.type, 0))
        var ipv4 = RawSocket.ipv4(port: address.port ?? 0)
        let result = withUnsafePointer(to: &ipv4) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw SocketError(.connect, code)
        }
    }

    /// A bound socket without a listener. Its port cannot be taken while the socket is open.
    static func bound() -> (RawSocket, SocketAddress) {
        let descriptor = Glibc.socket(AF_INET, RawSocket.type, 0)
        return (RawSocket(descriptor), bind(descriptor))
    }

    /// Sends a SYN and does not wait for the result.
    static func beginConnecting(to address: SocketAddress) -> RawSocket {
        let descriptor = Glibc.socket(AF_INET, type | Int32(SOCK_NONBLOCK.rawValue), 0)
        var ipv4 = ipv4(port: address.port ?? 0)
        withUnsafePointer(to: &ipv4) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return RawSocket(descriptor)
    }

    /// Whether a socket of `beginConnecting` connects within 50 ms.
    var becomesConnected: Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&watched, 1, 50) == 1
    }

    /// A pair of connected Unix sockets. The first one is non-blocking, for the stream.
    static func pair() -> (stream: Int32, peer: RawSocket) {
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, RawSocket.type, 0, &ends)
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        return (ends[0], RawSocket(ends[1]))
    }

    /// A listening socket on loopback whose queue holds `backlog` + 1 connections.
    static func listening(backlog: Int32 = 16, reusePort: Bool = false) -> (RawSocket, SocketAddress) {
        let descriptor = Glibc.socket(AF_INET, RawSocket.type, 0)
        if reusePort {
            var one: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &one, 4)
        }
        let address = bind(descriptor)
        _ = Glibc.listen(descriptor, backlog)
        return (RawSocket(descriptor), address)
    }

    /// Binds to a free loopback port.
    private static func bind(_ descriptor: Int32) -> SocketAddress {
        var address = ipv4(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = Glibc.bind(descriptor, $0, size)
                _ = getsockname(descriptor, $0, &size)
            }
        }
        return .loopback(port: Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func ipv4(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    func makeNonBlocking() {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    /// Whether nothing has arrived.
    var isQuiet: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == -1 && errno == EAGAIN
    }

    /// Fixes the receive buffer's size, which the kernel otherwise grows for a fast reader.
    func fixReceiveBuffer(_ bytes: Int32) {
        var size = bytes
        let status = setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        precondition(status == 0, "no receive buffer of \(bytes)")
    }

    func accept() -> RawSocket {
        let accepted = Glibc.accept(descriptor, nil, nil)
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        return RawSocket(accepted)
    }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Int {
        Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Receives some bytes; none at the end.
    func receive(atMost limit: Int = 65_536) throws -> [UInt8] {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
            repeat {
                count = recv(descriptor, buffer.baseAddress, limit, 0)
            } while count < 0 && errno == EINTR
            initialized = max(0, count)
        }
        guard count >= 0 else { throw SocketError(.read, errno) }
        return bytes
    }

    func receiveAll() throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let some = try receive()
            if some.isEmpty { return all }
            all += some
        }
    }

    func receive(exactly count: Int) throws -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count {
            let some = try receive(atMost: count - all.count)
            if some.isEmpty { break }
            all += some
        }
        return all
    }

    func endWriting() {
        Glibc.shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Shuts down both directions, even if another process holds the socket, then closes.
    func shutDown() {
        Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
        close()
    }

    func close() {
        Glibc.close(descriptor)
    }

    /// Closes with RST.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close()
    }

    func option(_ name: Int32, level: Int32) -> Int32 {
        var value: Int32 = 0
        var size = socklen_t(4)
        getsockopt(descriptor, level, name, &value, &size)
        return value
    }
}
