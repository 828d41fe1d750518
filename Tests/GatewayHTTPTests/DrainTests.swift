import Dispatch
import Foundation
import GatewayCore
import Glibc
import HTTPModel
import JSONBytes
import Locking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

/// Follows a gateway from ready to stopped, as its clients see it.
@Suite("Health and drain")
struct DrainTests {
    /// A gateway with an endpoint whose answer the test releases.
    private final class Fixture: Sendable {
        let server: GatewayServer
        private let held: PublishSubject<JSONFragment>

        init(
            drainDelay: Duration, port: Int = 0,
            configure: (inout GatewayServerConfiguration) -> Void = { _ in }
        ) throws {
            var configuration = GatewayServerConfiguration()
            configuration.port = port
            configuration.loops = 1
            configuration.accessLog = false
            configuration.logLevel = .error
            configuration.drainDelay = drainDelay
            configuration.hosts = .any
            // Clients of these tests stay after the last answer.
            configuration.inbound.discardTime = .milliseconds(200)
            configure(&configuration)
            let held = PublishSubject<JSONFragment>()
            self.held = held
            server = try GatewayServer.start(configuration) { gateway in
                gateway.get("/quick") { _ in .json(1) }
                gateway.get("/held") { _ in .parts(value: held.take(1).asSingle()) }
            }
        }

        var isHeld: Bool { held.hasObservers }

        func completeHeldRequest() {
            held.onNext(JSONFragment(string: "done"))
        }

        /// Whether the gateway ends within five seconds.
        func ends() -> Bool {
            let done = Signal()
            DispatchQueue.global().async { [server] in
                server.waitUntilStopped()
                done.fire()
            }
            return (try? done.waitBlocking(within: .seconds(5))) != nil
        }
    }

    @Test("A reload of certificates that blocks does not keep the gateway from ending")
    func reloadThatBlocks() throws {
        let fixture = try Fixture(drainDelay: .zero)
        let file = Signal()
        fixture.server.reloads.queue.async { try? file.waitBlocking() }
        fixture.server.hangUp()
        fixture.server.drain()
        #expect(fixture.ends())
        // The late reload finds a stopped gateway.
        file.fire()
        fixture.server.reloads.queue.sync {}
    }

    @Test("A serving gateway is live and ready, and the health probe succeeds")
    func aServingGatewayIsReady() throws {
        let fixture = try Fixture(drainDelay: .zero)
        defer {
            fixture.server.stop()
            _ = fixture.ends()
        }
        let client = try RawClient(port: fixture.server.port)
        #expect(client.get("/health/live")?.text == #"{"status":"live"}"#)
        #expect(client.get("/health/ready")?.text == #"{"status":"ready"}"#)
        client.send("POST /health/ready HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n")
        let refused = client.receive()
        #expect(refused?.status == 405)
        #expect(refused?.value("Allow") == "GET, HEAD, OPTIONS")
        client.send("OPTIONS /health/live HTTP/1.1\r\nHost: test\r\n\r\n")
        let options = client.receive()
        #expect(options?.status == 204)
        #expect(options?.value("Allow") == "GET, HEAD, OPTIONS")
        #expect(HealthProbe.check(fixture.server.url) == nil)
        #expect(HealthProbe.check("http://127.0.0.1:1") != nil)
        #expect(HealthProbe.check("nowhere") != nil)
    }

    @Test(
        "During the drain delay a gateway is not ready, but serves and closes each connection after its answer"
    )
    func whileItWaitsToLeaveItServesOn() throws {
        let fixture = try Fixture(drainDelay: .seconds(20))
        let old = try RawClient(port: fixture.server.port)
        #expect(old.get("/quick")?.value("Connection") == nil)
        fixture.server.drain()
        let ready = try RawClient(port: fixture.server.port).get("/health/ready")
        #expect(ready?.status == 503)
        #expect(ready?.text == #"{"status":"draining"}"#)
        #expect(HealthProbe.check(fixture.server.url)?.contains("503") == true)
        let answer = old.get("/quick")
        #expect(answer?.status == 200)
        #expect(answer?.value("Connection") == "close")
        #expect(old.reachesEnd())
        fixture.server.stop()
        #expect(fixture.ends())
    }

    @Test(
        "After the listener has closed, a new request on an open connection is served and is the last"
    )
    func aFurtherRequestIsServed() throws {
        let fixture = try Fixture(drainDelay: .zero)
        let client = try RawClient(port: fixture.server.port)
        #expect(client.get("/quick")?.status == 200)
        // A partial request keeps the connection from being idle when the listener closes.
        client.send("GET /quick HTTP/1.1\r\n")
        fixture.server.drain()
        try spin(while: (try? RawClient(port: fixture.server.port)) != nil) {
            "port \(fixture.server.port) still accepts connections"
        }
        client.send("Host: test\r\n\r\n")
        let answer = try #require(client.receive())
        #expect(answer.status == 200)
        #expect(answer.value("Connection") == "close")
        #expect(client.reachesEnd())
        #expect(fixture.ends())
    }

    /// The requests of 16 clients to a gateway that drains, counted by outcome.
    private struct Counts: Sendable {
        var served = 0
        /// Requests on a served connection that ended without an answer.
        var lost = 0
        /// Incomplete answers.
        var cut = 0
        /// Other answers.
        var other: [Int] = []
    }

    private final class Seen: Sendable {
        let counts = Lock(Counts())
    }

