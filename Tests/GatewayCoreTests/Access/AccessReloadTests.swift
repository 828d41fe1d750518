import GatewayCore
import HTTPModel
import JSONBytes
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

    @Test("Requests that wait for the keys of an entry that is gone are answered")
    func waiting() throws {
        bench.transport.answer("/jwks.json", .silence)
        let waiting = try generation(isFirst: true).ask(.get, "/me", try bench.issuer.bearer("ann"))
        #expect(waiting.count == 0)
        let gateway = bench.gateway(isFirst: false)
        gateway.get("/me") { _ in Answer.json(1) }
        try gateway.responder().useAccess()
        bench.time.advance(by: Duration.zero)
        #expect(try waiting.reply().status == 503)
    }

    @Test("A request of an earlier generation that needs keys after their end does not wait for them")
    func afterEnd() throws {
        bench.transport.answer("/jwks.json", .failure(.connectionRefused))
        let first = try generation(isFirst: true)
        bench.time.advance(by: Duration.seconds(10))
        let gateway = bench.gateway(isFirst: false)
        gateway.get("/me") { _ in Answer.json(1) }
        try gateway.responder().useAccess()
        let fetches = bench.fetches
        #expect(try first.reply(.get, "/me", try bench.issuer.bearer("ann")).status == 503)
        #expect(bench.fetches == fetches)
    }

    @Test("At the end of the gateway, a fetch in progress is cancelled")
    func end() throws {
        bench.transport.answer("/jwks.json", .silence)
        _ = try generation(isFirst: true)
        #expect(bench.transport.inFlight == 1)
        bench.state.end()
        #expect(bench.transport.inFlight == 0)
    }
}
