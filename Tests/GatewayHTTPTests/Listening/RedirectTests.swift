import EventIO
import Foundation
import GatewayCore
import HTTPModel
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The port for plain HTTP that redirects to https")
struct RedirectTests {
    private static func serve(
        hosts: [String]? = nil, to target: Int? = nil, challenges: String? = nil,
        _ body: (GatewayServer, Int) throws -> Void
    ) throws -> [String] {
        let identity = TestAuthority.shared.issue("DNS:app.example.com,DNS:*.shop.example,IP:127.0.0.1")
        let names = try hosts.map { try HostNames($0) } ?? .any
        return try CertificateFolder(identity).serve(configure: {
            $0.hosts = names
            $0.redirect = RedirectSettings(port: 0, targetPort: target, challenges: challenges)
        }) { server in
            try body(server, try #require(server.redirectPort))
        }
    }

    /// Sends one request, and returns its answer after the connection has ended.
    private static func ask(
        _ port: Int, _ request: String, _ host: String?, toHead: Bool = false
    ) throws -> RawClient.Reply {
        let client = try RawClient(port: port)
        client.send("\(request) HTTP/1.1\r\n" + (host.map { "Host: \($0)\r\n" } ?? "") + "\r\n")
        let reply = try client.reply(toHead: toHead)
        #expect(client.reachesEnd())
        return reply
    }

    @Test(
        "A host that is not the gateway's gets 421 and no Location, so that nobody is sent elsewhere",
        arguments: [
            "evil.example", "app.example.com.evil.example", "a.b.shop.example", "shop.example", "10.0.0.1",
            "[::1]", "xapp.example.com",
        ])
    func foreign(host: String) throws {
        _ = try Self.serve { _, port in
            let reply = try Self.ask(port, "GET /a", host)
            #expect(reply.status == 421)
            #expect(reply.values("Location") == [])
            let body = try JSONFragment(validating: reply.body[...])
            #expect(body[member: "code"]?.stringValue == "MISDIRECTED")
            #expect(body[member: "message"]?.stringValue == "No certificate of this gateway is for '\(host)'")
        }
    }

    @Test("With a list of hosts the list decides, and for addresses still a certificate")
    func listed() throws {
        _ = try Self.serve(hosts: ["app.example.com", "*.other.example"]) { server, port in
            for host in ["b.shop.example", "10.0.0.1", "evil.example"] {
                #expect(try Self.ask(port, "GET /a", host).status == 421, "\(host)")
            }
            #expect(try Self.ask(port, "GET /a", "evil.example").text.contains("does not serve the host"))
            for host in ["app.example.com", "x.other.example", "127.0.0.1"] {
                let reply = try Self.ask(port, "GET /a", host)
                #expect(reply.status == 308, "\(host)")
                #expect(reply.values("Location") == ["https://\(host):\(server.port)/a"])
            }
        }
    }

    @Test("A request without a host, and one for the server as a whole, is 400")
    func unclear() throws {
        _ = try Self.serve { _, port in
            #expect(try Self.ask(port, "GET /a", nil).status == 400)
            let client = try RawClient(port: port)
            client.send("GET /a HTTP/1.0\r\n\r\n")
            #expect(try client.reply().status == 400)
            #expect(try Self.ask(port, "OPTIONS *", "app.example.com").status == 400)
        }
    }

    @Test("Any method is redirected to the same path and query, and the connection closes")
    func redirected() throws {
        let lines = try Self.serve { server, port in
            for (request, rest) in [
                ("GET /", "/"), ("GET /a%20b/c?d=e&f=%2F%3F", "/a%20b/c?d=e&f=%2F%3F"), ("POST /a", "/a"),
                ("DELETE //evil.example/x", "//evil.example/x"), ("GET /a?", "/a?"),
            ] {
                let reply = try Self.ask(port, request, "App.Example.com:8080")
                #expect(reply.status == 308)
                #expect(reply.values("Location") == ["https://App.Example.com:\(server.port)\(rest)"])
                #expect(reply.values("Connection") == ["close"])
                #expect(reply.values("X-Request-Id").count == 1)
            }
            let head = try Self.ask(port, "HEAD /a", "a.shop.example", toHead: true)
            #expect(head.values("Location") == ["https://a.shop.example:\(server.port)/a"])
            let absolute = try Self.ask(port, "GET http://app.example.com/b?c", "evil.example")
            #expect(absolute.values("Location") == ["https://app.example.com:\(server.port)/b?c"])
        }
        #expect(lines.count == 7)
        #expect(lines.allSatisfy { $0.contains(#""route":"_redirect""#) })
        #expect(lines.allSatisfy { $0.contains(#""status":308"#) && !$0.contains(#""tls""#) })
    }

    @Test(
        "Behind another port than its own, the gateway sends browsers to the port of the settings",
        arguments: [(443, ""), (8443, ":8443")])
    func published(port: Int, shown: String) throws {
        _ = try Self.serve(to: port) { _, redirectPort in
            let reply = try Self.ask(redirectPort, "GET /a", "app.example.com")
            #expect(reply.values("Location") == ["https://app.example.com\(shown)/a"])
        }
    }

    @Test("The gateway's own port ends the start")
    func ownPort() throws {
        let folder = try CertificateFolder()
        var configuration = GatewayServerConfiguration()
        configuration.port = 28_300
        configuration.tls = folder.settings
        configuration.redirect = RedirectSettings(port: 28_300)
        #expect {
            try GatewayServer.start(configuration) { _ in }
        } throws: {
            "\($0)" == "redirect.port is the port of the gateway itself (28300)"
        }
        withExtendedLifetime(folder) {}
    }

