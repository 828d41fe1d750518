import EventIO
import Glibc
import HTTPInbound
import HTTPModel

/// One server at all loopback addresses, on a loop of its own, and a port where nothing listens.
final class CrowdUpstreams: Sendable {
    let closedPort: UInt16
    private let port: Int
    private let group: EventLoopGroup
    private let server: LoopBound<CrowdServer>
    /// Keep the closed port: bound, but not listening.
    private let reserved: Int32
    let names = EmptyNameServer()

    init() throws {
        let everywhere = SocketAddress(host: "0.0.0.0", port: 0)
        guard let everywhere else { preconditionFailure("0.0.0.0 is an address") }
        let listener = try Listener(bind: everywhere)
        let port = listener.address.port ?? 0
        self.port = port
        (closedPort, reserved) = Self.closedPort()
        group = try EventLoopGroup(count: 1, name: "crowd")
        let loop = group.loops[0]
        server = loop.runBlocking { LoopBound(CrowdServer(listener, port: port, on: loop), loop: loop) }
    }

    /// The base URL of an upstream.
    func url(_ kind: HostCrowd.Kind, _ number: Int) -> String {
        switch kind {
        case .answering, .closing, .held: "http://\(Self.host(number)):\(port)"
        // The first call of a redirected one.
        case .redirected: "http://\(Self.host(0)):\(port)"
        case .refusing: "http://\(Self.host(number)):\(closedPort)"
        case .unresolved: "http://host\(number).test:\(port)"
        }
    }

    /// An address in 127.0.0.0/8.
    static func host(_ number: Int) -> String {
        let address = number + 1
        return "127.\(address >> 16 & 255).\(address >> 8 & 255).\(address & 255)"
    }

    func stop() {
        server.loop.runBlocking { [server] in server.value.stop() }
        group.shutdown()
        close(reserved)
        names.stop()
    }

    /// Returns a port that refuses TCP until the socket is closed.
    private static func closedPort() -> (UInt16, Int32) {
        let tcp = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        return (bindFreePort(tcp, at: INADDR_ANY), tcp)
    }

    /// Binds a socket to a free port of an IPv4 address and returns the port.
    static func bindFreePort(_ descriptor: Int32, at host: in_addr_t) -> UInt16 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = host.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        precondition(isBound, "no port is free")
        return UInt16(bigEndian: address.sin_port)
    }
}

/// Answers for all upstreams. Confined to its loop.
final class CrowdServer: InboundHandler {
    private let listener: Listener
    private let port: Int
    private var server: InboundServer?
    private var held: [InboundExchange] = []

    init(_ listener: Listener, port: Int, on loop: EventLoop) {
        self.listener = listener
        self.port = port
        let server = InboundServer(loop: loop, handler: self) { HTTPResponse(status: $0.status) }
        server.adopt(listener)
        self.server = server
    }

    func stop() {
        server?.close()
        server = nil
        held = []
    }

    func decide(_ arrival: InboundExchange.Arrival) -> BodyDecision {
        .buffer(limit: 0, InboundExchange(arrival))
    }

    func handle(_ exchange: InboundExchange) {
        let parts = exchange.request.head.target.path.split(separator: "/")
        guard parts.count == 3, let kind = HostCrowd.Kind(rawValue: String(parts[0])),
            let number = Int(parts[1]), let count = Int(parts[2])
        else { return exchange.respond(HTTPResponse(status: .notFound)) }
        switch kind {
        case .answering, .refusing, .unresolved: exchange.respond(Self.answer())
        case .closing: exchange.respond(Self.answer(["Connection": "close"]))
        case .held:
            held.append(exchange)
            guard held.count == count else { return }
            for exchange in held { exchange.respond(Self.answer()) }
            held = []
        case .redirected:
            let location = "http://\(CrowdUpstreams.host(number)):\(port)/answering/\(number)/\(count)"
            exchange.respond(HTTPResponse(status: .temporaryRedirect, fields: [.location: location]))
        }
    }

    private static func answer(_ fields: HTTPFields = [:]) -> HTTPResponse {
        var fields = fields
        fields.append(.contentType, "application/json")
        return HTTPResponse(status: .ok, fields: fields, body: [[UInt8(ascii: "1")]])
    }
}
