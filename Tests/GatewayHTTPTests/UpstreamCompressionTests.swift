import GatewayCore
import GatewayTesting
import HTTPModel
import HTTPOutbound
import JSONBytes
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Compressed responses of upstreams", .timeLimit(.minutes(1)))
struct UpstreamCompressionTests {
    private static let body = Array(#"{"text":"\#(String(repeating: "sluice ", count: 1000))"}"#.utf8)
    private static let all = "gzip, deflate, br"

    /// Answers in gzip if the request accepts it.
    private static func upstream() throws -> ScriptedUpstream {
        let gzip = Deflated.gzip(body)
        let coded = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(gzip.count)\r\n\r\n"
        return try ScriptedUpstream([.readRequest, .sendBytes(Array(coded.utf8) + gzip), .again])
    }

    /// Returns the Accept-Encoding fields of the calls.
    private func accepted(by upstream: ScriptedUpstream) -> [String] {
        upstream.requests.flatMap { request in
            request.split(separator: "\r\n").filter { $0.hasPrefix("Accept-Encoding: ") }
                .map { String($0.dropFirst(17)) }
        }
    }

    private struct Text: TargetType {
        var baseURL = "http://127.0.0.1:9"
        var path: RequestPath { "/text" }
        var headers: HTTPFields = [:]
    }

    /// Makes one call to an upstream with this policy, and returns what it accepts.
    private func accepted(
        _ compression: UpstreamCompression? = nil,
        url: (ScriptedUpstream) -> String = { "http://127.0.0.1:\($0.port)" },
        headers: HTTPFields = [:],
        configure: (inout GatewayServerConfiguration, ScriptedUpstream) throws -> Void = { _, _ in }
    ) async throws -> [String] {
        let upstream = try Self.upstream()
        defer { upstream.stop() }
        var configuration = GatewayServerConfiguration()
        configuration.upstreams = ["text": UpstreamURLs(url(upstream))]
        try configure(&configuration, upstream)
        let declare: @Sendable (Gateway) -> Void = { gateway in
            // The policy may follow the provider.
            let text = gateway.provider(Text.self, upstream: "text")
            if let compression { gateway.upstream("text") { $0.compression = compression } }
            gateway.get("/page") { _ in .parts(text: text.rx.request(Text(headers: headers)).fragment()) }
        }
        try await withGateway(configuration: configuration, declare: declare) { client in
            let data = try #require(try await client.get("/page").json[member: "data"])
            #expect(data[member: "text"]?[member: "text"]?.stringValue?.count == 7000)
        }
        return accepted(by: upstream)
    }

    @Test("An upstream on the loopback is asked for identity, and a compressed response is decoded anyway")
    func loopback() async throws {
        #expect(try await accepted() == ["identity"])
    }

    /// Calls an upstream in another network, which a proxy leads to.
    private func acceptedOfRemote(_ compression: UpstreamCompression? = nil) async throws -> [String] {
        try await accepted(
            compression, url: { _ in "http://api.example.com" },
            configure: { configuration, upstream in
                let proxy = try OutboundProxy("http://127.0.0.1:\(upstream.port)")
                configuration.connections.proxy = .fixed(proxy)
            })
    }

    @Test("An upstream in another network may compress")
    func remote() async throws {
        #expect(try await acceptedOfRemote() == [Self.all])
    }

    @Test("A policy allows or forbids compression wherever the upstream is")
    func policy() async throws {
        #expect(try await accepted(.always) == [Self.all])
        #expect(try await acceptedOfRemote(.never) == ["identity"])
    }

    @Test("The standard policy holds for upstreams without one of their own")
    func standard() async throws {
        let accepted = try await accepted(configure: { configuration, _ in
            configuration.upstreamPolicy.compression = .always
        })
        #expect(accepted == [Self.all])
    }

    @Test("A target's own Accept-Encoding is sent unchanged")
    func own() async throws {
        let accepted = try await accepted(.always, headers: [.acceptEncoding: "gzip"])
        #expect(accepted == ["gzip"])
    }

    @Test(
        "A call for a part of a body asks for identity, because a part of a compressed one cannot be decoded")
    func range() async throws {
        let accepted = try await accepted(.always, headers: [.range: "bytes=0-"])
        #expect(accepted == ["identity"])
    }

    @Test("A session sends its own fields, whatever they are")
    func session() async throws {
        let upstream = try Self.upstream()
        defer { upstream.stop() }
        var configuration = Session.Configuration()
        configuration.connections.proxy = .none
        // A field that a gateway's constant fields must not contain.
        configuration.fields = [.acceptEncoding: "br;q=0.5", .date: "Fri, 20 Nov 2026 11:00:00 GMT"]
        let session = try Session(configuration)
        defer { session.close() }
        #expect(session.transport.compressionFields == nil)
        let text = try Provider<Text>(
            upstream: "text", baseURL: "http://127.0.0.1:\(upstream.port)", transport: session.transport)
        let response = try await text.request(Text())
        #expect(response.statusCode == 200)
        #expect(accepted(by: upstream) == ["br;q=0.5"])
    }

    @Test("An upstream whose address its target computes is judged by that address, too")
    func computed() throws {
        let upstream = try Self.upstream()
        defer { upstream.stop() }
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.accessLog = false
        configuration.logLevel = .error
        configuration.connections.proxy = .fixed(try OutboundProxy("http://127.0.0.1:\(upstream.port)"))
        // `withGateway` would give the upstream an address.
        let server = try GatewayServer.start(configuration) { gateway in
            let text = gateway.provider(Text.self, upstream: "text")
            gateway.get("/page/{host}") { request in
                let host = try request.path("host", as: String.self)
                return .parts(text: text.rx.request(Text(baseURL: "http://\(host)")).fragment())
            }
        }
        defer {
            server.stop()
            server.waitUntilStopped()
        }
        let client = try RawClient(port: server.port)
        for host in ["api.example.com", "diary"] {
            client.send("GET /page/\(host) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.reply().status == 200)
        }
        #expect(accepted(by: upstream) == [Self.all, "identity"])
    }
}
