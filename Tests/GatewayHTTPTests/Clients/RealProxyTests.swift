import Foundation
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Behind nginx and HAProxy", .timeLimit(.minutes(1)))
struct RealProxyTests {
    /// Asks a proxy with a forged field, over a connection from 127.0.0.2. Returns the status.
    private static func ask(_ port: UInt16, _ target: String = "/call") throws -> Int {
        let client = try RawClient(port: Int(port), host: 2)
        client.send("GET \(target) HTTP/1.1\r\nHost: inner\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n")
        return try client.reply().status
    }

    private static func chain(_ request: String) -> String? {
        request.components(separatedBy: "\r\n").first { $0.hasPrefix("X-Forwarded-For: ") }
    }

    /// nginx that appends the client to what it claims.
    static func nginx(before port: Int) throws -> Nginx {
        try Nginx(
            """
            location / {
                proxy_pass http://127.0.0.1:\(port);
                proxy_http_version 1.1;
                proxy_set_header Connection "";
                proxy_set_header Host $host;
                proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
                proxy_set_header X-Forwarded-Proto $scheme;
                proxy_set_header X-Forwarded-Host $host;
            }
            """)
    }

    @Test(
        "nginx appends the client to what it claims, and that address counts",
        .enabled(if: Nginx.isInstalled, "\(Nginx.isMissing)"))
    func behindNginx() throws {
        let lines = try withClientGateway {
            $0.trusted = try TrustedProxies(["127.0.0.1"])
            $0.forward = .xForwarded
        } _: { server, upstream in
            let nginx = try Self.nginx(before: server.port)
            defer { nginx.stop() }
            #expect(try Self.ask(nginx.port) == 200, "\(nginx.errorLog)")
            #expect(upstream.requests.map(Self.chain) == ["X-Forwarded-For: 127.0.0.2, 127.0.0.1"])
        }
        #expect(lines.map { $0[member: "client"]?.stringValue } == ["127.0.0.2"])
    }

    @Test(
        "HAProxy tells the client by the PROXY protocol, version 1 and 2, or by its field",
        .enabled(if: HAProxy.isInstalled, "\(HAProxy.isMissing)"))
    func behindHAProxy() throws {
        for parameter in [
            "send-proxy", "send-proxy-v2", "send-proxy-v2 proxy-v2-options unique-id,crc32c", "",
        ] {
            let isField = parameter.isEmpty
            let lines = try withClientGateway {
                $0.trusted = try TrustedProxies(["127.0.0.1"])
                $0.header = isField ? .xForwardedFor : .proxyProtocol
                $0.forward = .xForwarded
            } _: { server, upstream in
                let proxy = try HAProxy(
                    before: server.port, mode: isField ? "http" : "tcp", server: parameter,
                    frontend: isField ? "option forwardfor" : "")
                defer { proxy.stop() }
                #expect(try Self.ask(proxy.port) == 200, "\(proxy.log)")
                #expect(upstream.requests.map(Self.chain) == ["X-Forwarded-For: 127.0.0.2, 127.0.0.1"])
                #expect(server.settled.refusedProxyHeaders == 0)
            }
            #expect(lines.map { $0[member: "client"]?.stringValue } == ["127.0.0.2"], "\(parameter)")
        }
    }

    /// nginx and behind it HAProxy, which is set up like this.
    struct Chain: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var mode = "http"
        var server = ""
        var frontend = ""
        let header: ClientHeader
        /// The client whom the gateway sees: 127.0.0.2 asks, the proxies are 127.0.0.1.
        var client = "127.0.0.2"
        /// Whether a client that reaches HAProxy itself cannot claim to be another one.
        var isClosed = true

