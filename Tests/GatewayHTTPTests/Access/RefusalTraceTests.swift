import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Locking
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Traces of requests whose callers are checked", .timeLimit(.minutes(1)))
struct RefusalTraceTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span = "00f067aa0ba902b7"
    private static let field = "traceparent: 00-\(trace)-\(span)-01\r\n"

    /// `401` or, with a `traceId`, `401 traced`.
    private static func told(_ line: JSONFragment) -> String {
        let trace = line[member: "traceId"].map { $0.stringValue == Self.trace ? " traced" : " \($0)" }
        return "\(line[member: "status"]?.intValue ?? 0)\(trace ?? "")"
    }

    @Test("A line of a request that its head refuses has no traceId, and the line of any other caller has it")
    func ids() throws {
        let forger = try TestTokens(issuer: IdentityProvider.issuer, audience: "app")
        // The name of its key is unknown.
        try forger.rotate()
        let lines = try withAccessGateway(declare: { gateway in
            gateway.rateLimit("one", RateLimit(key: [.identity], rate: 1, per: .seconds(3600)))
            gateway.get("/scoped", .require("partners", scopes: ["write"])) { _ in .json(1) }
            gateway.get("/limited", .require("partners"), .rateLimits("one")) { _ in .json(1) }
        }) { gateway throws in
            func ask(_ target: String, _ fields: String, _ status: Int) throws {
                let reply = try gateway.server.ask(target, fields + Self.field)
                #expect(reply.status == status, "\(target) \(reply)")
            }
            try ask("/page", gateway.provider.field("ann"), 200)
            try ask("/me", "", 401)
            try ask("/me", "X-API-Key: sluice_wrong\r\n", 401)
            try ask("/me", gateway.provider.field("ann", ["exp": 1]), 401)
            try ask("/scoped", gateway.keyField, 403)
            try ask("/limited", gateway.keyField, 200)
            try ask("/limited", gateway.keyField, 429)
            // This one waits for keys, so the request has begun.
            try ask("/me", "Authorization: Bearer \(forger.token("ann"))\r\n", 401)
        }
        #expect(
            lines.map(Self.told) == [
                "200 traced", "401", "401", "401", "403", "200 traced", "429", "401 traced",
            ])
        #expect(lines.allSatisfy { $0[member: "requestId"]?.stringValue?.isEmpty == false })
    }

    @Test("An authorizer is asked within the trace of the request, also again after a failed attempt")
    func authorizer() throws {
        let statuses = Lock(["503 No", "200 OK", "401 No"])
        let session = try ScriptedUpstream([
            .answer { _ in
                let status = statuses.withLock { $0.isEmpty ? "500 No" : $0.removeFirst() }
                return "HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n"
            }
        ])
        defer { session.stop() }
        var sent: [String] = []
        let lines = try withAccessGateway(
            configure: { $0.upstreams["session"] = "http://127.0.0.1:\(session.port)" },
            declare: { gateway in
                gateway.auth(
                    "web",
                    .authorize(AuthorizerSettings(upstream: "session", get: "/auth", forward: ["X-Session"])))
                let parts = gateway.provider(PartsAPI.self, upstream: "parts")
                gateway.get("/cart", .require("web")) { _ in
                    .parts(first: parts.rx.request(.first).fragment())
                }
            }
        ) { gateway throws in
            for status in [200, 401] {
                #expect(try gateway.server.ask("/cart", "X-Session: 1\r\n\(Self.field)").status == status)
            }
            sent = session.requests + gateway.upstream.requests
        }
        // Two attempts and the call of the part, then one attempt that is refused.
        #expect(sent.count == 4)
        for request in sent {
            let parent = request.firstMatch(of: /traceparent: 00-([0-9a-f]{32})-([0-9a-f]{16})-/)?.output
            #expect(parent?.1 == Self.trace[...], "\(request)")
            #expect(parent.map { $0.2 != Self.span[...] } == true, "\(request)")
        }
        // The authorizer's refusal comes after the head.
        #expect(lines.map(Self.told) == ["200 traced", "401 traced"])
    }
}
