import GatewayCore
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingTesting
import RxTesting
import Testing

/// Rules 12 and 13: how signing keys are fetched, and how long tokens stay verified.
@Suite("Signing keys", .noLeaks)
struct SigningKeyTests {
    private let bench: AccessBench

    init() throws { bench = try AccessBench() }

    private func responder(_ change: (inout TokenSettings) -> Void = { _ in }) throws -> GatewayResponder {
        try bench.responder(.require("mobile")) { $0.auth("mobile", bench.tokens(change)) }
    }

    private func serve(_ answers: StubTransport.Answer...) {
        guard let first = answers.first else { return }
        if answers.count == 1 { bench.transport.answer("/jwks.json", first) }
        if answers.count == 2 { bench.transport.answer("/jwks.json", first, answers[1]) }
    }

    private func advance(_ seconds: Int) { bench.time.advance(by: Duration.seconds(seconds)) }

    /// Returns the answer to a request that may wait for a fetch with all its attempts.
    private func settled(_ responder: GatewayResponder, _ fields: HTTPFields) throws -> Reply {
        let waiting = try responder.ask(.get, "/me", fields)
        advance(2)
        return try waiting.reply()
    }

    @Test("Keys are fetched at the start, before the first request")
    func start() throws {
        let responder = try responder()
        #expect(bench.fetches == 1)
        #expect(try responder.reply(.get, "/me", try bench.issuer.bearer("ann"))["/data"] == "\"ann\"")
        #expect(bench.fetches == 1)
    }

    @Test("The fetch carries nothing of a request")
    func fields() throws {
        serve(.failure(.connectionRefused), .json(bench.issuer.keySet))
        let responder = try responder()
        advance(6)
        var fields = try bench.issuer.bearer("ann")
        fields.append(.xRequestID, "mine")
        #expect(try responder.reply(.get, "/me", fields).status == 200)
        let fetch = try #require(bench.calls("/jwks.json").last)
        #expect(fetch[.xRequestID] == nil)
        #expect(fetch[.authorization] == nil)
    }

    @Test("Requests that come before the keys wait for the one fetch")
    func wait() throws {
        bench.serveKeys(after: .milliseconds(200))
        let responder = try responder()
        let waiting = try (1...3).map { try responder.ask(.get, "/me", bench.issuer.bearer("user\($0)")) }
        #expect(waiting.allSatisfy { $0.count == 0 })
        bench.time.advance(by: Duration.milliseconds(200))
        #expect(try waiting.map { try $0.reply()["/data"] } == ["\"user1\"", "\"user2\"", "\"user3\""])
        #expect(bench.fetches == 1)
    }

    @Test("A token that no key could save does not wait")
    func hopeless() throws {
        bench.serveKeys(after: .seconds(5))
        let responder = try responder()
        let fields = try bench.issuer.bearer("ann", expiresIn: -100)
        #expect(try responder.reply(.get, "/me", fields).summary.access?.result == .expired)
        advance(5)
    }

    @Test("A request whose client leaves stops waiting, and the others go on")
    func leave() throws {
        bench.serveKeys(after: .milliseconds(200))
        let responder = try responder()
        let gone = try responder.ask(.get, "/me", try bench.issuer.bearer("ann"))
        let stays = try responder.ask(.get, "/me", try bench.issuer.bearer("bob"))
        gone.dispose()
        bench.time.advance(by: Duration.milliseconds(200))
        #expect(gone.count == 0)
        #expect(try stays.reply()["/data"] == "\"bob\"")
    }

