import GatewayCore
import HTTPInbound
import HTTPModel
import JSONBytes
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

/// Health checks are answered while other requests are refused.
@Suite("Health under pressure", .timeLimit(.minutes(1)))
struct HealthUnderPressureTests {
    /// A gateway with endpoints whose answers the test releases.
    private final class Fixture: Sendable {
        let server: GatewayServer
        private let held: PublishSubject<JSONFragment>

        init(_ change: (inout GatewayServerConfiguration) -> Void) throws {
            var configuration = GatewayServerConfiguration()
            configuration.port = 0
            configuration.loops = 1
            configuration.accessLog = false
            configuration.logLevel = .error
            configuration.drainDelay = .zero
            configuration.hosts = .any
            change(&configuration)
            let held = PublishSubject<JSONFragment>()
            self.held = held
            server = try GatewayServer.start(configuration) { gateway in
                gateway.get("/quick") { _ in .json(1) }
                gateway.post("/echo") { request in .json(request.body.count) }
                gateway.get("/held0") { _ in .parts(value: held.take(1).asSingle()) }
                gateway.get("/held1") { _ in .parts(value: held.take(1).asSingle()) }
            }
        }

        /// Sends requests that stay in flight, one on each connection.
        func hold(_ count: Int) throws -> [RawClient] {
            // Each has its own endpoint, because an endpoint gets only a share of the requests in flight.
            let clients = try (0..<count).map { number in
                let client = try client()
                client.send("GET /held\(number) HTTP/1.1\r\nHost: test\r\n\r\n")
                return client
            }
            try spin(while: server.settled.requests < count) {
                "\(server.settled.requests) of \(count) requests"
            }
            return clients
        }

        func release() { held.onNext(JSONFragment(string: "done")) }

        func client() throws -> RawClient { try RawClient(port: server.port) }

        func get(_ target: String) throws -> RawClient.Reply {
            try #require(try client().get(target))
        }

        /// Checks that both health checks are answered, on a new connection each.
        func expectHealth(ready: Int = 200) throws {
            let clock = ContinuousClock()
            let began = clock.now
            let live = try get("/health/live")
            #expect(live.status == 200)
            #expect(live.text == #"{"status":"live"}"#)
            #expect(live.value("X-Request-Id")?.isEmpty == false)
            let readiness = try get("/health/ready")
            #expect(readiness.status == ready)
            #expect(readiness.text == (ready == 200 ? #"{"status":"ready"}"# : #"{"status":"draining"}"#))
            #expect(clock.now - began < .seconds(1) * Sanitizer.slowdown)
        }

        /// Checks a refusal by the overloaded gateway.
        func expectOverloaded(_ reply: RawClient.Reply?) throws {
            let reply = try #require(reply)
            #expect(reply.status == 503)
            #expect(["1", "2", "3"].contains(reply.value("Retry-After")))
            let json = try JSONFragment(validating: reply.body[...])
            #expect(json[member: "code"]?.stringValue == "OVERLOADED")
            #expect(json[member: "meta"]?[member: "requestId"]?.stringValue == reply.value("X-Request-Id"))
        }

        func stop() {
            server.stop()
            server.waitUntilStopped()
        }
    }

    private func withFixture(
        _ change: (inout GatewayServerConfiguration) -> Void, _ body: (Fixture) throws -> Void
    ) throws {
        let fixture = try Fixture(change)
        defer { fixture.stop() }
        try body(fixture)
    }