        static let all = [
            Chain(
                testDescription: "HTTP mode, and the address that nginx has appended by the PROXY protocol",
                server: "send-proxy-v2",
                frontend: "http-request set-src req.hdr(X-Forwarded-For,-1) if { src 127.0.0.1 }",
                header: .proxyProtocol),
            Chain(
                testDescription: "HTTP mode, and a field to which both append",
                frontend: """
                    option forwardfor
                        http-request set-header X-Forwarded-Proto http
                        http-request set-header X-Forwarded-Host %[req.hdr(Host)]
                    """, header: .xForwardedFor),
            Chain(
                testDescription: "TCP mode, and the field of nginx", mode: "tcp", header: .xForwardedFor,
                isClosed: false),
            Chain(
                testDescription: "TCP mode, and the PROXY protocol, which knows only nginx", mode: "tcp",
                server: "send-proxy-v2", header: .proxyProtocol, client: "127.0.0.1"),
        ]
    }

    @Test(
        "Behind nginx and then HAProxy the client is the one whom nginx saw, and what it forges is nowhere",
        .enabled(if: Nginx.isInstalled && HAProxy.isInstalled, "\(Nginx.isMissing), \(HAProxy.isMissing)"),
        arguments: Chain.all)
    func behindBoth(chain: Chain) throws {
        let lines = try withClientGateway {
            $0.trusted = try TrustedProxies(["127.0.0.1"])
            $0.header = chain.header
            $0.forward = .forwarded
        } configure: {
            $0.admin.listen = [.loopback(port: 0)]
            // Every request is kept.
            $0.slow = .nanoseconds(1)
        } _: { server, upstream in
            let proxy = try HAProxy(
                before: server.port, mode: chain.mode, server: chain.server, frontend: chain.frontend)
            defer { proxy.stop() }
            let nginx = try Self.nginx(before: Int(proxy.port))
            defer { nginx.stop() }
            #expect(try Self.forge(nginx.port, "/call") == 200, "\(nginx.errorLog) \(proxy.log)")
            #expect(try Self.forge(nginx.port, "/files/a") == 200, "\(nginx.errorLog) \(proxy.log)")
            if chain.isClosed { #expect(try Self.forge(proxy.port, "/call") == 200, "\(proxy.log)") }
            let told = upstream.requests.compactMap { request in
                request.components(separatedBy: "\r\n").first { $0.hasPrefix("Forwarded: ") }
            }
            // HAProxy itself sees the last client.
            let clients = [chain.client, chain.client] + (chain.isClosed ? ["127.0.0.2"] : [])
            #expect(told.count == clients.count)
            for (field, client) in zip(told, clients) {
                #expect(field.hasPrefix("Forwarded: for=\(client);proto=http;host=inner"), "\(field)")
            }
            let admin = AdminTester(server)
            // Requests that are alike are kept as one.
            let requests = { String(decoding: try admin.ask("GET /requests").body, as: UTF8.self) }
            for route in ["/call", "/files/{path...}"] {
                try spin(while: try !requests().contains(#""route":"\#(route)""#)) { "\(route) is not kept" }
            }
            let kept = try requests()
            let metrics = String(decoding: try admin.ask("GET /metrics").body, as: UTF8.self)
            #expect(metrics.contains(#"route="/call""#))
            for text in upstream.requests + [kept, metrics] {
                #expect(!text.contains("6.6.6.6") && !text.contains("evil"), "\(text)")
            }
        }
        #expect(lines.prefix(2).map { $0[member: "client"]?.stringValue } == [chain.client, chain.client])
        #expect(lines.dropFirst(2).allSatisfy { $0[member: "client"]?.stringValue == "127.0.0.2" })
        #expect(lines.allSatisfy { $0[member: "host"]?.stringValue == "inner" })
        #expect(!lines.contains { $0.description.contains("6.6.6.6") || $0.description.contains("evil") })
    }

    @Test(
        "HAProxy tells of each client on a connection of its own, also if nginx sends their requests on one",
        .enabled(if: HAProxy.isInstalled, "\(HAProxy.isMissing)"))
    func clientsOnOneConnection() throws {
        let lines = try withClientGateway {
            $0.trusted = try TrustedProxies(["127.0.0.1"])
            $0.header = .proxyProtocol
        } _: { server, _ in
            let chain = Chain.all[0]
            let proxy = try HAProxy(
                before: server.port, mode: chain.mode, server: chain.server, frontend: chain.frontend)
            defer { proxy.stop() }
            let nginx = try RawClient(port: Int(proxy.port))
            for number in [1, 2, 1] {
                nginx.send(
                    "GET /who HTTP/1.1\r\nHost: inner\r\nX-Forwarded-For: 6.6.6.6, 198.51.100.\(number)\r\n\r\n"
                )
                let data = try JSONFragment(validating: try nginx.reply().body[...])[member: "data"]
                #expect(data?[element: 0]?.stringValue == "198.51.100.\(number)")
            }
        }
        #expect(
            lines.map { $0[member: "client"]?.stringValue } == [
                "198.51.100.1", "198.51.100.2", "198.51.100.1",
            ])
    }

    /// Asks a proxy with all fields by which a client may claim to be another one. Returns the status.
    private static func forge(_ port: UInt16, _ target: String) throws -> Int {
        let client = try RawClient(port: Int(port), host: 2)
        client.send(
            """
            GET \(target) HTTP/1.1\r
            Host: inner\r
            X-Forwarded-For: 6.6.6.6\r
            X-Forwarded-For: 6.6.6.7, 6.6.6.6\r
            X-Forwarded-Proto: https\r
            X-Forwarded-Host: evil\r
            X-Real-IP: 6.6.6.6\r
            Forwarded: for=6.6.6.6;proto=https;host=evil\r
            \r

            """)
        return try client.reply().status
    }
}