    @Test("Without any keys a token is 503, and never admitted; the next fetch comes 5 s later")
    func unavailable() throws {
        serve(.failure(.connectionRefused))
        let responder = try responder()
        let fields = try bench.issuer.bearer("ann")
        let reply = try settled(responder, fields)
        #expect(reply.status == 503)
        #expect(reply["/code"] == "\"UPSTREAM_UNAVAILABLE\"")
        #expect(reply.summary.access?.result == .unavailable)
        bench.serveKeys()
        advance(2)
        let next = try responder.reply(.get, "/me", fields)
        #expect(next.status == 503)
        #expect(next.fields[.retryAfter] == "1")
        #expect(
            next.summary.access?.reason
                == "the gateway has no signing keys; the next fetch can begin in 1 s")
        advance(1)
        #expect(try responder.reply(.get, "/me", fields).status == 200)
        #expect(bench.events == ["mobile gone", "mobile back"])
    }

    @Test("The first token with a new key is served: the unknown key is fetched once")
    func rotation() throws {
        let responder = try responder()
        try bench.issuer.rotate()
        bench.serveKeys(after: .milliseconds(50))
        let waiting = try (1...2).map { _ in try responder.ask(.get, "/me", bench.issuer.bearer("ann")) }
        bench.time.advance(by: Duration.milliseconds(50))
        #expect(try waiting.map { try $0.reply().status } == [200, 200])
        #expect(bench.fetches == 2)
    }

    @Test("Unknown keys cause one fetch in 30 s")
    func unknown() throws {
        let responder = try responder()
        for _ in 1...50 {
            let token = try bench.issuer.token("ann", keyID: "\(bench.fetches)-unknown")
            #expect(try responder.reply(.get, "/me", [.authorization: "Bearer \(token)"]).status == 401)
        }
        #expect(bench.fetches == 2)
        advance(30)
        let token = try bench.issuer.token("ann", keyID: "still unknown")
        #expect(try responder.reply(.get, "/me", [.authorization: "Bearer \(token)"]).status == 401)
        #expect(bench.fetches == 3)
        // Known tokens are served all the time.
        #expect(try responder.reply(.get, "/me", try bench.issuer.bearer("ann")).status == 200)
    }

    @Test("An unknown key is 503 while newer keys cannot be had: nobody can tell")
    func unknownAndGone() throws {
        let responder = try responder()
        try bench.issuer.rotate()
        serve(.failure(.connectionRefused))
        for _ in 1...2 {
            #expect(try settled(responder, try bench.issuer.bearer("ann")).status == 503)
        }
        // One fetch with its attempts.
        let fetches = bench.fetches
        #expect(try settled(responder, try bench.issuer.bearer("ann")).status == 503)
        #expect(bench.fetches == fetches)
    }

    @Test(
        "Keys are fetched again when Cache-Control says so, within 5 min to 24 h",
        arguments: [
            ("", 300), ("max-age=1", 300), ("public, max-age=600", 600), ("no-store", 300),
            ("max-age=99999999", 86_400), ("no-cache, max-age=600", 300),
        ])
    func age(_ cacheControl: String, _ seconds: Int) throws {
        bench.serveKeys(cacheControl.isEmpty ? [:] : [.cacheControl: cacheControl])
        let responder = try responder()
        func ask() throws -> Int {
            try responder.reply(.get, "/me", try bench.issuer.bearer("ann")).status
        }
        advance(seconds - 1)
        #expect(try ask() == 200)
        #expect(bench.fetches == 1)
        advance(1)
        #expect(try ask() == 200)
        #expect(bench.fetches == 2)
    }

    @Test("A failed fetch keeps the old keys, for 24 h after they should have been fetched again")
    func outage() throws {
        let responder = try responder()
        serve(.failure(.connectionRefused))
        for _ in 1...23 {
            advance(3600)
            #expect(try settled(responder, try bench.issuer.bearer("ann")).status == 200)
        }
        // Fresh for 5 min, and 24 h more.
        advance(3700)
        #expect(try settled(responder, try bench.issuer.bearer("ann")).status == 200)
        advance(300)
        #expect(try settled(responder, try bench.issuer.bearer("ann")).status == 503)
        #expect(bench.events == ["mobile gone"])
    }

    @Test("After a failed fetch, old keys are fetched again 30 s later: not after 29 s, and once after 30 s")
    func pauseAfterFailure() throws {
        let responder = try responder()
        serve(.failure(.connectionRefused))
        advance(300)
        // Begins the fetch, for which nobody waits.
        #expect(try responder.reply(.get, "/me", try bench.issuer.bearer("ann")).status == 200)
        advance(2)
        #expect(bench.events == ["mobile gone"])
        let attempts = bench.fetches
        #expect(attempts > 1)
        bench.serveKeys()
        advance(27)
        #expect(try responder.reply(.get, "/me", try bench.issuer.bearer("ann")).status == 200)
        #expect(bench.fetches == attempts)
        advance(1)
        for _ in 1...3 {
            #expect(try responder.reply(.get, "/me", try bench.issuer.bearer("ann")).status == 200)
        }
        #expect(bench.fetches == attempts + 1)
        #expect(bench.events == ["mobile gone", "mobile back"])
    }

    @Test("Keys that are fresh for a day stay in use while the next fetch is slow, and after it has failed")
    func slowOutage() throws {
        bench.serveKeys([.cacheControl: "max-age=86400"])
        let responder = try responder()
        serve(.failure(.connectionRefused, after: .seconds(1)))
        advance(86_400)
        for _ in 1...10 {
            let waiting = try responder.ask(.get, "/me", try bench.issuer.bearer("ann"))
            #expect(try waiting.reply().status == 200)
            bench.time.advance(by: Duration.milliseconds(700))
        }
        #expect(bench.events == ["mobile gone"])
        advance(86_400)
        let waiting = try responder.ask(.get, "/me", try bench.issuer.bearer("ann"))
        advance(10)
        #expect(try waiting.reply().status == 503)
    }

    @Test("The fetch carries the constant fields of its upstream")
    func constantFields() throws {
        let gateway = bench.gateway()
        _ = gateway.plannedUpstream("id", "https://id.test", headers: ["X-Key": "1"])
        gateway.auth("mobile", bench.tokens())
        _ = try gateway.responder()
        #expect(bench.calls("/jwks.json").map { $0["X-Key"] } == ["1"])
    }

    @Test("A key that is gone is dead at once, also for tokens that were verified with it")
    func gone() throws {
        let responder = try responder()
        let old = try bench.issuer.bearer("ann")
        advance(299)
        #expect(try responder.reply(.get, "/me", old).status == 200)
        try bench.issuer.rotate(keepingOld: false)
        bench.serveKeys()
        advance(1)
        // Begins the fetch, which ends at once.
        #expect(try responder.reply(.get, "/me", try bench.issuer.bearer("bob")).status == 200)
        #expect(try responder.reply(.get, "/me", old).status == 401)
    }

    @Test("After a long pause without requests, the first one waits for newer keys")
    func pause() throws {
        let responder = try responder()
        let old = try bench.issuer.bearer("ann", expiresIn: 100_000)
        try bench.issuer.rotate(keepingOld: false)
        bench.serveKeys(after: .milliseconds(10))
        advance(7200)
        let waiting = try responder.ask(.get, "/me", old)
        #expect(waiting.count == 0)
        bench.time.advance(by: Duration.milliseconds(10))
        #expect(try waiting.reply().status == 401)
    }

    @Test("A verified token ends with its expiry, to the second, and with the leeway")
    func expiry() throws {
        let responder = try responder { $0.leeway = .seconds(10) }
        let fields = try bench.issuer.bearer("ann", expiresIn: 20)
        advance(29)
        #expect(try responder.reply(.get, "/me", fields).status == 200)
        #expect(try responder.reply(.get, "/me", fields).status == 200)
        advance(1)
        #expect(try responder.reply(.get, "/me", fields).status == 401)
    }

    @Test("A seen token gives the same identity without being read again")
    func seen() throws {
        let seen = Lock<[Identity]>([])
        let gateway = bench.gateway()
        gateway.auth("mobile", bench.tokens())
        gateway.get("/me", .require("mobile")) { request in
            if let identity = request.identity { seen.withLock { $0.append(identity) } }
            return Answer.json(1)
        }
        let responder = try gateway.responder()
        let ann = try bench.issuer.bearer("ann")
        for fields in [ann, ann, try bench.issuer.bearer("bob")] {
            #expect(try responder.reply(.get, "/me", fields).status == 200)
        }
        let identities = seen.withLock { $0 }
        try #require(identities.count == 3)
        #expect(identities[0] === identities[1])
        #expect(identities[1] !== identities[2])
    }

    @Test(
        "A key set that cannot be read counts as a failed fetch",
        arguments: ["", "[]", "{\"keys\":1}", String(repeating: " ", count: 300_000) + "{\"keys\":[]}"])
    func unreadable(_ body: String) throws {
        serve(.response(200, body: body))
        let responder = try responder()
        #expect(try responder.reply(.get, "/me", try bench.issuer.bearer("ann")).status == 503)
        #expect(bench.events == ["mobile gone"])
    }

    /// Documents without a key for ES256: empty, an unknown curve, a point off the curve, a key for
    /// encryption, a private key, a secret, and a key of another algorithm.
    private static let unusable = [
        #"{"keys":[]}"#, #"{"keys":[{"kty":"EC","crv":"P-521","x":"AA","y":"AA"}]}"#,
        #"{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]}"#,
        #"{"keys":[{"kty":"EC","crv":"P-256","use":"enc","x":"AA","y":"AA"}]}"#,
        #"{"keys":[{"kty":"EC","crv":"P-256","d":"AA","x":"AA","y":"AA"}]}"#,
        #"{"keys":[{"kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]}"#,
        #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#,
    ]

    /// Without what the log says about skipped keys.
    private var changes: [String] { bench.events.filter { $0 != "mobile skips" } }

    @Test("The first key set without a usable key brings no keys: tokens are 503", arguments: unusable)
    func firstUnusable(_ body: String) throws {
        serve(.json(body))
        let responder = try responder()
        let fields = try bench.issuer.bearer("ann")
        let reply = try responder.reply(.get, "/me", fields)
        #expect(reply.status == 503)
        #expect(reply.summary.access?.result == .unavailable)
        #expect(changes == ["mobile gone"])
        #expect(bench.reasons.last == "the key set has no usable key for ES256")
        bench.serveKeys()
        advance(5)
        #expect(try responder.reply(.get, "/me", fields).status == 200)
        #expect(changes.last == "mobile back")
    }

    @Test(
        "A key set without a usable key counts as a failed fetch: the old keys stay, and the log says it once",
        arguments: unusable)
    func laterUnusable(_ body: String) throws {
        let responder = try responder()
        let seen = try bench.issuer.bearer("ann", expiresIn: 100_000)
        #expect(try responder.reply(.get, "/me", seen).status == 200)
        serve(.json(body))
        for _ in 1...3 {
            advance(301)
            #expect(try responder.reply(.get, "/me", seen).status == 200)
            let unseen = try bench.issuer.bearer("bob")
            #expect(try responder.reply(.get, "/me", unseen).status == 200)
        }
        #expect(bench.fetches == 4)
        #expect(changes == ["mobile gone"])
        #expect(bench.reasons.count { $0 == "the key set has no usable key for ES256" } == 1)
        // A token with an unknown key may be good.
        let token = try bench.issuer.token("eve", keyID: "unknown")
        #expect(try responder.reply(.get, "/me", [.authorization: "Bearer \(token)"]).status == 503)
    }

    @Test("The log names the first skipped keys of a set, and why; the other keys are used")
    func skipped() throws {
        let key = #"{"kty":"oct","k":"AA"}"#
        let keys = Array(repeating: key, count: 5).joined(separator: ",")
        serve(.json(bench.issuer.keySet.replacing("[", with: "[\(keys),")))
        let responder = try responder()
        #expect(try responder.reply(.get, "/me", try bench.issuer.bearer("ann")).status == 200)
        let reason = "a secret is used only from a file, with HS256 as the only algorithm"
        let reasons = (1...4).map { "key \($0): \(reason); " }.joined()
        #expect(bench.events == ["mobile skips"])
        #expect(bench.reasons == ["\(reasons)and 1 more"])
    }

    @Test("A redirect of the keys' address is not followed")
    func redirect() throws {
        serve(.response(302, fields: [.location: "https://id.test/evil.json"]))
        bench.transport.answer("/evil.json", .json(bench.issuer.keySet))
        let responder = try responder()
        #expect(try responder.reply(.get, "/me", try bench.issuer.bearer("ann")).status == 503)
        #expect(bench.calls("/evil.json").isEmpty)
    }

    @Test("A request that waits for keys ends at the endpoint's deadline")
    func deadline() throws {
        serve(.silence)
        let gateway = bench.gateway()
        gateway.auth("mobile", bench.tokens())
        gateway.after { $0.addField("X-After", "1") }
        gateway.get("/me", .require("mobile"), .deadline(.milliseconds(300))) { _ in Answer.json(1) }
        let responder = try gateway.responder()
        let waiting = try responder.ask(.get, "/me", try bench.issuer.bearer("ann"))
        bench.time.advance(by: Duration.milliseconds(300))
        let reply = try waiting.reply()
        #expect(reply.status == 504)
        // Nobody knows yet who calls, so middleware does not run.
        #expect(!reply.fields.contains("X-After"))
        bench.state.end()
    }
}
