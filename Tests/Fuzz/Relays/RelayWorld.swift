import GatewayCore
import GatewayHTTP
import Glibc
import Networking

/// A gateway that serves on its own thread, with a raw upstream and raw clients on this thread.
final class RelayWorld {
    private final class Peer {
        let descriptor: Int32
        var bytes: [UInt8] = []
        var hasContinued = false
        var isAnswered = false

        init(_ descriptor: Int32) { self.descriptor = descriptor }
    }

    /// How one client and the upstream behave.
    struct Script {
        var request: [UInt8]
        var response: [UInt8]
        /// Whether the client sends nothing more, and says so. The gateway takes that for leaving.
        var clientLeaves: Bool
        /// Whether the upstream answers as soon as it has the head.
        var isEarly: Bool
        /// Whether the upstream ends the connection after its response.
        var upstreamCloses: Bool
        /// How many bytes of the response are sent first.
        var split: Int
    }

    private let server: GatewayServer
    private let listener: Int32
    private var upstreams: [Peer] = []
    /// What arrives at the upstream, with its body or, if it answers early, without.
    var arrived: (PlainMessage) -> Void = { _ in }

    init() {
        var address = Self.loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound, listen(listener, 64) == 0 else { fatalError("no port") }
        let port = UInt16(bigEndian: address.sin_port)
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        configuration.accessLog = false
        configuration.logLevel = .error
        configuration.hosts = .any
        configuration.outbound.continueTimeout = .seconds(60)
        configuration.upstreamPolicy.breaker = nil
        // A response passes as it is.
        configuration.compression = nil
        var policy = CallPolicy()
        policy.retry = .never
        guard
            let server = try? GatewayServer.start(
                configuration,
                declare: { gateway in
                    let peer = gateway.proxyUpstream(
                        "peer", baseURL: "http://127.0.0.1:\(port)", policy: policy)
                    gateway.proxy("/p/{path...}", to: peer, at: "/base")
                })
        else { fatalError("no gateway") }
        self.server = server
    }

    /// Plays a script and returns what the client received until its answer was complete or its connection
    /// ended, and whether it ended.
    func play(_ script: Script, isComplete: ([UInt8]) -> Bool) -> (bytes: [UInt8], hasEnded: Bool) {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        var address = Self.loopback(UInt16(server.port))
        // Without it, the connections that have ended would use up all ports.
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        let isConnected = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                // The fuzzer's timer interrupts calls; the kernel goes on connecting.
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 || errno == EINTR
            }
        }
        guard isConnected else { fatalError("connect: \(errno)") }
        Self.send(script.request, to: client)
        if script.clientLeaves { shutdown(client, Int32(SHUT_WR)) }
        var received: [UInt8] = []
        while true {
            var polls = ([listener, client] + upstreams.map(\.descriptor)).map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            let count = poll(&polls, nfds_t(polls.count), 4000)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                fatalError("nothing happens; the client got \(PlainMessage.text(received))")
            }
            for (peer, poll) in zip(upstreams, polls.dropFirst(2)) where poll.revents != 0 {
                serve(peer, script)
            }
            if polls[0].revents != 0 {
                upstreams.append(Peer(accept(listener, nil, nil)))
            }
            if polls[1].revents != 0 {
                guard let bytes = Self.receive(client) else { return (received, true) }
                received += bytes
                if isComplete(received) { return (received, false) }
            }
        }
    }

    private func serve(_ peer: Peer, _ script: Script) {
        guard let bytes = Self.receive(peer.descriptor) else {
            close(peer.descriptor)
            upstreams.removeAll { $0 === peer }
            return
        }
        peer.bytes += bytes
        while !peer.isAnswered, !peer.bytes.isEmpty, let length = take(peer, script) {
            peer.bytes.removeFirst(length)
            peer.hasContinued = false
            answer(peer, script)
        }
    }

    /// Returns the length of a request that is to be answered now.
    private func take(_ peer: Peer, _ script: Script) -> Int? {
        let reading = PlainMessage.request(peer.bytes)
        if case .odd = reading { RelayRules.fail("the upstream got \(PlainMessage.text(peer.bytes))") }
        if case .message(let message, let length) = reading, !script.isEarly {
            arrived(message)
            return length
        }
        guard let end = peer.bytes.indices.first(where: { peer.bytes[...$0].suffix(4) == [13, 10, 13, 10] })
        else { return nil }
        let head = Array(peer.bytes[...end])
        if script.isEarly {
            peer.isAnswered = true
            if case .message(var message, _) = reading {
                message.body = []
                arrived(message)
            }
            return end + 1
        }
        if !peer.hasContinued, PlainMessage.text(head).lowercased().contains("\r\nexpect: 100-continue\r\n") {
            peer.hasContinued = true
            Self.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: peer.descriptor)
        }
        return nil
    }

    private func answer(_ peer: Peer, _ script: Script) {
        Self.send(Array(script.response.prefix(script.split)), to: peer.descriptor)
        if script.split > 0 { sched_yield() }
        Self.send(Array(script.response.dropFirst(script.split)), to: peer.descriptor)
        if script.upstreamCloses || script.isEarly {
            peer.isAnswered = true
            shutdown(peer.descriptor, Int32(SHUT_WR))
        }
    }

    // MARK: Sockets

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private static func send(_ bytes: [UInt8], to descriptor: Int32) {
        while !bytes.isEmpty, Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0 {
            if errno == ENOTCONN { sched_yield() } else if errno != EINTR { return }
        }
    }

    /// Nil once the connection has ended.
    private static func receive(_ descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var count = 0
        repeat { count = recv(descriptor, &bytes, bytes.count, 0) } while count < 0 && errno == EINTR
        return count > 0 ? Array(bytes[..<count]) : nil
    }
}
