import GatewayCore
import HTTPModel
import JSONBytes
import Locking
import NetworkingTesting
import RxTesting
import Testing

/// Rule 4: what a reload keeps, and what it does not.
@Suite("Callers and limits over a reload", .noLeaks)
struct AccessReloadTests {
    private let bench: AccessBench

    init() throws { bench = try AccessBench() }

    private func generation(
        isFirst: Bool = false, rate: Int = 2, _ change: (inout TokenSettings) -> Void = { _ in }
    ) throws -> GatewayResponder {
        let gateway = bench.gateway(isFirst: isFirst)
        gateway.auth("mobile", bench.tokens(change))
        gateway.rateLimit("each", RateLimit(key: [.client], rate: rate, per: .seconds(60)))
        gateway.get("/me", .require("mobile"), .rateLimits("each")) { Answer.json("\($0.clientAddress)") }
        return try gateway.responder()
    }

    @Test("Equal settings keep the keys and the counts")
    func equal() throws {
        let fields = try bench.issuer.bearer("ann")
        #expect(try generation(isFirst: true).reply(.get, "/me", fields).status == 200)
        let next = try generation()
        next.useAccess()
        #expect(bench.fetches == 1)
        #expect(try next.reply(.get, "/me", fields).status == 200)
        #expect(try next.reply(.get, "/me", fields).status == 429)
    }

    @Test(
        "A token that was verified stays verified over a reload with equal settings, and not with others",
        arguments: [true, false])
    func verified(_ isEqual: Bool) throws {
        let seen = Lock<[Identity]>([])
        func generation(isFirst: Bool, leeway: Duration = .seconds(30)) throws -> GatewayResponder {
            let gateway = bench.gateway(isFirst: isFirst)
            gateway.auth("mobile", bench.tokens { $0.leeway = leeway })
            gateway.get("/me", .require("mobile")) { request in
                if let identity = request.identity { seen.withLock { $0.append(identity) } }
                return Answer.json(1)
            }
            return try gateway.responder()
        }
        let fields = try bench.issuer.bearer("ann")
        #expect(try generation(isFirst: true).reply(.get, "/me", fields).status == 200)
        let next = try generation(isFirst: false, leeway: .seconds(isEqual ? 30 : 31))
        next.useAccess()
        #expect(try next.reply(.get, "/me", fields).status == 200)
        // Whoever verifies a token makes an identity of its own.
        let identities = seen.withLock { $0 }
        try #require(identities.count == 2)
        #expect((identities[0] === identities[1]) == isEqual)
    }

    @Test("A changed entry verifies tokens again, and a changed limit counts from nothing")
    func changed() throws {
        let fields = try bench.issuer.bearer("ann")
        let first = try generation(isFirst: true)
        #expect(try first.reply(.get, "/me", fields).status == 200)
        let next = try generation(rate: 1) { $0.audience = ["another"] }
        // A generation that is not in use changes nothing.
        #expect(bench.fetches == 1)
        next.useAccess()
        #expect(bench.fetches == 2)
        #expect(try next.reply(.get, "/me", fields).status == 401)
        #expect(try next.reply(.get, "/me", fields).status == 429)
    }

    @Test("A generation that is never used leaves the one in use as it is")
    func refused() throws {
        let fields = try bench.issuer.bearer("ann")
        let first = try generation(isFirst: true)
        _ = try generation { $0.issuer = "https://other.test" }
        #expect(try first.reply(.get, "/me", fields).status == 200)
        #expect(bench.fetches == 1)
    }

    /// Takes the entry out of the configuration.
    private func removeEntry() throws {
        let gateway = bench.gateway(isFirst: false)
        gateway.get("/me") { _ in Answer.json(1) }
        try gateway.responder().useAccess()
    }

    @Test("Requests that wait for the first keys get them, though a reload changes or removes their entry")
    func waiting() throws {
        for isRemoved in [false, true] {
            bench.serveKeys(after: .milliseconds(200))
            let first = try generation(isFirst: true, rate: 100)
            let waiting = try (1...5).map { try first.ask(.get, "/me", bench.issuer.bearer("user\($0)")) }
            #expect(waiting.allSatisfy { $0.count == 0 })
            if isRemoved {
                try removeEntry()
            } else {
                try generation { $0.leeway = .seconds(31) }.useAccess()
            }
            bench.time.advance(by: Duration.milliseconds(200))
            #expect(try waiting.map { try $0.reply().status } == Array(repeating: 200, count: 5))
            bench.state.end()
        }
    }

    @Test("Keys of an earlier generation that do not come leave its requests waiting for 2 s only")
    func silence() throws {
        bench.transport.answer("/jwks.json", .silence)
        let waiting = try generation(isFirst: true).ask(.get, "/me", try bench.issuer.bearer("ann"))
        try removeEntry()
        bench.time.advance(by: Duration.zero)
        #expect(waiting.count == 0)
        bench.time.advance(by: Duration.seconds(2))
        #expect(try waiting.reply().status == 503)
        bench.state.end()
        #expect(bench.transport.inFlight == 0)
    }

    @Test("A request of an earlier generation may fetch the keys of an entry that is gone")
    func afterEnd() throws {
        bench.transport.answer("/jwks.json", .failure(.connectionRefused))
        let first = try generation(isFirst: true)
        bench.time.advance(by: Duration.seconds(10))
        try removeEntry()
        bench.serveKeys()
        #expect(try first.reply(.get, "/me", try bench.issuer.bearer("ann")).status == 200)
        // The log speaks of entries in use.
        #expect(bench.events == ["mobile gone"])
    }

    @Test("At the end of the gateway, a fetch in progress is cancelled")
    func end() throws {
        bench.transport.answer("/jwks.json", .silence)
        _ = try generation(isFirst: true)
        #expect(bench.transport.inFlight == 1)
        bench.state.end()
        #expect(bench.transport.inFlight == 0)
    }

    @Test("At the end of the gateway, a fetch for requests of an earlier generation is cancelled, too")
    func endOfRetired() throws {
        bench.transport.answer("/jwks.json", .silence)
        let waiting = try generation(isFirst: true).ask(.get, "/me", try bench.issuer.bearer("ann"))
        try removeEntry()
        #expect(bench.transport.inFlight == 1)
        bench.state.end()
        #expect(bench.transport.inFlight == 0)
        bench.time.advance(by: Duration.zero)
        #expect(try waiting.reply().status == 503)
    }
}
