import FoundationEssentials
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import RxTesting
import Testing

/// Rule 12: what a token with an unknown key causes, and what it is told. Anybody can write one.
@Suite("Tokens with unknown keys", .noLeaks)
struct UnknownKeyTests {
    private let bench: AccessBench

    init() throws { bench = try AccessBench() }

    private func responder() throws -> GatewayResponder {
        try bench.responder(.require("mobile")) { $0.auth("mobile", bench.tokens()) }
    }

    private func advance(_ seconds: Int) { bench.time.advance(by: Duration.seconds(seconds)) }

    /// Returns `"iat":...` for a token that was issued so many seconds ago.
    private func issued(_ age: Int) -> String {
        "\"iat\":\(Int(bench.time.now.timeIntervalSince1970) - age)"
    }

    /// Returns a token that the issuer has not signed with this key.
    private func forged(_ claims: String = "", keyID: String = "forged") throws -> HTTPFields {
        [.authorization: "Bearer \(try bench.issuer.token("eve", claims, keyID: keyID))"]
    }

    @Test(
        "After a forged token has used the fetch, a token of a new key has to come again, and is served then"
    )
    func rotation() throws {
        let responder = try responder()
        #expect(try responder.reply(.get, "/me", try forged()).status == 401)
        #expect(bench.fetches == 2)
        advance(6)
        try bench.issuer.rotate()
        bench.serveKeys()
        let reply = try responder.reply(.get, "/me", try bench.issuer.bearer("ann", issued(1)))
        #expect(reply.status == 503)
        #expect(reply["/code"] == "\"UPSTREAM_UNAVAILABLE\"")
        #expect(reply.fields[.retryAfter] == "24")
        #expect(!reply.fields.contains(.wwwAuthenticate))
        #expect(reply.summary.access?.result == .unavailable)
        #expect(
            reply.summary.access?.reason
                == "the key is unknown and may be new; the next fetch can begin in 24 s")
        #expect(bench.fetches == 2)
        advance(24)
        #expect(try responder.reply(.get, "/me", try bench.issuer.bearer("ann", issued(25))).status == 200)
        #expect(bench.fetches == 3)
    }

    @Test(
        "Between two fetches, a token that may be newer than the known keys is 503, and any other 401",
        arguments: [
            ("issued now", 0, 503), ("issued within the leeway", 39, 503),
            ("issued before the known keys were fetched", 41, 401), ("issued long ago", 1_000_000, 401),
            ("issued in the future", -1_000_000, 503), ("never issued", nil, 401),
        ] as [(String, Int?, Int)])
    func ages(_ name: String, _ age: Int?, _ status: Int) throws {
        let responder = try responder()
        _ = try responder.reply(.get, "/me", try forged())
        // The leeway is 30 s.
        advance(10)
        let claims = age.map { issued($0) } ?? ""
        #expect(try responder.reply(.get, "/me", try forged(claims)).status == status)
        #expect(bench.fetches == 2)
    }

    @Test(
        "iat of any form is bounded",
        arguments: [
            ("1e300", 503), ("-1e300", 401), ("\"x\"", 401), ("null", 401), ("[]", 401), ("1.5", 503),
        ])
    func forms(_ value: String, _ status: Int) throws {
        let responder = try responder()
        _ = try responder.reply(.get, "/me", try forged())
        advance(1)
        #expect(try responder.reply(.get, "/me", try forged("\"iat\":\(value)")).status == status)
    }

    @Test("Tokens of a key that is gone are 401, also between two fetches: their users have to log in again")
    func gone() throws {
        let responder = try responder()
        let old = try bench.issuer.bearer("ann", issued(60), expiresIn: 100_000)
        #expect(try responder.reply(.get, "/me", old).status == 200)
        try bench.issuer.rotate(keepingOld: false)
        bench.serveKeys()
        #expect(try responder.reply(.get, "/me", try bench.issuer.bearer("bob")).status == 200)
        for _ in 1...100 {
            #expect(try responder.reply(.get, "/me", old).status == 401)
            advance(1)
        }
        // One fetch at the start, one for the new key, and one in 30 s for the old one.
        #expect(bench.fetches == 5)
    }

    @Test("A thousand forged tokens that claim to be new cause one fetch in 30 s", arguments: [true, false])
    func crowd(_ haveAge: Bool) throws {
        let responder = try responder()
        for number in 1...1000 {
            let fields = try forged(haveAge ? issued(0) : "", keyID: "forged \(number)")
            #expect(try responder.reply(.get, "/me", fields).status != 200)
            bench.time.advance(by: Duration.milliseconds(29))
        }
        #expect(bench.fetches == 2)
        advance(1)
        _ = try responder.reply(.get, "/me", try forged(issued(0)))
        #expect(bench.fetches == 3)
    }

    @Test("A fetch that began before the token came says nothing about its key: 503, or 401 without iat")
    func joined() throws {
        let responder = try responder()
        bench.serveKeys(after: .milliseconds(100))
        let forged = try responder.ask(.get, "/me", try forged())
        bench.time.advance(by: Duration.milliseconds(50))
        try bench.issuer.rotate()
        let new = try responder.ask(.get, "/me", try bench.issuer.bearer("ann", issued(0)))
        let silent = try responder.ask(.get, "/me", try bench.issuer.bearer("ann"))
        bench.time.advance(by: Duration.milliseconds(50))
        #expect(try forged.reply().status == 401)
        let reply = try new.reply()
        #expect(reply.status == 503)
        #expect(reply.fields[.retryAfter] == "30")
        #expect(try silent.reply().status == 401)
        #expect(bench.fetches == 2)
    }

    @Test(
        "A token whose key came after the start of another fetch waits for one more",
        arguments: [true, false])
    func joinedRefresh(_ hasAge: Bool) throws {
        let responder = try responder()
        advance(300)
        bench.serveKeys(after: .milliseconds(100))
        // Begins a fetch for which nobody waits.
        #expect(try responder.reply(.get, "/me", try bench.issuer.bearer("ann")).status == 200)
        bench.time.advance(by: Duration.milliseconds(50))
        try bench.issuer.rotate()
        bench.serveKeys()
        let waiting = try responder.ask(.get, "/me", try bench.issuer.bearer("bob", hasAge ? issued(0) : ""))
        bench.time.advance(by: Duration.milliseconds(50))
        #expect(try waiting.reply().status == 200)
        #expect(bench.fetches == 3)
    }

    @Test("The log says when the next fetch can begin")
    func nextFetch() throws {
        let responder = try responder()
        for seconds in [30, 24, 18] {
            let reply = try responder.reply(.get, "/me", try forged())
            #expect(reply.status == 401)
            #expect(
                reply.summary.access?.reason
                    == "no known key has signed the token; the next fetch can begin in \(seconds) s")
            advance(6)
        }
    }
}
