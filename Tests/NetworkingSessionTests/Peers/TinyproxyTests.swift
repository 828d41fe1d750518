import Foundation
import HTTPModel
import Networking
import NetworkingSession
import TestSupport
import Testing

@Suite(
    "Calls of a provider through tinyproxy", .timeLimit(.minutes(2)),
    .enabled(
        if: Tinyproxy.isInstalled && Nginx.isInstalled, "tinyproxy or nginx is not installed: make setup"))
struct TinyproxyTests {
    private static let hello: [String: [UInt8]] = ["hello": Array("hello".utf8)]

    private func proxy(_ proxy: Tinyproxy, user: String? = nil, password: String = "") throws
        -> OutboundProxy
    {
        try OutboundProxy(host: "127.0.0.1", port: proxy.port, user: user, password: password)
    }

    @Test(
        "For http, the proxy refuses a wrong password; with the right one it forwards requests and adds Via"
    )
    func plain() async throws {
        let nginx = try Nginx("location / { return 200 'via=$http_via'; }")
        defer { nginx.stop() }
        let tinyproxy = try await Tinyproxy("BasicAuth user secret")
        defer { tinyproxy.stop() }
        let wrong = try proxy(tinyproxy, user: "user", password: "wrong")
        let status = try await PeerSession.calling(nginx.url, { $0.proxy = .fixed(wrong) }) {
            peer async throws in
            try await peer.get("/a?b=c").statusCode
        }
        // tinyproxy answers 407 without a password, but 401 to a wrong one.
        #expect(status == 407 || status == 401)
        #expect(nginx.accessLog.isEmpty)
        let right = try proxy(tinyproxy, user: "user", password: "secret")
        try await PeerSession.with(nginx.url, { $0.proxy = .fixed(right) }) { peer async throws in
            for _ in 0..<2 { #expect(try await peer.text("/a?b=c").contains("tinyproxy")) }
        }
        try spin(while: !nginx.accessLog.contains("200 GET /a?b=c HTTP/1.")) {
            "access log: \(nginx.accessLog)"
        }
    }

    @Test(
        "For https, a wrong password opens no tunnel; with the right one, TLS runs end to end through it"
    )
    func tunnel() async throws {
        let nginx = try Nginx.secure("location / { return 200 'via=$http_via'; }")
        defer { nginx.stop() }
        let tinyproxy = try await Tinyproxy("BasicAuth user secret")
        defer { tinyproxy.stop() }
        let wrong = try proxy(tinyproxy, user: "user", password: "wrong")
        try await PeerSession.with(nginx.secureURL, { $0.proxy = .fixed(wrong) }) { peer async throws in
            let error = try #require(try await peer.failure())
            #expect(error.reason == .destinationUnavailable)
            #expect(!"\(error) \(error.underlyingErrors)".contains("wrong"))
        }
        let right = try proxy(tinyproxy, user: "user", password: "secret")
        // The proxy itself cannot present the origin's certificate.
        try await PeerSession.with(
            nginx.secureURL,
            {
                $0.proxy = .fixed(right)
                $0.tls.trust = .authorities(.text(TestAuthority.other.pem))
            }
        ) { peer async throws in
            #expect(try await peer.failure()?.reason == .tlsCertificateError)
        }
        try await PeerSession.with(nginx.secureURL, { $0.proxy = .fixed(right) }) { peer async throws in
            for _ in 0..<3 { #expect(try await peer.text() == "via=") }
            #expect(peer.session.report.opened == 1)
        }
    }

    @Test(
        "Hosts that match an exception are reached directly, and other hosts through the proxy",
        arguments: [
            ("127.0.0.1", true), ("10.0.0.0/8, 127.0.0.0/8", true), ("*", true),
            ("example.com, 127.0.0.2", false),
            ("127.0.0.1:1", false),
        ])
    func exceptions(hosts: String, isStraight: Bool) async throws {
        let nginx = try Nginx(files: Self.hello)
        defer { nginx.stop() }
        let tinyproxy = try await Tinyproxy("BasicAuth user secret")
        defer { tinyproxy.stop() }
        let nobody = try proxy(tinyproxy)
        let except = try NoProxy(hosts)
        try await PeerSession.with(nginx.url, { $0.proxy = .fixed(nobody, except: except) }) {
            peer async throws in
            #expect(try await peer.get("/hello").statusCode == (isStraight ? 200 : 407))
        }
    }

    @Test("The environment sets the proxy for each scheme and the exceptions")
    func environment() async {
        // The test runs in its own process because tests share the environment.
        await #expect(processExitsWith: .success) {
            let plain = try Nginx(files: Self.hello)
            let secure = try Nginx.secure(files: Self.hello)
            let tinyproxy = try await Tinyproxy("BasicAuth user secret")
            defer {
                plain.stop()
                secure.stop()
                tinyproxy.stop()
            }
            for name in ["HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"] { unsetenv(name) }
            func answers() async throws -> [Int?] {
                var answers: [Int?] = []
                for url in [plain.url, secure.url.replacingOccurrences(of: "http:", with: "https:")] {
                    answers.append(
                        try await PeerSession.calling(url, { $0.proxy = .environment }) { peer async throws in
                            try? await peer.get("/hello").statusCode
                        })
                }
                return answers
            }
            setenv("http_proxy", "ftp://127.0.0.1", 1)
            #expect(try await answers() == [nil, 200])
            setenv("http_proxy", "http://127.0.0.1:\(tinyproxy.port)", 1)
            setenv("https_proxy", "http://127.0.0.1:\(tinyproxy.port)", 1)
            #expect(try await answers() == [407, 407])
            setenv("http_proxy", "http://user:secret@127.0.0.1:\(tinyproxy.port)", 1)
            #expect(try await answers() == [200, 407])
            setenv("https_proxy", "user:secret@127.0.0.1:\(tinyproxy.port)", 1)
            #expect(try await answers() == [200, 200])
            setenv("https_proxy", "http://127.0.0.1:\(tinyproxy.port)", 1)
            setenv("no_proxy", "127.0.0.1:\(secure.port)", 1)
            #expect(try await answers() == [200, 200])
            #expect(tinyproxy.log.contains("CONNECT"))
        }
    }
}
