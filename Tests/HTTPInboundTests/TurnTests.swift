import TestSupport
import Testing

@testable import HTTPInbound

/// Each request to `/busy` takes longer than a turn of the loop.
@Suite("Requests that take long", .timeLimit(.minutes(1)), .bothCarriers)
struct TurnTests {
    private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n" }

    /// How many requests to `/busy` were begun before the one to `/hello`.
    private func busyBeforeHello(_ server: TestServer) -> Int {
        server.log.events.prefix { $0 != "decide GET /hello" }.count { $0 == "decide GET /busy" }
    }

    @Test("Pipelined requests of a client leave others their turn, and are all answered")
    func pipelined() async throws {
        try await TestServer.run { server in
            let (busy, other) = (try server.idleClient(host: 2), try server.client(host: 3))
            try await server.whileBusy {
                busy.send(String(repeating: Self.get("/busy"), count: 30))
                other.send(Self.get("/hello"))
            }
            #expect(try other.reply().text == "hello")
            for _ in 0..<30 { #expect(try busy.reply().text == "at last") }
            // `idleClient` has asked for it, too.
            let events = server.log.events.drop { $0 != "decide GET /busy" }
            #expect(events.prefix { $0 != "decide GET /hello" }.count { $0 == "decide GET /busy" } <= 4)
        }
    }

    @Test("Many connections of a client leave others their turn")
    func connections() async throws {
        try await TestServer.run { server in
            let busy = try (0..<30).map { _ in try server.client(host: 2) }
            let other = try server.client(host: 3)
            try await poll(while: try await server.connectionCount < 31) { "connecting" }
            try await server.whileBusy {
                for client in busy { client.send(Self.get("/busy")) }
                other.send(Self.get("/hello"))
            }
            #expect(try other.reply().text == "hello")
            for client in busy { #expect(try client.reply().text == "at last") }
            #expect(busyBeforeHello(server) <= 4)
        }
    }

    @Test("Requests with bodies that wait for their turn arrive whole")
    func bodies() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            let post = PipelineTests.post(String(repeating: "b", count: 3000))
            client.send(String(repeating: Self.get("/busy") + post, count: 15))
            for _ in 0..<15 {
                #expect(try client.reply().text == "at last")
                #expect(try client.reply().body.count == 3000)
            }
        }
    }

    @Test("Requests that wait for their turn and find no memory are refused")
    func memory() async throws {
        try await TestServer.run({ $0.bufferedBodies = 10 }) { server in
            let client = try server.client()
            client.send(String(repeating: Self.get("/busy"), count: 30))
            #expect(try client.reply().text == "at last")
            let refusal = try client.reply()
            #expect(refusal.status == 503)
            #expect(refusal.value("Connection") == "close")
            #expect(client.readToEnd() == ([], .fin))
            let buffered = try await server.on { server, _ in server.bodies.inUse }
            #expect(buffered == 0)
        }
    }

    @Test("A client that leaves while its requests wait for their turn is served no further")
    func leaving() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            client.send(String(repeating: Self.get("/busy"), count: 900))
            _ = try client.reply()
            client.reset()
            try await server.connectionsLeft()
            #expect(server.log.count("decide GET /busy") < 900)
        }
    }

    @Test("A connection whose requests wait for their turn does not give way to newcomers")
    func limit() async throws {
        try await TestServer.run({ $0.connections = 1 }) { server in
            let client = try server.idleClient()
            client.send(String(repeating: Self.get("/busy"), count: 20))
            _ = try client.reply()
            let newcomer = try server.client()
            newcomer.send(Self.get("/hello"))
            for _ in 0..<19 { #expect(try client.reply().text == "at last") }
            _ = try? newcomer.reply()
        }
    }

    @Test("A drain answers the requests that wait for their turn")
    func drain() async throws {
        try await TestServer.run({ $0.drainGrace = .milliseconds(10) }) { server in
            let client = try server.client()
            client.send(String(repeating: Self.get("/busy"), count: 30))
            _ = try client.reply()
            try await server.on { server, _ in
                server.beginDrain()
                server.stopAccepting()
            }
            for _ in 0..<29 { #expect(try client.reply().text == "at last") }
            #expect(client.readToEnd().end == .fin)
        }
    }
}
