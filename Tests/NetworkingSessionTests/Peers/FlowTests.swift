import HTTPModel
import Locking
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

/// Tests flows of several requests between nginx over plain HTTP and nginx over TLS.
@Suite(
    "Redirects, cookies and tokens over TLS", .timeLimit(.minutes(2)),
    .enabled(if: Nginx.isInstalled, "nginx is not installed: make setup"))
struct FlowTests {
    @Test(
        "A redirect from https to http is not followed, and a redirect to https loses the credentials"
    )
    func redirects() async throws {
        let plain = try Nginx("location / { return 200 'in the clear'; }")
        defer { plain.stop() }
        let secure = try Nginx.secure(
            """
            location = /down { return 302 \(plain.url)/; }
            location = /home { return 200 'auth=$http_authorization cookie=$http_cookie scheme=$scheme'; }
            """)
        defer { secure.stop() }
        let entrance = try Nginx("location = /up { return 301 \(secure.secureURL)/home; }")
        defer { entrance.stop() }
        try await PeerSession.with(secure.secureURL) { peer async throws in
            var peer = peer
            peer.policy.redirects = .follow(hosts: ["127.0.0.1"])
            let error = try #require(try await peer.failure("/down"))
            #expect(error.reason == .unexpectedStatus)
            #expect(error.statusCode == 302)
            #expect(plain.accessLog.isEmpty)
        }
        try await PeerSession.with(entrance.url) { peer async throws in
            #expect(try await peer.get("/up").statusCode == 301)
            var target = peer.target("/up")
            target.headers = [.authorization: "Bearer secret", .cookie: "sid=secret"]
            var peer = peer
            // Another port is another origin, which the policy must allow.
            peer.policy.redirects = .follow(hosts: ["127.0.0.1:1"])
            #expect(try await peer.failure("/up")?.statusCode == 301)
            peer.policy.redirects = .follow(hosts: ["127.0.0.1:\(secure.port)"])
            #expect(try await peer.provider.request(target).text == "auth= cookie= scheme=https")
        }
    }

    @Test(
        "A Secure cookie is rejected over http, sent only over https, and removed by Max-Age=0"
    )
    func cookies() async throws {
        let server = """
            location = /in { add_header Set-Cookie 'sid=$scheme; Path=/; Secure; HttpOnly'; return 204; }
            location = /out { add_header Set-Cookie 'sid=; Path=/; Max-Age=0; Secure'; return 204; }
            location = /who { return 200 'cookie=$cookie_sid'; }
            """
        let plain = try Nginx(server)
        defer { plain.stop() }
        let secure = try Nginx.secure(server)
        defer { secure.stop() }
        let jar = CookieJar()
        func text(_ base: String, _ path: RequestPath) async throws -> String {
            try await PeerSession.calling(base) { peer async throws in
                var peer = peer
                peer.cookies = jar
                return try await peer.text(path)
            }
        }
        _ = try await text(plain.url, "/in")
        #expect(jar.cookies.isEmpty)
        #expect(try await text(plain.url, "/who") == "cookie=")
        _ = try await text(secure.secureURL, "/in")
        #expect(try await text(secure.secureURL, "/who") == "cookie=https")
        // Cookies ignore ports, so only the scheme keeps the cookie from being sent.
        #expect(try await text(plain.url, "/who") == "cookie=")
        _ = try await text(secure.secureURL, "/out")
        #expect(try await text(secure.secureURL, "/who") == "cookie=")
    }

    private struct Tokens: Decodable { var accessToken: String }

    @Test(
        "Concurrent calls that get a 401 share one refresh, and all succeed or fail with it"
    )
    func tokens() async throws {
        let nginx = try Nginx.secure(
            """
            default_type application/json;
            location = /data { if ($http_authorization != 'Bearer t1') { return 401; } return 200 '{"ok":true}'; }
            location = /token { if ($arg_by != 'r0') { return 403; } return 200 '{"accessToken":"t1"}'; }
            """)
        defer { nginx.stop() }
        try await PeerSession.with(nginx.secureURL) { peer async throws in
            func statuses(refreshToken: String) async throws -> [Int?] {
                let accounts = peer.provider
                let interceptor = AuthenticationInterceptor(
                    BearerAuthenticator { old in
                        let task = RequestTask.parameters(["by": old.refreshToken ?? ""], encoding: .query)
                        return accounts.rx.request(peer.target("/token", .get, task))
                            .filterSuccessfulStatusCodes().map(Tokens.self)
                            .map {
                                BearerCredential(accessToken: $0.accessToken, refreshToken: old.refreshToken)
                            }
                    }, credential: BearerCredential(accessToken: "t0", refreshToken: refreshToken))
                let data = Provider<FileAPI>(
                    session: peer.session, policy: peer.policy, interceptor: interceptor)
                return await withTaskGroup(of: Int?.self) { group in
                    for _ in 0..<40 {
                        group.addTask { try? await data.request(peer.target("/data")).statusCode }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
            }
            func refreshes(_ by: String) -> Int {
                nginx.accessLog.split(separator: "\n").count { $0.contains("/token?by=\(by) ") }
            }
            #expect(
                try await statuses(refreshToken: "stolen")
                    == Array(repeating: nil, count: 40))
            #expect(
                try await statuses(refreshToken: "r0") == Array(repeating: 200, count: 40))
            // Calls that get a 401 after the failed refresh start another, up to the limit on refreshes.
            #expect((1...5).contains(refreshes("stolen")))
            #expect(refreshes("r0") == 1)
        }
    }
}
