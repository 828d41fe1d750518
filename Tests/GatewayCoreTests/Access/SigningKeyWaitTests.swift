import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import RxTesting
import Testing

/// How many requests wait for signing keys, and how long.
@Suite("Waiting for signing keys", .noLeaks)
struct SigningKeyWaitTests {
    private let bench: AccessBench

    init() throws { bench = try AccessBench() }

    private func responder(_ options: EndpointOption...) throws -> GatewayResponder {
        let gateway = bench.gateway()
        gateway.auth("mobile", bench.tokens())
        gateway.on(.get, "/me", [.require("mobile")] + options) { request in
            Answer.json(request.identity?.subject ?? "nobody")
        }
        return try gateway.responder()
    }

    private func serve(_ answer: StubTransport.Answer) { bench.transport.answer("/jwks.json", answer) }

    private func advance(_ milliseconds: Int) {
        bench.time.advance(by: Duration.milliseconds(milliseconds))
    }

    private func forged() throws -> HTTPFields {
        [.authorization: "Bearer \(try bench.issuer.token("eve", keyID: "forged"))"]
    }

    @Test(
        "At most 256 requests wait for a fetch: the next ones are 503 at once, and known callers are served")
    func crowd() throws {
        let responder = try responder()
        let known = try bench.issuer.bearer("ann")
        #expect(try responder.reply(.get, "/me", known).status == 200)
        advance(1)
        serve(.silence)
        let fields = try forged()
        let waiting = try (1...256).map { _ in try responder.ask(.get, "/me", fields) }
        #expect(waiting.allSatisfy { $0.count == 0 })
        for _ in 1...100 {
            let reply = try responder.reply(.get, "/me", fields)
            #expect(reply.status == 503)
            #expect(reply.fields[.retryAfter] == "1")
            #expect(reply.summary.access?.result == .unavailable)
            #expect(reply.summary.access?.reason == "too many requests wait for signing keys")
        }
        #expect(try responder.reply(.get, "/me", known).status == 200)
        #expect(try responder.reply(.get, "/me", try bench.issuer.bearer("bob")).status == 200)
        // Whoever leaves makes room for another.
        waiting[7].dispose()
        let late = try responder.ask(.get, "/me", fields)
        #expect(late.count == 0)
        #expect(try responder.reply(.get, "/me", fields).status == 503)
        advance(2000)
        #expect(try late.reply().status == 503)
        #expect(waiting[7].count == 0)
        #expect(
            try waiting.filter { $0.count > 0 }.map { try $0.reply().status }
                == Array(repeating: 503, count: 255))
        bench.state.end()
    }

    @Test(
        "At an endpoint with concurrency, a quarter of its requests may wait",
        arguments: [(8, 2), (3, 1), (1, 1)])
    func share(_ concurrency: Int, _ most: Int) throws {
        let responder = try responder(.concurrency(concurrency))
        serve(.silence)
        let fields = try forged()
        let waiting = try (1...most).map { _ in try responder.ask(.get, "/me", fields) }
        #expect(waiting.allSatisfy { $0.count == 0 })
        #expect(try responder.reply(.get, "/me", fields).status == 503)
        #expect(try responder.reply(.get, "/me", try bench.issuer.bearer("ann")).status == 200)
        bench.state.end()
        advance(0)
        #expect(waiting.allSatisfy { $0.count == 1 })
    }

    @Test("A request waits 2 s for a fetch, and one that comes later does not wait for it")
    func patience() throws {
        bench.serveKeys(after: .milliseconds(4000))
        let responder = try responder()
        let fields = try bench.issuer.bearer("ann")
        advance(500)
        let first = try responder.ask(.get, "/me", fields)
        advance(1499)
        #expect(first.count == 0)
        let second = try responder.ask(.get, "/me", fields)
        #expect(second.count == 0)
        advance(1)
        for waiting in [first, second] {
            let reply = try waiting.reply()
            #expect(reply.status == 503)
            #expect(
                reply.summary.access?.reason == "the fetch of signing keys takes longer than 2 s")
        }
        #expect(try responder.reply(.get, "/me", fields).status == 503)
        advance(2000)
        // The fetch went on.
        #expect(try responder.reply(.get, "/me", fields).status == 200)
        #expect(bench.fetches == 1)
    }

    @Test("A fetch for an unknown key that takes too long is 503, and never 401: nobody can tell")
    func unknown() throws {
        let responder = try responder()
        advance(1000)
        bench.serveKeys(after: .milliseconds(3000))
        let waiting = try responder.ask(.get, "/me", try forged())
        advance(2000)
        #expect(try waiting.reply().status == 503)
        #expect(try responder.reply(.get, "/me", try forged()).status == 503)
        advance(1000)
        #expect(try responder.reply(.get, "/me", try forged()).status == 401)
        #expect(bench.fetches == 2)
    }

    @Test("If newer keys take too long after a long pause without requests, the known ones are used")
    func overdue() throws {
        let responder = try responder()
        let fields = try bench.issuer.bearer("ann", expiresIn: 100_000)
        serve(.silence)
        bench.time.advance(by: Duration.seconds(7200))
        let waiting = try responder.ask(.get, "/me", fields)
        #expect(waiting.count == 0)
        advance(2000)
        #expect(try waiting.reply().status == 200)
        #expect(try responder.reply(.get, "/me", try bench.issuer.bearer("bob")).status == 200)
        bench.state.end()
    }

    @Test("At the end of the gateway, whoever waits is answered, and no timer is left")
    func end() throws {
        serve(.silence)
        let responder = try responder()
        let waiting = try responder.ask(.get, "/me", try bench.issuer.bearer("ann"))
        bench.state.end()
        advance(0)
        #expect(try waiting.reply().status == 503)
        #expect(bench.transport.inFlight == 0)
    }
}
