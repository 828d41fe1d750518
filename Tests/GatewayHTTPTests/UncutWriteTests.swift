import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

private enum SaveAPI: TargetType {
    case save, read

    var baseURL: String { "http://saves.test" }
    var path: RequestPath { self == .save ? "/save" : "/read" }
    var method: HTTPMethod { self == .save ? .post : .get }
}

/// A request that must not be cut, such as a POST, has its own time limits: the deadline ends only the wait
/// for it.
@Suite("Writes that outlast their client's request", .timeLimit(.minutes(1)))
struct UncutWriteTests {
    /// Serves endpoints that save by POST, over one connection, while `body` runs.
    private func serve(
        _ scripts: [ScriptedUpstream.Step]..., policy: CallPolicy = .single, concurrency: Int? = nil,
        _ body: (GatewayServer, ScriptedUpstream) throws -> Void
    ) throws {
        let upstream = try ScriptedUpstream(.open, scripts)
        defer { upstream.stop() }
        _ = try withLoggedGateway(
            stops: true,
            configure: { configuration in
                configuration.limits.deadline = .milliseconds(50)
                configuration.outbound.connectionsPerUpstream = 1
                configuration.outbound.relayShare = 1
                configuration.outbound.waitTimeout = .seconds(300)
                configuration.upstreams["saves"] = "http://127.0.0.1:\(upstream.port)"
            },
            declare: { gateway in
                let saves = gateway.provider(SaveAPI.self, upstream: "saves", policy: policy)
                gateway.upstream("saves") { $0.concurrency = concurrency }
                let save = saves.rx.request(.save).fragment()
                gateway.post("/part") { _ in .parts(only: save) }
                gateway.post("/optional") { _ in .parts(save: save.optional(), other: 1) }
                gateway.post("/sibling") { _ in
                    .parts(
                        save: save,
                        other: Part.task { () async throws -> Int in
                            // Not before the POST is sent.
                            try await upstream.requestRead.wait()
                            throw GatewayError.notFound()
                        })
                }
                gateway.post("/limited", .concurrency(1)) { _ in .parts(only: save) }
                gateway.post("/single") { _ in save.map { _ in .json(1) } }
                gateway.post("/passed", .streamsBody) { _ in .proxy(saves.call(.save)) }
                gateway.get("/read", .deadline(.seconds(300))) { _ in
                    .parts(only: saves.rx.request(.read).fragment())
                }
            }
        ) { try body($0, upstream) }
    }

    private static let ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"

    @Test(
        "A POST that was sent goes on after the deadline of its request, and its connection serves others",
        arguments: ["part", "optional", "sibling", "single", "passed"])
    func deadline(endpoint: String) throws {
        let isLate = Signal()
        try serve([.readRequest, .wait(isLate), .send(Self.ok), .readRequest, .send(Self.ok)]) {
            server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("POST /\(endpoint)", "Content-Length: 0")
            let reply = try client.reply()
            #expect(endpoint == "optional" ? reply.status == 200 : reply.status >= 400)
            #expect(client.end(within: 100) == .silence)
            client.begin("GET /read")
            #expect(client.end(within: 100) == .silence)
            isLate.fire()
            #expect(try client.reply().status == 200)
            #expect(upstream.requests.count == 2)
            #expect(upstream.connections == 1)
        }
    }

    @Test("A POST that was sent goes on after its client has left, beyond the deadline of its request")
    func leavingClient() throws {
        let isLate = Signal()
        try serve([.readRequest, .wait(isLate), .send(Self.ok), .readRequest, .send(Self.ok)]) {
            server, upstream in
            let leaving = try RawClient(port: server.port)
            leaving.begin("POST /part", "Content-Length: 0")
            try upstream.requestRead.waitBlocking()
            leaving.close()
            let client = try RawClient(port: server.port)
            client.begin("GET /read")
            #expect(client.end(within: 200) == .silence)
            isLate.fire()
            #expect(try client.reply().status == 200)
            #expect(upstream.connections == 1)
        }
    }

