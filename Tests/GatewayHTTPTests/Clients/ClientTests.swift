import Foundation
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

/// Serves `/who`, which tells what a handler knows of the client, `/call`, which calls the upstream `files`,
/// and passes `/files/` on to it.
func withClientGateway(
    _ change: (inout ClientSettings) throws -> Void, upstream: ClientForwarding? = nil,
    configure: (inout GatewayServerConfiguration) -> Void = { _ in },
    _ body: (GatewayServer, ScriptedUpstream) throws -> Void
) throws -> [JSONFragment] {
    var clients = ClientSettings()
    try change(&clients)
    return try withProxy(
        [
            .readRequest,
            .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n7"), .again,
        ],
        configure: { configuration in
            configuration.clients = clients
            configure(&configuration)
        },
        declare: { gateway, files in
            gateway.proxy("/files/{path...}", to: files)
            if let upstream { gateway.upstream("files") { $0.forwardClient = upstream } }
            let api = gateway.provider(PartsAPI.self, upstream: "files")
            gateway.get("/call") { _ in .parts(first: api.rx.request(.first).fragment()) }
            gateway.get("/who") { request in
                .json([
                    request.clientAddress, request.scheme, request.authority ?? "-", request.host ?? "-",
                    request.url, request.requestID, request.remoteAddress,
                ])
            }
        }, body)
}

extension RawClient {
    /// Asks for a target with these fields.
    fileprivate func visit(_ target: String, _ lines: String...) throws -> Reply {
        send((["GET \(target) HTTP/1.1", "Host: inner"] + lines + ["", ""]).joined(separator: "\r\n"))
        return try reply()
    }
}

/// The values of the fields of a request by which proxies tell of a client.
private func told(_ request: String) -> [String] {
    request.components(separatedBy: "\r\n").filter { line in
        let name = line.prefix { $0 != ":" }.lowercased()
        return name == "forwarded" || name == "x-real-ip" || name.hasPrefix("x-forwarded-")
    }
}

@Suite("Clients behind proxies", .timeLimit(.minutes(1)))
struct ClientTests {
    private static let forged = [
        "X-Forwarded-For: 6.6.6.6", "X-Forwarded-Proto: https", "X-Forwarded-Host: evil",
        "X-Real-IP: 6.6.6.6",
        "Forwarded: for=6.6.6.6;proto=https;host=evil",
    ]

    private static func who(_ reply: RawClient.Reply) throws -> [String] {
        let data = try JSONFragment(validating: reply.body[...])[member: "data"]
        return (0..<7).compactMap { data?[element: $0]?.stringValue }
    }

