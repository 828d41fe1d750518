import HTTPModel
import HTTPOutbound
import Networking
import NetworkingSession
import TestSupport
import Testing

@Suite("The final dot of a host on the wire", .timeLimit(.minutes(1)))
struct FinalDotSessionTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private struct Start: TargetType {
        let baseURL: String
        var path: RequestPath { "/start" }
        var headers: HTTPFields { [.authorization: "Bearer t0k3n"] }
    }

    private func session(
        _ change: (inout Session.Configuration) throws -> Void = { _ in }
    ) throws -> Session {
        var configuration = Session.Configuration()
        configuration.connections.proxy = .none
        try change(&configuration)
        return try Session(configuration)
    }

    private func fields(_ request: String, _ name: String) -> [String] {
        request.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("\(name): ") }
            .map { String($0.dropFirst(name.utf8.count + 2)) }
    }

    @Test(
        "A server that redirects to its name without the dot gets credentials and cookies again, on a connection of that name"
    )
    func redirect() async throws {
        let upstream = try ScriptedUpstream([
            .answer { request in
                guard request.hasPrefix("GET /start ") else { return Self.ok }
                let port =
                    request.split(separator: "\r\n")
                    .first { $0.lowercased().hasPrefix("host: ") }?.split(separator: ":").last ?? ""
                return "HTTP/1.1 301 Moved\r\nLocation: http://localhost:\(port)/next\r\n"
                    + "Set-Cookie: sid=1; Path=/\r\nContent-Length: 0\r\n\r\n"
            }
        ])
        defer { upstream.stop() }
        let session = try session()
        defer { session.close() }
        let base = "http://localhost.:\(upstream.port)"
        var policy = CallPolicy()
        policy.redirects = .follow()
        let provider = Provider<Start>(session: session, policy: policy, cookies: CookieJar())
        #expect(try await provider.request(Start(baseURL: base)).text == "ok")
        let requests = upstream.requests
        try #require(requests.count == 2)
        #expect(requests.map { fields($0, "authorization") } == [["Bearer t0k3n"], ["Bearer t0k3n"]])
        #expect(requests.map { fields($0, "cookie") } == [[], ["sid=1"]])
        #expect(
            requests.map { fields($0, "host") }
                == [["localhost.:\(upstream.port)"], ["localhost:\(upstream.port)"]])
        #expect(upstream.connections == 2)
    }

    @Test("A host of no_proxy is reached directly with and without the dot")
    func noProxy() async throws {
        let upstream = try ScriptedUpstream([.answer { _ in Self.ok }])
        defer { upstream.stop() }
        let proxy = try ScriptedUpstream(.closed, [])
        defer { proxy.stop() }
        for exception in ["localhost", "localhost."] {
            let session = try session {
                $0.connections.proxy = .fixed(
                    try OutboundProxy("http://127.0.0.1:\(proxy.port)"), except: try NoProxy(exception))
            }
            defer { session.close() }
            for host in ["localhost", "localhost."] {
                let request = HTTPRequest(url: "http://\(host):\(upstream.port)/")
                #expect(try await session.request(request).text == "ok", "\(host) by \(exception)")
            }
        }
    }
}
