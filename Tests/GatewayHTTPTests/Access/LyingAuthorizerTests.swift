import GatewayCore
import HTTPModel
import JSONBytes
import Locking
import TestSupport
import Testing

@testable import GatewayHTTP

/// Rule 15 on the wire: what cannot be read to its end, or ends elsewhere than it says, admits nobody.
@Suite("An authorizer that lies about the length of its response", .timeLimit(.minutes(1)))
struct LyingAuthorizerTests {
    /// Serves `/me` behind an authorizer that sends this text in response to each request and then closes the
    /// connection. Returns the results in the access log, and how many requests were admitted.
    private func serve(
        _ text: String, _ body: (GatewayServer) throws -> Void
    ) throws -> (results: [String?], admitted: Int) {
        let authorizer = try ScriptedUpstream([.readRequest, .send(text), .close])
        defer { authorizer.stop() }
        let admitted = Lock(0)
        let lines = try withLoggedGateway {
            $0.upstreams = ["session": ["http://127.0.0.1:\(authorizer.port)"]]
        } declare: { gateway in
            let settings = AuthorizerSettings(upstream: "session", get: "/auth", forward: [.cookie])
            gateway.auth("web", .authorize(settings))
            gateway.get("/me", .require("web")) { _ in
                admitted.withLock { $0 += 1 }
                return .json(1)
            }
        } _: { server in
            try body(server)
        }
        return (lines.map { $0[member: "authResult"]?.stringValue }, admitted.withLock { $0 })
    }

    private static let json = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

    @Test(
        "A body that is shorter or longer than Content-Length says, or that is cut, is 503 and admits nobody",
        arguments: [
            json + "Content-Length: 100\r\n\r\n{\"sub\":\"ann\"}",
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nOK",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n",
            json + "Content-Length: 5\r\n\r\n{\"sub\":\"ann\"}",
            json + "Content-Length: 13\r\nContent-Length: 5\r\n\r\n{\"sub\":\"ann\"}",
            json + "Content-Length: 13\r\nTransfer-Encoding: chunked\r\n\r\n{\"sub\":\"ann\"}",
            json + "Transfer-Encoding: chunked\r\n\r\nd\r\n{\"sub\":\"ann\"}",
            json + "Transfer-Encoding: chunked\r\n\r\nd\r\n{\"sub\":\"ann\"}\r\n",
        ])
    func length(_ text: String) throws {
        let (results, admitted) = try serve(text) { server throws in
            let reply = try server.ask("/me", "Cookie: session=1\r\n")
            #expect(reply.status == 503)
            #expect(try reply.code() == "UPSTREAM_UNAVAILABLE")
            #expect(!reply.text.contains("\"sub\""))
        }
        #expect(results == ["unavailable"])
        #expect(admitted == 0)
    }

    @Test("What follows a refusal on its connection is not the verdict about the next caller")
    func surplus() throws {
        let refusal = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"
        let (results, admitted) = try serve(refusal + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") {
            server throws in
            for _ in 0..<3 { #expect(try server.ask("/me", "Cookie: session=1\r\n").status == 401) }
        }
        #expect(results == ["invalid", "invalid", "invalid"])
        #expect(admitted == 0)
    }
}