    @Test(
        "What a client that is not trusted claims is nowhere: not in the request, the log or at an upstream")
    func forged() throws {
        for form in ClientForwarding.allCases {
            let lines = try withClientGateway {
                $0.trusted = try TrustedProxies(["10.0.0.0/8"])
                $0.forward = form
            } _: { server, upstream in
                let client = try RawClient(port: server.port)
                let fields = Self.forged.joined(separator: "\r\n")
                let who = try Self.who(client.visit("/who", fields))
                #expect(who[..<5] == ["127.0.0.1", "http", "inner", "inner", "http://inner/who"])
                #expect(who[6].hasPrefix("127.0.0.1:"))
                for target in ["/call", "/files/a"] {
                    #expect(try client.visit(target, fields).status == 200)
                }
                let expected: [String] =
                    switch form {
                    case .xForwarded:
                        ["X-Forwarded-For: 127.0.0.1", "X-Forwarded-Proto: http", "X-Forwarded-Host: inner"]
                    case .forwarded: ["Forwarded: for=127.0.0.1;proto=http;host=inner"]
                    default: []
                    }
                #expect(upstream.requests.map(told) == [expected, expected])
                #expect(!upstream.requests.joined().contains("6.6.6.6"))
            }
            #expect(
                lines.map { $0[member: "client"]?.stringValue } == ["127.0.0.1", "127.0.0.1", "127.0.0.1"])
        }
    }

    @Test(
        "A trusted proxy tells address, scheme and host to handlers, the log and upstreams; remote stays the proxy"
    )
    func trusted() throws {
        let lines = try withClientGateway {
            $0.trusted = try TrustedProxies(["loopback", "10.0.0.0/8"])
            $0.forward = .xForwarded
        } _: { server, upstream in
            let client = try RawClient(port: server.port)
            let fields = [
                "X-Forwarded-For: 6.6.6.6, 203.0.113.9", "X-Forwarded-For: 10.0.0.2",
                "X-Forwarded-Proto: https",
                "X-Forwarded-Host: shop.example:8443",
            ].joined(separator: "\r\n")
            let who = try Self.who(client.visit("/who?a=b", fields))
            #expect(
                who[..<5] == [
                    "203.0.113.9", "https", "shop.example:8443", "shop.example",
                    "https://shop.example:8443/who?a=b",
                ])
            #expect(who[6].hasPrefix("127.0.0.1:"))
            for target in ["/call", "/files/a"] { #expect(try client.visit(target, fields).status == 200) }
            #expect(try client.visit("/none", fields).status == 404)
            #expect(try client.visit("/who").status == 200)
            let expected = [
                "X-Forwarded-For: 203.0.113.9, 10.0.0.2, 127.0.0.1", "X-Forwarded-Proto: https",
                "X-Forwarded-Host: shop.example:8443",
            ]
            #expect(upstream.requests.map(told) == [expected, expected])
        }
        #expect(
            lines.map { $0[member: "client"]?.stringValue } == [
                "203.0.113.9", "203.0.113.9", "203.0.113.9", "203.0.113.9", "127.0.0.1",
            ])
        #expect(lines.allSatisfy { $0[member: "remote"]?.stringValue?.hasPrefix("127.0.0.1:") == true })
    }

    @Test("Forwarded goes to upstreams as one field, and an upstream may have a form of its own")
    func forms() throws {
        _ = try withClientGateway {
            $0.trusted = try TrustedProxies(["loopback"])
            $0.header = .forwarded
            $0.forward = .forwarded
        } _: { server, upstream in
            let client = try RawClient(port: server.port)
            for target in ["/call", "/files/a"] {
                _ = try client.visit(
                    target, "Forwarded: for=\"[2001:db8::9]:1\";proto=https;host=shop.example")
            }
            let expected = ["Forwarded: for=\"[2001:db8::9]\";proto=https;host=shop.example, for=127.0.0.1"]
            #expect(upstream.requests.map(told) == [expected, expected])
        }
        _ = try withClientGateway({ $0.forward = .forwarded }, upstream: ClientForwarding.none) {
            server, upstream in
            let client = try RawClient(port: server.port)
            for target in ["/call", "/files/a"] { #expect(try client.visit(target).status == 200) }
            #expect(upstream.requests.map(told) == [[], []])
        }
        _ = try withClientGateway({ _ in }, upstream: .xForwarded) { server, upstream in
            let client = try RawClient(port: server.port)
            for target in ["/call", "/files/a"] { #expect(try client.visit(target).status == 200) }
            let expected = [
                "X-Forwarded-For: 127.0.0.1", "X-Forwarded-Proto: http", "X-Forwarded-Host: inner",
            ]
            #expect(upstream.requests.map(told) == [expected, expected])
        }
    }

    @Test("Without a proxy that tells one, the scheme is the configured one")
    func scheme() throws {
        _ = try withClientGateway({ $0.scheme = .https }) { server, _ in
            let client = try RawClient(port: server.port)
            #expect(try Self.who(client.visit("/who"))[4] == "https://inner/who")
        }
    }

    @Test("X-Request-Id is kept from whom the configuration says, in answers of all kinds")
    func requestID() throws {
        for (source, isKept) in [(RequestIDSource.any, true), (.trusted, false), (.never, false)] {
            _ = try withClientGateway({ $0.requestID = source }) { server, upstream in
                let client = try RawClient(port: server.port)
                for target in ["/who", "/none", "/health/live", "/files/a"] {
                    let reply = try client.visit(target, "X-Request-Id: mine-1")
                    #expect((reply.value("X-Request-Id") == "mine-1") == isKept, "\(source) \(target)")
                }
                #expect(upstream.requests[0].contains("X-Request-Id: mine-1") == isKept)
            }
        }
    }

    @Test("Fields by which proxies tell of a client cannot be forwarded: a fault of the declaration")
    func faults() {
        for name: HTTPFieldName in ["Forwarded", "x-forwarded-for", "X-Forwarded-Port", "X-Real-IP"] {
            let gateway = Gateway(GatewayEnvironment(transport: UnsentTransport()))
            let files = gateway.proxyUpstream("files", baseURL: "http://files")
            gateway.get("/a", .forwards(name)) { _ in .json(1) }
            gateway.proxy("/b", to: files, fields: .standard.adding(request: name))
            let error = #expect(throws: GatewayDeclarationError.self) { try gateway.responder() }
            let reason = "\(name), which a client can forge; forwardClient tells upstreams of the client"
            #expect(
                error?.faults.sorted() == ["GET /a forwards \(reason)", "the proxy /b passes on \(reason)"])
        }
    }

    @Test("The client that the PROXY protocol tells is in the log, and what it claims itself is nowhere")
    func proxyProtocol() throws {
        let lines = try withClientGateway({
            $0.trusted = try TrustedProxies(["loopback"])
            $0.header = .proxyProtocol
        }) { server, upstream in
            let client = try RawClient(port: server.port)
            client.send("PROXY TCP4 203.0.113.9 127.0.0.1 4711 80\r\n")
            #expect(try client.visit("/call", "X-Forwarded-For: 6.6.6.6").status == 200)
            #expect(told(upstream.requests[0]) == [])
            let refused = try RawClient(port: server.port)
            refused.send("GET / HTTP/1.1\r\n")
            #expect(refused.readToEnd().bytes == [])
            #expect(server.settled.refusedProxyHeaders == 1)
            #expect(server.metric(#"http_refused_total{reason="proxy_header"}"#) == 1)
            #expect(server.metric(#"http_refused_total{reason="malformed"}"#) == 0)
        }
        #expect(lines.map { $0[member: "client"]?.stringValue } == ["203.0.113.9"])
    }
}