    @Test("At the connection limit, with all clients busy, health is answered, and others get 503")
    func connectionLimit() throws {
        try withFixture({ $0.inbound.connections = 2 }) { fixture in
            let busy = try fixture.hold(2)
            for _ in 0..<20 {
                try fixture.expectHealth()
                let other = try fixture.client()
                let reply = other.get("/quick")
                try fixture.expectOverloaded(reply)
                #expect(reply?.value("Connection") == "close")
                #expect(other.reachesEnd())
            }
            let wrong = try fixture.client()
            wrong.send("POST /health/live HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n")
            #expect(wrong.receive()?.status == 405)
            #expect(fixture.server.settled.shed == ShedCounts(refused: 20))
            fixture.release()
            for client in busy { #expect(client.receive()?.status == 200) }
            // The clients are idle now, and one gives way.
            #expect(try fixture.get("/quick").status == 200)
            #expect(fixture.server.settled.shed == ShedCounts(idle: 1, refused: 20))
        }
    }

    @Test("32 idle clients at a limit of 32 delay neither health checks nor newcomers by a second")
    func idleClients() throws {
        try withFixture({ $0.inbound.connections = 32 }) { fixture in
            let idle = try (0..<32).map { _ in try fixture.client() }
            for client in idle { #expect(client.get("/quick")?.status == 200) }
            let clock = ContinuousClock()
            let began = clock.now
            #expect(try fixture.get("/quick").status == 200)
            #expect(clock.now - began < .seconds(1) * Sanitizer.slowdown)
            try fixture.expectHealth()
            #expect(idle[0].reachesEnd())
        }
    }

    @Test("With the limit of requests in flight reached, health is answered and others get 503")
    func requestsInFlight() throws {
        try withFixture({ $0.inbound.requestsInFlight = 2 }) { fixture in
            let busy = try fixture.hold(2)
            for _ in 0..<20 {
                try fixture.expectHealth()
                try fixture.expectOverloaded(try fixture.get("/quick"))
            }
            fixture.release()
            for client in busy { #expect(client.receive()?.status == 200) }
            #expect(try fixture.get("/quick").status == 200)
        }
    }

    @Test("With the limit of buffered bodies reached, health is answered and others with a body get 503")
    func bufferedBodies() throws {
        try withFixture {
            $0.limits.requestBody = 1000
            $0.inbound.bufferedBodies = 1000
        } _: { fixture in
            let post = "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 1000\r\n\r\n"
            let slow = try fixture.client()
            slow.send(post + String(repeating: "a", count: 999))
            // They arrive before the next connection is read.
            for _ in 0..<20 {
                try fixture.expectHealth()
                let other = try fixture.client()
                other.send(post + "ab")
                try fixture.expectOverloaded(other.receive())
            }
            slow.send("a")
            #expect(slow.receive()?.status == 200)
        }
    }

    @Test("Until a drain closes the listeners, live is 200 and ready is 503, also with everything in use")
    func drain() throws {
        try withFixture {
            $0.drainDelay = .seconds(20)
            $0.inbound.connections = 2
            $0.inbound.requestsInFlight = 2
        } _: { fixture in
            let busy = try fixture.hold(2)
            fixture.server.drain()
            try spin(while: try fixture.get("/health/ready").status == 200) { "still ready" }
            for _ in 0..<20 {
                try fixture.expectHealth(ready: 503)
                try fixture.expectOverloaded(try fixture.get("/quick"))
            }
            fixture.release()
            for client in busy { #expect(client.receive()?.status == 200) }
        }
    }

    @Test("Two loops share the limit, and idle clients of either give way")
    func severalLoops() throws {
        try withFixture {
            $0.loops = 2
            $0.inbound.connections = 64
        } _: { fixture in
            let idle = try (0..<64).map { _ in try fixture.client() }
            for client in idle { #expect(client.get("/quick")?.status == 200) }
            // All have a place, although the kernel does not divide them evenly.
            #expect(fixture.server.settled.connections == 64)
            #expect(fixture.server.settled.shed == ShedCounts())
            let newcomers = try (0..<16).map { _ in try fixture.client() }
            for client in newcomers { #expect(client.get("/quick")?.status == 200) }
            try fixture.expectHealth()
            #expect(fixture.server.settled.connections <= 64)
            #expect(fixture.server.settled.shed.idle >= 16)
            #expect(fixture.server.settled.shed.refused == 0)
        }
    }
}