    @Test(
        "A drain under the load of 16 clients cuts no answer and loses no request",
        arguments: [Duration.zero, .milliseconds(50)])
    func aDrainUnderLoadLosesNothing(_ delay: Duration) throws {
        let fixture = try Fixture(drainDelay: delay)
        let port = fixture.server.port
        let seen = Seen()
        let (warm, over) = (Signal(), Signal())
        for _ in 0..<16 {
            Thread.detachNewThread {
                Self.load(port, seen, warm)
                over.fire()
            }
        }
        for _ in 0..<16 { try warm.waitBlocking() }
        fixture.server.drain()
        for _ in 0..<16 { try over.waitBlocking(within: .seconds(10)) }
        #expect(fixture.ends())
        let total = seen.counts.withLock { $0 }
        #expect(total.served >= 16 * 20)
        #expect(total.lost == 0)
        #expect(total.cut == 0)
        #expect(total.other.isEmpty)
    }

    /// Sends requests on one connection after another until the port is closed. Signals `warm` after twenty
    /// answers.
    private static func load(_ port: Int, _ seen: Seen, _ warm: Signal) {
        var answers = 0
        while let client = try? RawClient(port: port) {
            var isFirst = true
            while true {
                guard let answer = client.get("/quick") else {
                    seen.counts.withLock { counts in
                        if client.hasPartOfAnAnswer { counts.cut += 1 } else if !isFirst { counts.lost += 1 }
                    }
                    break
                }
                isFirst = false
                answers += 1
                seen.counts.withLock { counts in
                    if answer.status == 200 {
                        counts.served += 1
                    } else {
                        counts.other.append(answer.status)
                    }
                }
                if answers == 20 { warm.fire() }
                if answer.value("Connection") == "close" { break }
            }
        }
        if answers < 20 { warm.fire() }
    }

    @Test("A request in flight is answered after the listener has closed")
    func aRequestInFlightIsAnswered() throws {
        let fixture = try Fixture(drainDelay: .zero)
        let client = try RawClient(port: fixture.server.port)
        client.send("GET /held HTTP/1.1\r\nHost: test\r\n\r\n")
        try spin(while: !fixture.isHeld) { "the handler has not subscribed" }
        fixture.server.drain()
        try spin(while: (try? RawClient(port: fixture.server.port)) != nil) {
            "port \(fixture.server.port) still accepts connections"
        }
        fixture.completeHeldRequest()
        let answer = client.receive()
        #expect(answer?.status == 200)
        #expect(answer?.text.contains(#""data":{"value":"done"}"#) == true)
        #expect(fixture.ends())
    }

    @Test("A gateway that stops resets its open connections")
    func stoppingResetsWhatIsOpen() throws {
        let fixture = try Fixture(drainDelay: .zero)
        let client = try RawClient(port: fixture.server.port)
        client.send("GET /held HTTP/1.1\r\nHost: test\r\n\r\n")
        try spin(while: !fixture.isHeld) { "the handler has not subscribed" }
        fixture.server.stop()
        #expect(client.receive() == nil)
        #expect(fixture.ends())
        #expect(!fixture.isHeld)
    }

    @Test("A client that leaves before its answer cancels the work for it")
    func aClientThatLeavesEndsItsRequest() throws {
        let fixture = try Fixture(drainDelay: .zero)
        do {
            let client = try RawClient(port: fixture.server.port)
            client.send("GET /held HTTP/1.1\r\nHost: test\r\n\r\n")
            // Keeps the client open until the request has arrived.
            try withExtendedLifetime(client) {
                try spin(while: !fixture.isHeld) { "the handler has not subscribed" }
            }
        }
        try spin(while: fixture.isHeld) { "the handler is still subscribed" }
        fixture.server.drain()
        #expect(fixture.ends())
    }

    @Test(
        "A second gateway cannot bind a serving gateway's port; one successor can share a draining gateway's port"
    )
    func aLeavingGatewayIsReplacedOnItsPort() throws {
        let old = try Fixture(drainDelay: .seconds(20))
        let port = old.server.port
        let error = #expect(throws: GatewayStartError.self) { try Fixture(drainDelay: .zero, port: port) }
        #expect(error?.description == "127.0.0.1:\(port) is taken: another program listens there")
        old.server.drain()
        let new = try Fixture(drainDelay: .seconds(20), port: port)
        // Either of the two may answer the third gateway's probe, but only one gateway may take over.
        for _ in 0..<10 {
            #expect(throws: GatewayStartError.self) { try Fixture(drainDelay: .zero, port: port) }
        }
        // While both run, the kernel chooses which one answers.
        for _ in 0..<20 { #expect(try RawClient(port: port).get("/quick")?.status == 200) }
        old.server.stop()
        #expect(old.ends())
        for _ in 0..<20 {
            let answer = try RawClient(port: port).get("/health/ready")
            #expect(answer?.text == #"{"status":"ready"}"#)
        }
        new.server.drain()
        let newest = try Fixture(drainDelay: .zero, port: port)
        for gateway in [new, newest] {
            gateway.server.stop()
            #expect(gateway.ends())
        }
    }

    @Test(
        "A gateway does not start on another program's port, whether that program answers, hangs up or stays silent"
    )
    func aStrangersPortIsRefused() async throws {
        let stranger = try RawUpstream.saying(
            "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\n{}")
        let rude = try RawUpstream.ending(first: 1) {}
        let silent = try RawUpstream.blackHole()
        for upstream in [stranger, rude, silent] {
            let port = try #require(upstream.url.split(separator: ":").last.flatMap { Int($0) })
            #expect(throws: GatewayStartError.self) {
                try Fixture(drainDelay: .zero, port: port) { $0.occupantTimeout = .milliseconds(50) }
            }
        }
    }
}
