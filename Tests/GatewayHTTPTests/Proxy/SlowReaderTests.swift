import GatewayCore
import JSONBytes
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Slow readers of what passes through", .timeLimit(.minutes(1)))
struct SlowReaderTests {
    private enum FilesAPI: TargetType {
        case large
        case number

        var baseURL: String { "http://files.test" }
        var path: RequestPath { self == .large ? "/large" : "/number" }
    }

    /// How a response reaches a client as it arrives.
    enum Passing: String, CaseIterable, CustomTestStringConvertible {
        case proxy
        case answer
        case stream

        var target: String { self == .proxy ? "/files/large" : "/\(rawValue)" }
        var testDescription: String { target }
    }

    /// More than the gateway and both sockets hold for a client that does not read.
    private static let size = 3 << 20
    private static let large =
        "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n" + String(repeating: "A", count: size)
    private static let number = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"

    /// Serves proxied responses and, at `/page`, a merged one. All come from one upstream.
    private func serve(
        configure: @escaping (inout GatewayServerConfiguration) -> Void,
        _ body: (GatewayServer) throws -> Void
    ) throws {
        try withProxy(
            [.answer { $0.hasPrefix("GET /large ") ? Self.large : Self.number }],
            configure: {
                $0.outbound.waitTimeout = .seconds(1)
                configure(&$0)
            },
            declare: { gateway, files in
                gateway.proxy("/files/{path...}", to: files)
                let api = gateway.provider(FilesAPI.self, upstream: "files", policy: .single)
                gateway.get("/answer") { _ in .proxy(api.call(.large)) }
                gateway.get("/stream") { _ in .stream(api.rx.stream(.large), contentType: "text/csv") }
                gateway.get("/page") { _ in .parts(number: api.rx.request(.number).fragment()) }
            }
        ) { server, _ in try body(server) }
    }

    /// Sends requests whose responses the clients do not read. Waits until each has a connection to the
    /// upstream or waits for one, in the order of the clients.
    private func begin(_ count: Int, _ passing: Passing, at server: GatewayServer) throws -> [RawClient] {
        try (1...count).map { number in
            let reader = try RawClient(port: server.port, receiveBuffer: 1 << 16)
            reader.begin("GET \(passing.target)")
            try spin(while: server.settled.calls.leased + server.settled.calls.waiting < number) {
                "\(server.settled.calls), not \(number) calls"
            }
            return reader
        }
    }

    /// The leased connections, the relays among them, the waiting calls, and all calls in flight.
    private func counts(_ server: GatewayServer) -> [Double?] {
        [
            #"upstream_connections{upstream="files",state="leased"}"#,
            #"upstream_connections{upstream="files",state="relay"}"#,
            #"upstream_waiting_calls{upstream="files"}"#, #"upstream_calls_in_flight{upstream="files"}"#,
        ].map { server.metric($0) }
    }

    @Test(
        "A hundred clients that read slowly leave connections for other calls to the upstream",
        arguments: Passing.allCases)
    func others(_ passing: Passing) throws {
        try serve {
            // The readers wait all the time.
            $0.outbound.waitTimeout = .seconds(300)
        } _: { server in
            let readers = try begin(100, passing, at: server)
            for reader in readers.prefix(32) {
                #expect(try reader.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            }
            let clients = try (0..<8).map { _ in try RawClient(port: server.port) }
            for _ in 0..<25 {
                for client in clients { client.begin("GET /page") }
                for client in clients { #expect(try client.reply().status == 200) }
            }
            #expect(server.settled.calls.waiting == 68)
            for reader in readers { reader.reset() }
        }
    }

    @Test(
        "Beyond the share a client waits until an earlier one has read, or has left",
        arguments: [true, false])
    func next(reads: Bool) throws {
        try serve {
            $0.outbound.connectionsPerUpstream = 4
            $0.outbound.waitTimeout = .seconds(300)
        } _: { server in
            let readers = try begin(2, .proxy, at: server)
            let waiting = try (0..<2).map { _ in try RawClient(port: server.port) }
            for (number, client) in waiting.enumerated() {
                client.begin("GET /files/number")
                try spin(while: server.settled.calls.waiting < number + 1) { "\(server.settled.calls)" }
            }
            #expect(server.settled.calls.relays == 2)
            #expect(counts(server) == [2, 2, 2, 4])
            if reads {
                #expect(try readers[0].reply().body.count == Self.size)
            } else {
                readers[0].reset()
            }
            for client in waiting { #expect(try client.reply().text == "1") }
            #expect(try readers[1].reply().body.count == Self.size)
            try spin(while: server.settled.calls.leased > 0) { "\(server.settled.calls)" }
            #expect(server.settled.calls.relays == 0)
            #expect(counts(server) == [0, 0, 0, 0])
        }
    }

    @Test("Beyond the share a client gets 503 after the time to wait, and the reason is the full share")
    func refused() throws {
        try serve {
            $0.outbound.connectionsPerUpstream = 2
            $0.outbound.waitTimeout = .milliseconds(50)
        } _: { server in
            let readers = try begin(1, .proxy, at: server)
            let client = try RawClient(port: server.port)
            client.begin("GET /files/number")
            let reply = try client.reply()
            #expect(reply.status == 503)
            #expect(reply.value("Proxy-Status")?.contains("connection_limit_reached") == true)
            client.begin("GET /page")
            #expect(try client.reply().status == 200)
            withExtendedLifetime(readers) {}
        }
    }

    @Test("With a share of 1 responses that pass have all connections")
    func all() throws {
        try serve { configuration in
            configuration.outbound.connectionsPerUpstream = 2
            configuration.outbound.relayShare = 1
        } _: { server in
            let readers = try begin(2, .proxy, at: server)
            #expect(server.settled.calls.relays == 2)
            withExtendedLifetime(readers) {}
        }
    }
}
