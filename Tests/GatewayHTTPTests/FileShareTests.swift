import EventIO
import GatewayConfig
import GatewayCore
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Large files that are sent at once", .timeLimit(.minutes(1)))
struct FileShareTests {
    private let fixture: FileFixture

    init() throws { fixture = try .withLargeFiles() }

    /// Returns a client that reads no more than the head of an answer.
    private func beginReading(_ port: Int, host: UInt8 = 1, field: String = "") throws -> RawClient {
        let client = try RawClient(port: port, receiveBuffer: 4096, host: host)
        client.send("GET /huge HTTP/1.1\r\nHost: test\r\n\(field)\r\n")
        #expect(try client.read(through: "\r\n\r\n").contains(" 200 OK"))
        return client
    }

    @Test("Clients that read slowly keep nobody waiting, and go on when they read")
    func slowReaders() throws {
        var files = StaticFiles.folder(fixture.root)
        files.streams = 2
        try fixture.serve(files) { port in
            let readers = try (0..<6).map { _ in try beginReading(port) }
            let client = try RawClient(port: port)
            for _ in 0..<3 { #expect(try client.ask("/large").body == FileFixture.large) }
            #expect(try client.ask("/small").text == "small")
            let bytes = try readers[0].read(count: 4 << 20)
            #expect(bytes == [UInt8](repeating: 0, count: 4 << 20))
        }
    }

    @Test("Files that are read fast take turns, so that all of them arrive")
    func turns() throws {
        var files = StaticFiles.folder(fixture.root)
        files.streams = 1
        try fixture.serve(files) { port in
            let clients = try (0..<4).map { _ in try RawClient(port: port) }
            for client in clients { client.send("GET /huge HTTP/1.1\r\nHost: test\r\n\r\n") }
            // None of the first is read to its end.
            for client in clients {
                _ = try client.read(through: "\r\n\r\n")
                _ = try client.read(count: 8 << 20)
            }
            #expect(try RawClient(port: port).ask("/large").body == FileFixture.large)
        }
    }

    @Test("A file that does not get its turn in time is 503, and its connection goes on")
    func noTurn() throws {
        var files = StaticFiles.folder(fixture.root)
        files.streams = 1
        files.readDeadline = .milliseconds(300)
        // The loop would send what is in memory without a turn.
        files.finder = .threads(FileThreads.submit)
        try fixture.serve(files) { port in
            let reader = try beginReading(port)
            let client = try RawClient(port: port)
            let reply = try client.ask("/large")
            #expect(reply.status == 503)
            #expect(code(of: reply) == "OVERLOADED")
            try spin(while: client.ask("/large").status == 503) { "still 503" }
            #expect(fixture.openCount("huge") == 1)
            withExtendedLifetime(reader) {}
        }
    }

    @Test("A client gets at most its share of the files that are sent at once; other clients get theirs")
    func shares() throws {
        _ = try withLoggedGateway(stops: true) {
            $0.files = .folder(fixture.root)
            $0.inbound.requestsInFlight = 8
        } declare: { _ in
        } _: { server in
            var readers = try (0..<2).map { _ in try beginReading(server.port) }
            let client = try RawClient(port: server.port)
            let refused = try client.ask("/large")
            #expect(refused.status == 503)
            #expect(code(of: refused) == "OVERLOADED")
            #expect(try client.ask("/small").text == "small")
            #expect(try RawClient(port: server.port, host: 2).ask("/large").body == FileFixture.large)
            readers.removeLast().close()
            try spin(while: client.ask("/large").status == 503) { "still 503" }
            #expect(try client.ask("/large").body == FileFixture.large)
        }
    }

    @Test("A request without room beside the files that are sent uses up no limit")
    func limitsWithoutRoom() throws {
        _ = try withLoggedGateway(stops: true) {
            $0.files = .folder(fixture.root)
            $0.inbound.requestsInFlight = 4
        } declare: { gateway in
            gateway.rateLimit("two", RateLimit(key: [.endpoint], rate: 2, per: .seconds(3600)))
            gateway.get("/counted", .rateLimits("two")) { _ in .json(1) }
            gateway.get("/free") { _ in .json(1) }
            gateway.get("/wait") { _ in Single<Answer>.never() }
        } _: { server in
            // Files may be half of the requests. The endpoint `/counted` has room in its own share.
            let readers = try [1, 2].map { try beginReading(server.port, host: $0) }
            let waiting = try (0..<2).map { _ in try RawClient(port: server.port) }
            for client in waiting { client.send("GET /wait HTTP/1.1\r\nHost: test\r\n\r\n") }
            try spin(while: try server.ask("/free").status != 503) { "there is room" }
            for _ in 0..<3 {
                let refused = try server.ask("/counted")
                #expect(refused.status == 503)
                #expect(code(of: refused) == "OVERLOADED")
            }
            for client in waiting { client.close() }
            try spin(while: try server.ask("/free").status == 503) { "still 503" }
            for status in [200, 200, 429] { #expect(try server.ask("/counted").status == status) }
            withExtendedLifetime(readers) {}
        }
    }

    @Test("Clients behind one trusted proxy have shares of their own")
    func sharesBehindProxy() throws {
        let trusted = try TrustedProxies(["loopback"])
        _ = try withLoggedGateway(stops: true) {
            $0.files = .folder(fixture.root)
            $0.inbound.requestsInFlight = 8
            $0.clients.trusted = trusted
        } declare: { _ in
        } _: { server in
            let readers = try (0..<2).map { _ in
                try beginReading(server.port, field: "X-Forwarded-For: 203.0.113.1\r\n")
            }
            let client = try RawClient(port: server.port)
            #expect(try client.ask("/large", "X-Forwarded-For: 203.0.113.1").status == 503)
            #expect(try client.ask("/large", "X-Forwarded-For: 203.0.113.2").body == FileFixture.large)
            #expect(try client.ask("/large").body == FileFixture.large)
            withExtendedLifetime(readers) {}
        }
    }
}