    @Test("A POST that goes on after the deadline ends by its own time limits")
    func ownLimits() throws {
        let policy = CallPolicy.patient(attempts: 1, gap: .milliseconds(200))
        try serve([.readRequest, .awaitEnd], policy: policy) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("POST /part", "Content-Length: 0")
            #expect(try client.reply().status == 504)
            try upstream.clientEnded.waitBlocking()
        }
    }

    @Test("A POST that waits for a connection at the deadline is never sent")
    func unsent() throws {
        let isLate = Signal()
        try serve([.readRequest, .wait(isLate), .send(Self.ok), .readRequest, .send(Self.ok)]) {
            server, upstream in
            let (reader, client) = (try RawClient(port: server.port), try RawClient(port: server.port))
            reader.begin("GET /read")
            try upstream.requestRead.waitBlocking()
            client.begin("POST /part", "Content-Length: 0")
            #expect(try client.reply().status == 504)
            isLate.fire()
            #expect(try reader.reply().status == 200)
            reader.begin("GET /read")
            #expect(try reader.reply().status == 200)
            #expect(upstream.requests.map { $0.prefix(4) } == ["GET ", "GET "])
        }
    }

    enum Ending: CaseIterable {
        case clientLeft, deadlinePassed

        /// Sends a POST and ends its request once the upstream has it.
        func end(_ path: String, at server: GatewayServer, _ upstream: ScriptedUpstream) throws {
            let client = try RawClient(port: server.port)
            client.begin("POST \(path)", "Content-Length: 0")
            try upstream.requestRead.waitBlocking()
            switch self {
            case .clientLeft: client.reset()
            case .deadlinePassed: #expect(try client.reply().status == 504)
            }
            try spin(while: server.settled.requests > 0) { "\(server.settled.requests) requests in flight" }
        }
    }

    @Test(
        "A POST that goes on keeps the place of its request at an endpoint with a limit until it ends",
        arguments: Ending.allCases)
    func endpointPlace(ending: Ending) throws {
        let isLate = Signal()
        try serve(
            [.readRequest, .wait(isLate), .send(Self.ok)] + [.readRequest, .send(Self.ok)]
                + [.readRequest, .send(Self.ok)]
        ) { server, upstream in
            try ending.end("/limited", at: server, upstream)
            let client = try RawClient(port: server.port)
            for _ in 0..<3 {
                client.begin("POST /limited", "Content-Length: 0")
                let reply = try client.reply()
                #expect(reply.status == 503)
                #expect(reply.text.contains("This endpoint has too many requests in flight"))
            }
            // Its connection serves the next call once the POST has ended.
            client.begin("GET /read")
            isLate.fire()
            #expect(try client.reply().status == 200)
            client.begin("POST /limited", "Content-Length: 0")
            #expect(try !client.reply().text.contains("too many requests in flight"))
            #expect(upstream.connections == 1)
        }
    }

    @Test("A POST that goes on counts as an attempt in flight to its upstream", arguments: Ending.allCases)
    func upstreamPlace(ending: Ending) throws {
        let isLate = Signal()
        try serve(
            [.readRequest, .wait(isLate), .send(Self.ok), .readRequest, .send(Self.ok)], concurrency: 1
        ) { server, upstream in
            try ending.end("/part", at: server, upstream)
            #expect(server.settled.upstreams["saves"]?.attemptsInFlight == 1)
            let client = try RawClient(port: server.port)
            client.begin("GET /read")
            #expect(try client.reply().text.contains("\"reason\":\"concurrency_limit\""))
            isLate.fire()
            try spin(while: server.settled.upstreams["saves"]?.attemptsInFlight != 0) { "\(server.settled)" }
            client.begin("GET /read")
            #expect(try client.reply().status == 200)
        }
    }
}