    @Test("The port of https is left out")
    func standardPort() throws {
        let target = RedirectTarget(.any, port: 443) { $0 == "::1" || $0 == "a.example" }
        func location(_ host: String) throws -> String {
            try target.location(
                for: HTTPRequestHead(
                    method: .get, target: try #require(RequestTarget("/a")), fields: [.host: host]))
        }
        #expect(throws: GatewayError.self) { try location("b.example") }
        #expect(try location("a.example:80") == "https://a.example/a")
        #expect(try location("[::1]:80") == "https://[::1]/a")
    }

    @Test("The log and the status say where the port is, also a free one")
    func announced() throws {
        let folder = try CertificateFolder()
        var url = ""
        let lines = try logLines { errors in
            _ = try folder.serve(
                errors: errors,
                configure: { ($0.redirect, $0.logLevel) = (RedirectSettings(port: 0), .info) }
            ) {
                url = "http://127.0.0.1:\(try #require($0.redirectPort))"
                #expect($0.redirectURL == url)
            }
        }
        #expect(lines.count { $0.contains(#""message":"redirecting","url":"\#(url)""#) } == 1)
    }

    @Test("Health checks are answered for any host")
    func health() throws {
        _ = try Self.serve { server, port in
            let live = try Self.ask(port, "GET /health/live", "10.1.2.3")
            #expect(live.status == 200)
            #expect(live.text == #"{"status":"live"}"#)
            #expect(try Self.ask(port, "GET /health/ready", "probe").status == 200)
        }
    }

    @Test("Its connections and those with TLS count towards one limit")
    func connections() throws {
        let folder = try CertificateFolder()
        _ = try folder.serve(configure: {
            $0.inbound.connections = 2
            $0.redirect = RedirectSettings(port: 0)
        }) { server in
            let port = try #require(server.redirectPort)
            let waiting = [try RawClient(port: port), try RawClient(port: port)]
            try spin(while: server.report.connections != 2) { "\(server.report.connections) connections" }
            #expect(server.connectionTotal.limit == 2)
            // A third one waits for one head, and a health check is answered.
            let reply = try RawClient(port: port).get("/health/ready")
            #expect(reply?.status == 200)
            withExtendedLifetime(waiting) {}
        }
    }

    @Test("A port that another program has ends the start")
    func taken() throws {
        let folder = try CertificateFolder()
        _ = try withLoggedGateway(configure: { _ in }, declare: { _ in }) { other in
            var configuration = GatewayServerConfiguration()
            configuration.port = 0
            configuration.tls = folder.settings
            configuration.redirect = RedirectSettings(port: other.port)
            #expect {
                try GatewayServer.start(configuration) { _ in }
            } throws: {
                "\($0)" == "127.0.0.1:\(other.port) is taken: another program listens there"
            }
        }
    }
}

@Suite("Answers to challenges of an ACME client")
struct ChallengeTests {
    private static let path = "/.well-known/acme-challenge/"

