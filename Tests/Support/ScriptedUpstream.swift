import Foundation
import Glibc
import Locking

/// A raw socket on loopback that follows a script for each connection.
///
/// The n-th connection follows the n-th script, and later connections follow the last one. Tests can read the
/// received requests.
package final class ScriptedUpstream: Sendable {
    /// How it treats connections until `open` is called.
    package enum Door: Sendable {
        case open
        /// The port is bound without a listener: connecting is refused.
        case closed
        /// It listens with a full backlog: connecting gets no answer.
        case full
    }

    package enum Step: Sendable {
        /// Reads and keeps one request, including a body framed by Content-Length.
        case readRequest
        /// Reads and keeps the head of a request. Its body is left for further steps.
        case readHead
        /// Reads requests and sends the closure's response to each, until the client leaves.
        case answer(@Sendable (String) -> String)
        /// Reads and keeps this many bytes.
        case read(Int)
        case send(String)
        case sendBytes([UInt8])
        /// Sends the text repeatedly until the client leaves.
        case sendForever(String)
        /// Sends the text byte by byte with pauses, then repeats the last byte until the client leaves.
        case trickle(String, pauseMilliseconds: Int32)
        /// Closes both directions with FIN, over TLS after a close_notify.
        case close
        /// Closes the connection without close_notify, like an attacker who truncates the stream.
        case cut
        /// Starts TLS. Not needed if the upstream is secure from the start. The connection ends if the
        /// handshake fails.
        case secure
        /// Starts TLS with another server's certificate and options.
        case secureBy(TLSServer)
        /// Sends these bytes unencrypted.
        case plain([UInt8])
        /// Reads and checks these bytes.
        case readSame([UInt8])
        /// Reads until the client half-closes, and fires only if it sent close_notify.
        case awaitGoodbye(Signal)
        /// Updates its TLS 1.3 key this often, and requests the same of the client.
        case updateKeys(Int)
        /// Sends this many TLS 1.3 session tickets.
        case sendTickets(Int)
        /// Requests a renegotiation (TLS 1.2).
        case renegotiate
        /// Sends FIN and goes on reading.
        case finish
        /// Resets the connection.
        case reset
        case fire(Signal)
        case wait(Signal)
        /// Reads and discards until the client ends the connection.
        case awaitEnd
        /// Starts again with the first step.
        case again
    }

    /// A completed TLS handshake.
    package struct Handshake: Sendable, Equatable {
        package let serverName: String?
        package let isResumed: Bool
        package let version: String
        package let clientName: String?
    }

    private struct Record {
        var requests: [String] = []
        var accepted = 0
        var ended = 0
        var handshakes: [Handshake] = []
        var isOpen = false
        var isStopped = false
        /// Clients that fill the backlog.
        var fillers: [Int32] = []
        var connections: Set<Int32> = []
    }

    // Closed on exec, so that child processes of tests do not keep the sockets open.
    private static let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

    private let listener: Int32
    package let port: UInt16
    private let unixPath: String?
    /// The TLS server, if it speaks TLS.
    package let tls: TLSServer?
    private let isSecure: Bool
    private let scripts: [[Step]]
    private let record = Lock(Record())
    /// Fired for each complete request.
    package let requestRead = Signal()
    /// Fired for each connection that the client ended, whatever the step.
    package let clientEnded = Signal()
    package let accepted = Signal()

    package var requests: [String] { record.withLock { $0.requests } }
    package var connections: Int { record.withLock { $0.accepted } }
    package var handshakes: [Handshake] { record.withLock { $0.handshakes } }
    /// Fired for each failed handshake.
    package let handshakeFailed = Signal()

    package convenience init(_ scripts: [Step]...) throws {
        try self.init(.open, scripts)
    }

    /// - Parameter isSecure: whether it speaks TLS from the start; if false, a `secure` step starts it.
    package convenience init(tls: TLSServer?, isSecure: Bool = true, _ scripts: [Step]...) throws {
        try self.init(.open, scripts, tls: tls, isSecure: isSecure)
    }

    /// - Parameters:
    ///   - host: the last number of its address, 127.0.0.`host`; 0 for the address ::1.
    ///   - port: 0 for a free one.
    package init(
        _ door: Door, _ scripts: [[Step]], tls: TLSServer? = nil, isSecure: Bool = true, host: UInt8 = 1,
        port: UInt16 = 0
    ) throws {
        self.scripts = scripts
        self.tls = tls
        self.isSecure = isSecure && tls != nil
        unixPath = nil
        switch door {
        case .open, .closed:
            (listener, self.port) = try Self.bind(host: host, port: port)
            if case .open = door { open() }
        case .full:
            let (port, descriptors) = try Self.blackHole()
            self.port = port
            listener = descriptors[0]
            record.withLock { $0.fillers = Array(descriptors[1...]) }
        }
    }

    /// Starts to serve connections by the scripts. Call it once, and only if it was not open from the start.
    package func open() {
        let fillers = record.withLock { record in
            defer { record.fillers = [] }
            record.isOpen = true
            return record.fillers
        }
        Self.close(fillers)
        if !fillers.isEmpty { turnAwayFillers() }
        Glibc.listen(listener, 512)
        Thread.detachNewThread { [self] in acceptAll() }
    }

    private func turnAwayFillers() {
        let flags = fcntl(listener, F_GETFL)
        _ = fcntl(listener, F_SETFL, flags | O_NONBLOCK)
        while case let filler = accept(listener, nil, nil), filler >= 0 { Glibc.close(filler) }
        _ = fcntl(listener, F_SETFL, flags)
    }

    /// An upstream at the path of a Unix domain socket, which `stop` removes.
    package init(unixPath path: String, _ scripts: [Step]...) throws {
        self.scripts = scripts
        tls = nil
        isSecure = false
        unixPath = path
        port = 0
        listener = try Self.listen(unixPath: path)
        open()
    }

    /// Opens a listening port with a full backlog, so that the next connect gets no answer. The caller closes
    /// the descriptors.
    package static func blackHole() throws -> (port: UInt16, descriptors: [Int32]) {
        let (listener, port) = try listen(backlog: 0)
        var descriptors = [listener]
        for _ in 0..<4 {
            let client = socket(AF_INET, type | Int32(SOCK_NONBLOCK.rawValue), 0)
            var address = loopback(port: port)
            _ = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            descriptors.append(client)
        }
        return (port, descriptors)
    }

    package static func close(_ descriptors: [Int32]) {
        for descriptor in descriptors { Glibc.close(descriptor) }
    }

    package func stop() {
        // The lock also guards each close, since a closed descriptor may already belong to another test.
        record.withLock { record in
            guard !record.isStopped else { return }
            record.isStopped = true
            shutdown(listener, Int32(SHUT_RDWR))
            // If it is open, the accepting thread closes it.
            if !record.isOpen { Self.close([listener] + record.fillers) }
            for descriptor in record.connections { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
        if let unixPath { unlink(unixPath) }
    }

    private static func loopback(host: UInt8 = 1, port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = (UInt32(0x7f00_0000) | UInt32(host)).bigEndian
        return address
    }

    private static func bind(host: UInt8 = 1, port: UInt16 = 0) throws -> (Int32, UInt16) {
        let descriptor = socket(host == 0 ? AF_INET6 : AF_INET, type, 0)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        if port != 0 {
            // Connections of an earlier upstream may still wait for their end.
            var one: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        }
        if host == 0 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            try bind(descriptor, to: &address)
            return (descriptor, UInt16(bigEndian: address.sin6_port))
        }
        var address = loopback(host: host, port: port)
        try bind(descriptor, to: &address)
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Stores the port that was chosen.
    private static func bind<Address>(_ descriptor: Int32, to address: inout Address) throws {
        var length = socklen_t(MemoryLayout<Address>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard Glibc.bind(descriptor, address, length) == 0 else { return Int32(-1) }
                return getsockname(descriptor, address, &length)
            }
        }
        guard status == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    private static func listen(backlog: Int32) throws -> (Int32, UInt16) {
        let (descriptor, port) = try bind()
        guard Glibc.listen(descriptor, backlog) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        return (descriptor, port)
    }

    private static func listen(unixPath path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, Glibc.listen(descriptor, 16) == 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
        return descriptor
    }

    private func acceptAll() {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else {
                if record.withLock({ $0.isStopped }) { break }
                continue
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            var one: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
            let (index, isStopped) = record.withLock { record in
                record.accepted += 1
                record.connections.insert(descriptor)
                return (record.accepted - 1, record.isStopped)
            }
            accepted.fire()
            if isStopped { shutdown(descriptor, Int32(SHUT_RDWR)) }
            Thread.detachNewThread { [self] in
                run(scripts[min(index, scripts.count - 1)], on: descriptor)
            }
        }
        Glibc.close(listener)
    }

    private func run(_ script: [Step], on descriptor: Int32) {
        var peer = ScriptedPeer(descriptor: descriptor)
        var index = 0
        let isReady = !isSecure || secure(&peer, by: tls)
        while isReady, index < script.count, perform(script[index], &peer, &index) { index += 1 }
        if peer.endsPolitely { peer.tls?.sayGoodbye() }
        if peer.hasEnded { clientEnded.fire() }
        record.withLock { record in
            record.connections.remove(descriptor)
            Glibc.close(descriptor)
        }
    }

    private func secure(_ peer: inout ScriptedPeer, by tls: TLSServer?) -> Bool {
        guard let tls else { return false }
        let connection = TLSServerConnection(tls, on: peer.descriptor)
        guard connection.handshake() else {
            peer.hasEnded = true
            handshakeFailed.fire()
            return false
        }
        peer.tls = connection
        record.withLock {
            $0.handshakes.append(
                Handshake(
                    serverName: connection.serverName, isResumed: connection.isResumed,
                    version: connection.version, clientName: connection.clientName))
        }
        return true
    }

    /// Runs the step; false if the connection has ended.
    private func perform(_ step: Step, _ peer: inout ScriptedPeer, _ index: inout Int) -> Bool {
        switch step {
        case .readRequest:
            guard let request = peer.readRequest() else { return false }
            record.withLock { $0.requests.append(request) }
            requestRead.fire()
        case .readHead:
            guard let head = peer.readHead() else { return false }
            record.withLock { $0.requests.append(head) }
            requestRead.fire()
        case .answer(let answer):
            while let request = peer.readRequest() {
                record.withLock { $0.requests.append(request) }
                requestRead.fire()
                guard peer.send(Array(answer(request).utf8)) else { return false }
            }
            return false
        case .read(let count):
            guard let bytes = peer.read(count) else { return false }
            record.withLock { $0.requests.append(String(decoding: bytes, as: UTF8.self)) }
        case .send(let text): return peer.send(Array(text.utf8))
        case .sendBytes(let bytes): return peer.send(bytes)
        case .sendForever(let text):
            let bytes = Array(text.utf8)
            while peer.send(bytes) {}
            return false
        case .trickle(let text, let pause):
            var bytes = Array(text.utf8)[...]
            while peer.isSilent(for: pause), let byte = bytes.first, peer.send([byte]) {
                if bytes.count > 1 { bytes.removeFirst() }
            }
            peer.hasEnded = true
            return false
        case .close:
            peer.endsPolitely = true
            return false
        case .cut: return false
        case .secure: return secure(&peer, by: tls)
        case .secureBy(let server): return secure(&peer, by: server)
        case .plain(let bytes):
            let tls = peer.tls.take()
            defer { peer.tls = tls }
            return peer.send(bytes)
        case .readSame(let bytes): return peer.read(bytes.count) == bytes
        case .awaitGoodbye(let signal):
            while peer.fill() {}
            if peer.tls?.heardGoodbye == true { signal.fire() }
        case .updateKeys(let times):
            for _ in 0..<times { guard peer.tls?.updateKeys() == true else { return false } }
        case .sendTickets(let count):
            for _ in 0..<count { guard peer.tls?.sendTicket() == true else { return false } }
        case .renegotiate: return peer.tls?.renegotiate() == true
        case .finish:
            peer.tls?.sayGoodbye()
            shutdown(peer.descriptor, Int32(SHUT_WR))
        case .reset:
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                peer.descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
            return false
        case .fire(let signal): signal.fire()
        case .wait(let signal):
            // Longer than the test waits, so that the test fails first and says why.
            return (try? signal.waitBlocking(within: Patience.limit * 2)) != nil
        case .awaitEnd:
            while peer.fill() {}
            return false
        case .again: index = -1
        }
        return true
    }
}
