import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

/// Upstreams that log in connections instead of requests (RFC 4559 6).
@Suite("Connections that users log in", .timeLimit(.minutes(1)))
struct ConnectionLoginTests {
    static let ok = CallTests.ok

    static func request(_ credentials: String? = nil, method: HTTPMethod = .get) -> OutboundRequest {
        var request = OutboundRequest(method: method, target: "/account")
        if let credentials { request.fields.append(.authorization, credentials) }
        return request
    }

    @Test(
        "After one user has logged in, another never gets the first one's answers",
        arguments: ["Negotiate alice", "negotiate alice", "NEGOTIATE alice"])
    func noMixUp(credentials: String) async throws {
        let upstream = try ScriptedUpstream(.open, ConnectionLogin.scripts(8))
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.call(Self.request(credentials)).text == #"{"account":"alice"}"#)
            #expect(try await api.call(Self.request()).status == 401)
            #expect(try await api.call(Self.request("Negotiate bob")).text == #"{"account":"bob"}"#)
            #expect(try await api.call(Self.request()).status == 401)
            #expect(try await api.call(Self.request("Negotiate alice")).text == #"{"account":"alice"}"#)
            #expect(upstream.connections == 5)
        }
        upstream.stop()
    }

    @Test("A login of several requests fails, because each goes out on a connection of its own")
    func ntlm() async throws {
        let upstream = try ScriptedUpstream(.open, ConnectionLogin.scripts(8))
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            for credentials in [nil, "NTLM hello", "NTLM alice", nil] {
                #expect(try await api.call(Self.request(credentials)).status == 401)
            }
            #expect(upstream.connections == 4)
        }
        upstream.stop()
    }

    @Test(
        "A request that logs in its connection is the connection's last, whatever its body",
        arguments: [
            "NTLM TlRMTVNTUAABAAAA", "ntlm x", "Negotiate YIIJ==", "NEGOTIATE", "Nego2 x", "Kerberos x",
        ], [HTTPMethod.get, .put])
    func lastRequest(credentials: String, method: HTTPMethod) async throws {
        let discarded = DiscardReasons()
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with(discarded: discarded) { harness in
            let api = try await harness.upstream(upstream)
            var login = Self.request(credentials, method: method)
            if method == .put { login.body = .bytes(Array("body".utf8)[...]) }
            #expect(try await api.get().text == "hi")
            #expect(try await api.call(login).timings?.isReusedConnection == true)
            #expect(try await api.get().timings?.isReusedConnection == false)
            #expect(upstream.connections == 2)
            #expect(discarded.all == [.loggedIn])
        }
        upstream.stop()
    }

    @Test("A streamed request that logs in its connection is the connection's last")
    func streamedRequest() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            var login = Self.request("Negotiate x", method: .put)
            login.body = .stream(ScriptedBody(StreamedRequestTests.pieces, length: 11))
            #expect(try await api.call(login).status == 200)
            #expect(try await api.get().timings?.isReusedConnection == false)
        }
        upstream.stop()
    }

    @Test("The second of two fields counts as well")
    func secondField() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            var request = Self.request("Basic YTpi")
            request.fields.append(.authorization, "NTLM x")
            #expect(try await api.call(request).status == 200)
            #expect(try await api.get().timings?.isReusedConnection == false)
        }
        upstream.stop()
    }

    @Test(
        "A response that offers or reports a login of the connection is the connection's last",
        arguments: [
            "WWW-Authenticate: NTLM", "www-authenticate: Negotiate oRQw==", "WWW-Authenticate: negotiate",
            "WWW-Authenticate: Basic realm=\"a\", NTLM",
            "WWW-Authenticate: Basic realm=\"a\"\r\nWWW-Authenticate: Nego2",
            "WWW-Authenticate: Digest qop=\"auth,auth-int\", nonce=x,Negotiate",
            "WWW-Authenticate: Basic realm=\"a, NTLM",
            "Proxy-Authenticate: NTLM", "Proxy-Authenticate: Basic, KERBEROS", "Persistent-Auth: true",
            "Proxy-Support: Session-Based-Authentication",
        ], [200, 401, 407])
    func lastResponse(field: String, status: Int) async throws {
        let head = "HTTP/1.1 \(status) Status\r\n\(field)\r\n"
        let discarded = DiscardReasons()
        let upstream = try ScriptedUpstream(
            [.readRequest, .send(head + "Content-Length: 2\r\n\r\nno"), .awaitEnd],
            // Its body arrives later and in chunks.
            [
                .readRequest, .send(head + "Transfer-Encoding: chunked\r\n\r\n"), .send("2\r\nno\r\n"),
                .send("0\r\n\r\n"), .awaitEnd,
            ],
            [.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with(discarded: discarded) { harness in
            let api = try await harness.upstream(upstream)
            for _ in 1...2 {
                let result = try await api.get()
                #expect(result.status == status)
                #expect(result.text == "no")
            }
            #expect(try await api.get().text == "hi")
            #expect(upstream.connections == 3)
            #expect(discarded.all == [.loggedIn, .loggedIn])
        }
        upstream.stop()
    }

    @Test(
        "Other credentials and challenges belong to their request, so the connection is reused",
        arguments: [
            ("Basic bnRsbTpudGxt", "WWW-Authenticate: Basic realm=\"a\""),
            ("Bearer NTLM", "WWW-Authenticate: Bearer error=\"invalid_token\""),
            ("Digest username=\"negotiate\"", "WWW-Authenticate: Digest nonce=\"abc\", qop=\"auth\""),
            ("NTLMish x", "WWW-Authenticate: NTLMish, Basic"),
            ("", "Proxy-Authenticate: Basic"), ("N", "X-Persistent-Auth: true"),
        ])
    func reused(credentials: String, field: String) async throws {
        let upstream = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 401 No\r\n\(field)\r\nContent-Length: 2\r\n\r\nno"), .again,
        ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            for _ in 1...3 { #expect(try await api.call(Self.request(credentials)).text == "no") }
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }

    @Test("A login that is sent again because its connection was stale ends the new connection as well")
    func stale() async throws {
        let upstream = try ScriptedUpstream(
            [.readRequest, .send(Self.ok), .readRequest, .close],
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nalice"), .awaitEnd],
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nnobody"), .again])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().text == "hi")
            #expect(try await api.call(Self.request("Negotiate alice")).text == "alice")
            #expect(try await api.get().text == "nobody")
            #expect(upstream.connections == 3)
        }
        upstream.stop()
    }

    @Test("A call that waits for a connection gets none that a user has logged in")
    func waiting() async throws {
        let go = Signal()
        let upstream = try ScriptedUpstream(
            [
                .readRequest, .wait(go), .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nalice"),
                .awaitEnd,
            ],
            [.readRequest, .send(Self.ok), .again])
        try await ClientHarness.with(limits: PoolLimitTests.limits(connections: 1)) { harness in
            let api = try await harness.upstream(upstream)
            let alice = api.begin(Self.request("Negotiate alice"))
            try await upstream.requestRead.wait()
            let bob = api.begin(Self.request())
            try await harness.until { $0.waiting == 1 }
            go.fire()
            #expect(try await alice.end().text == "alice")
            let answer = try await bob.end()
            #expect(answer.text == "hi")
            #expect(answer.timings?.isReusedConnection == false)
        }
        upstream.stop()
    }
}