    private static func serve(
        _ prepare: (ScratchFolder) throws -> Void = { _ in }, _ body: (Int) throws -> Void
    ) throws {
        let (folder, scratch) = (try CertificateFolder(), ScratchFolder())
        let challenges = scratch.file("challenges")
        try FileManager.default.createDirectory(atPath: challenges, withIntermediateDirectories: false)
        try "secret".write(toFile: scratch.file("outside"), atomically: true, encoding: .utf8)
        try "token.thumb".write(toFile: challenges + "/to-ken_1", atomically: true, encoding: .utf8)
        try prepare(scratch)
        _ = try folder.serve(configure: { $0.redirect = RedirectSettings(port: 0, challenges: challenges) }) {
            try body(try #require($0.redirectPort))
        }
    }

    private static func ask(_ port: Int, _ method: String, _ target: String) throws -> RawClient.Reply {
        let client = try RawClient(port: port)
        client.send("\(method) \(target) HTTP/1.1\r\nHost: new.example\r\n\r\n")
        return try client.reply(toHead: method == "HEAD")
    }

    @Test(
        "No path leads out of the folder",
        arguments: [
            "../outside", "%2e%2e/outside", "..%2foutside", "%2e%2e%2foutside", "./../outside",
            "to-ken_1/../../outside",
            "..", ".", "", "/outside", "link", "folder", "a%00b", "to-ken_1%00", "to-ken_1/", "a.b",
            String(repeating: "a", count: 129), "..\\outside",
        ])
    func outside(name: String) throws {
        try Self.serve { scratch in
            try FileManager.default.createSymbolicLink(
                atPath: scratch.file("challenges/link"), withDestinationPath: scratch.file("outside"))
            try FileManager.default.createDirectory(
                atPath: scratch.file("challenges/folder"), withIntermediateDirectories: false)
        } _: { port in
            let reply = try Self.ask(port, "GET", Self.path + name)
            #expect(reply.status == 404 || reply.status == 421 || reply.status == 400, "\(reply)")
            #expect(!reply.text.contains("secret") && !reply.text.contains("thumb"))
        }
    }

    @Test("A missing answer, one that is too long and other methods are refused")
    func refused() throws {
        try Self.serve { scratch in
            let long = String(repeating: "a", count: ChallengeFolder.largest + 1)
            try long.write(toFile: scratch.file("challenges/long"), atomically: true, encoding: .utf8)
        } _: { port in
            #expect(try Self.ask(port, "GET", Self.path + "missing").status == 404)
            #expect(try Self.ask(port, "GET", Self.path + "long").status == 404)
            let reply = try Self.ask(port, "DELETE", Self.path + "to-ken_1")
            #expect(reply.status == 405)
            #expect(reply.values("Allow") == ["GET, HEAD"])
        }
    }

    @Test("An answer is served for any host, since the authority asks before the certificate is there")
    func served() throws {
        try Self.serve { port in
            let reply = try Self.ask(port, "GET", Self.path + "to-ken_1")
            #expect(reply.status == 200)
            #expect(reply.text == "token.thumb")
            #expect(reply.values("Content-Type") == ["application/octet-stream"])
            let head = try Self.ask(port, "HEAD", Self.path + "to-ken_1")
            #expect(head.status == 200)
            #expect(head.values("Content-Length") == ["11"])
        }
    }

    @Test("A folder that does not exist ends the start")
    func missingFolder() throws {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        let folder = try CertificateFolder()
        defer { withExtendedLifetime(folder) {} }
        configuration.tls = folder.settings
        configuration.redirect = RedirectSettings(port: 0, challenges: "/nowhere/acme")
        #expect {
            try GatewayServer.start(configuration) { _ in }
        } throws: {
            "\($0)".hasPrefix("cannot serve the folder of challenges: ")
        }
    }

    @Test("Without a folder, such a path is redirected as any other")
    func noFolder() throws {
        let folder = try CertificateFolder()
        _ = try folder.serve(configure: { $0.redirect = RedirectSettings(port: 0) }) { server in
            let client = try RawClient(port: try #require(server.redirectPort))
            client.send("GET \(Self.path)a HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.reply().status == 308)
        }
    }
}
