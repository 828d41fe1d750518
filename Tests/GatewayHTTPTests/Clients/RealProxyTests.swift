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

    private static func nginx(before port: Int) throws -> Nginx {
        try Nginx(
            """
            location / {
                proxy_pass http://127.0.0.1:\(port);
                proxy_http_version 1.1;
                proxy_set_header Connection "";
                proxy_set_header Host $host;
                proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
                proxy_set_header X-Forwarded-Proto $scheme;
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

    @Test(
        "Behind nginx and then HAProxy with the PROXY protocol, the client is nginx's",
        .enabled(if: Nginx.isInstalled && HAProxy.isInstalled, "\(Nginx.isMissing), \(HAProxy.isMissing)"))
    func behindBoth() throws {
        let lines = try withClientGateway {
            $0.trusted = try TrustedProxies(["127.0.0.1"])
            $0.header = .proxyProtocol
            $0.forward = .forwarded
        } _: { server, upstream in
            let proxy = try HAProxy(
                before: server.port, mode: "http", server: "send-proxy-v2",
                frontend: "http-request set-src req.hdr(X-Forwarded-For,-1)")
            defer { proxy.stop() }
            let nginx = try Self.nginx(before: Int(proxy.port))
            defer { nginx.stop() }
            #expect(try Self.ask(nginx.port) == 200, "\(nginx.errorLog) \(proxy.log)")
            #expect(upstream.requests.count == 1)
            #expect(
                upstream.requests[0].contains(
                    "\r\nForwarded: for=127.0.0.2;proto=http;host=inner, for=127.0.0.1\r\n"),
                "\(upstream.requests)")
            #expect(!upstream.requests[0].contains("6.6.6.6"))
        }
        #expect(lines.map { $0[member: "client"]?.stringValue } == ["127.0.0.2"])
    }
}
