import GatewayCore
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

private struct AccountAPI: TargetType {
    var baseURL: String { "http://127.0.0.1:1" }
    var path: RequestPath { "/account" }
}

@Suite("Upstreams that log in connections", .timeLimit(.minutes(1)))
struct ConnectionLoginTests {
    /// Serves `/files/account`, which passes through, and `/account`, which answers with JSON, in front of an
    /// upstream that logs in connections.
    private func withLogin(_ body: (GatewayServer, ScriptedUpstream) throws -> Void) throws {
        let upstream = try ScriptedUpstream(.open, ConnectionLogin.scripts(16))
        defer { upstream.stop() }
        _ = try withLoggedGateway(
            stops: true,
            configure: { $0.upstreams["files"] = "http://127.0.0.1:\(upstream.port)" },
            declare: { gateway in
                let files = gateway.proxyUpstream("files", policy: .single)
                gateway.proxy("/files/{path...}", to: files, .forwardsAuthorization(to: "files"))
                let accounts = gateway.provider(AccountAPI.self, upstream: "files", policy: .single)
                gateway.get("/account", .forwardsAuthorization(to: "files")) { _ in
                    .parts(account: accounts.rx.request(AccountAPI()).fragment())
                }
            }
        ) { try body($0, upstream) }
    }

    @Test(
        "A user gets no answer of another who has logged in, through either kind of endpoint",
        arguments: ["/files/account", "/account"], ["/files/account", "/account"])
    func noMixUp(first: String, second: String) throws {
        try withLogin { server, upstream in
            let alice = try RawClient(port: server.port)
            alice.begin("GET \(first)", "Authorization: Negotiate alice")
            #expect(try alice.reply().text.contains(#""account":"alice"}"#))
            let bob = try RawClient(port: server.port)
            for path in [second, first] {
                bob.begin("GET \(path)")
                let reply = try bob.reply()
                #expect(reply.status == 401)
                #expect(!reply.text.contains("alice"))
            }
            bob.begin("GET \(second)", "Authorization: Negotiate bob")
            #expect(try bob.reply().text.contains(#""account":"bob"}"#))
            alice.begin("GET \(first)")
            #expect(try alice.reply().status == 401)
            #expect(upstream.connections == upstream.requests.count)
        }
    }

    @Test("A login by NTLM fails, and the challenges pass", arguments: ["/files/account", "/account"])
    func ntlm(path: String) throws {
        try withLogin { server, _ in
            let alice = try RawClient(port: server.port)
            alice.begin("GET \(path)")
            #expect(try alice.reply().values("WWW-Authenticate") == ["Negotiate", "NTLM"])
            alice.begin("GET \(path)", "Authorization: NTLM hello")
            #expect(try alice.reply().values("WWW-Authenticate") == ["NTLM challenge"])
            alice.begin("GET \(path)", "Authorization: NTLM alice")
            #expect(try alice.reply().status == 401)
            let bob = try RawClient(port: server.port)
            bob.begin("GET \(path)")
            #expect(try bob.reply().status == 401)
        }
    }
}
