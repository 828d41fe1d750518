import GatewayCore
import HTTPModel
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

/// Checks foreign names in `Host` over sockets.
@Suite("The host of a request")
struct HostTests {
    /// - Parameter hosts: The allowed names; nil for the default on a loopback address.
    private func serve(_ hosts: HostNames?, _ body: (RawClient) throws -> Void) throws {
        _ = try withLoggedGateway(
            configure: {
                $0.hosts = hosts
                $0.files = .builtIn([BuiltInFile(path: "page.html", bytes: Array("page".utf8))], modified: 0)
            },
            declare: { gateway in gateway.get("/api") { _ in .json(1) } },
            { try body(try RawClient(port: $0.port)) })
    }

    private func status(_ client: RawClient, _ request: String) -> Int? {
        client.send(request)
        return client.receive()?.status
    }

    @Test("On a loopback address any request with a foreign name gets 421 in the envelope")
    func foreign() throws {
        try serve(nil) { client in
            for line in [
                "GET /api", "GET /page.html", "GET /nowhere", "OPTIONS /api", "OPTIONS *", "POST /api",
            ] {
                client.send("\(line) HTTP/1.1\r\nHost: evil.test:8080\r\nX-Request-Id: r\r\n\r\n")
                let reply = try client.reply()
                #expect(reply.status == 421, "\(line)")
                let json = try JSONFragment(validating: reply.body[...])
                #expect(json[member: "code"]?.stringValue == "MISDIRECTED")
                #expect(
                    json[member: "message"]?.stringValue == "This gateway does not serve the host 'evil.test'"
                )
                #expect(reply.values("X-Request-Id") == ["r"])
                #expect(reply.values("Cache-Control") == ["no-store"])
            }
            client.send("GET /api HTTP/1.1\r\nHost: \(String(repeating: "a", count: 300))\r\n\r\n")
            let long = try client.reply()
            #expect(long.status == 421)
            #expect(long.text.contains("'\(String(repeating: "a", count: 100))...'"))
        }
    }

    @Test("The authority of an absolute target overrides Host")
    func absolute() throws {
        try serve(nil) { client in
            let foreign = "GET http://evil.test/api HTTP/1.1\r\nHost: localhost\r\n\r\n"
            #expect(status(client, foreign) == 421)
            let own = "GET http://LocalHost:1/api HTTP/1.1\r\nHost: evil.test\r\n\r\n"
            #expect(status(client, own) == 200)
        }
    }

    @Test("Health checks may use any name, and HTTP/1.0 requests may have none")
    func exempt() throws {
        try serve(nil) { client in
            for path in ["/health/live", "/health/ready"] {
                #expect(status(client, "GET \(path) HTTP/1.1\r\nHost: evil.test\r\n\r\n") == 200)
            }
            #expect(status(client, "GET /api HTTP/1.0\r\n\r\n") == 200)
        }
        try serve(nil) { client in
            #expect(status(client, "GET /api HTTP/1.0\r\nHost: evil.test\r\n\r\n") == 421)
        }
    }

    @Test("Addresses and localhost are allowed by default; a list allows its names and addresses")
    func own() throws {
        try serve(nil) { client in
            for host in ["127.0.0.1", "[::1]:80", "192.0.2.1:8080", "localhost", "LOCALHOST.:80"] {
                #expect(status(client, "GET /api HTTP/1.1\r\nHost: \(host)\r\n\r\n") == 200, "\(host)")
            }
        }
        try serve(HostNames(["app.test", "*.app.test"])) { client in
            for host in ["app.test", "a.app.test:1", "127.0.0.1"] {
                #expect(status(client, "GET /page.html HTTP/1.1\r\nHost: \(host)\r\n\r\n") == 200, "\(host)")
            }
            for host in ["localhost", "b.test"] {
                #expect(status(client, "GET /page.html HTTP/1.1\r\nHost: \(host)\r\n\r\n") == 421, "\(host)")
            }
        }
        try serve(.any) { client in
            #expect(status(client, "GET /api HTTP/1.1\r\nHost: evil.test\r\n\r\n") == 200)
        }
    }

    @Test("A gateway on all interfaces allows any name by default")
    func everyInterface() throws {
        _ = try withLoggedGateway(
            configure: {
                $0.host = "0.0.0.0"
                $0.hosts = nil
            },
            declare: { gateway in gateway.get("/api") { _ in .json(1) } },
            { server in
                let client = try RawClient(port: server.port)
                #expect(status(client, "GET /api HTTP/1.1\r\nHost: evil.test\r\n\r\n") == 200)
            })
    }
}
