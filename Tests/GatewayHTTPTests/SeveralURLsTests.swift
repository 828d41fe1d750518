import GatewayCore
import GatewayTesting
import HTTPModel
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Several base URLs of an upstream", .timeLimit(.minutes(1)))
struct SeveralURLsTests {
    @Sendable private static func declare(on gateway: Gateway) {
        let parts = gateway.provider(PartsAPI.self, upstream: "parts")
        gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
    }

    private func urls(_ peers: AddressPeers) -> UpstreamURLs {
        UpstreamURLs(peers.asked.indices.map { "http://127.0.0.\($0 + 1):\(peers.port)" })
    }

    @Test("A GET that one of them refuses goes to another one, and the calls are shared")
    func gateway() async throws {
        let peers = try AddressPeers(.answers, .refuses, .answers)
        defer { peers.stop() }
        var configuration = GatewayServerConfiguration()
        configuration.upstreams = ["parts": urls(peers)]
        try await withGateway(configuration: configuration, declare: Self.declare) { client in
            for _ in 0..<100 {
                let status = try await client.get("/page").status
                #expect(status == .ok)
            }
        }
        #expect(peers.asked[0] > 20 && peers.asked[2] > 20, "\(peers.asked)")
    }

    @Test("Each has its own Host field")
    func host() async throws {
        let servers = try (0..<2).map { _ in
            try ScriptedUpstream([
                .answer {
                    let field = $0.split(separator: "\r\n").first { $0.hasPrefix("Host: ") }
                    let host = field?.dropFirst(6) ?? ""
                    return "HTTP/1.1 200 OK\r\nContent-Length: \(host.count + 2)\r\n\r\n\"\(host)\""
                }
            ])
        }
        defer { for server in servers { server.stop() } }
        let hosts = servers.map { "127.0.0.1:\($0.port)" }
        var configuration = GatewayServerConfiguration()
        configuration.upstreams = ["parts": UpstreamURLs(hosts.map { "http://\($0)" })]
        try await withGateway(configuration: configuration, declare: Self.declare) { client in
            var seen: Set<String> = []
            for _ in 0..<50 {
                let answer = try await client.get("/page")
                let data = try #require(try answer.json[member: "data"])
                seen.insert(data[member: "first"]?.stringValue ?? "\(data)")
            }
            #expect(seen == Set(hosts))
        }
    }

    @Test("A session shares the calls among them, too")
    func session() async throws {
        let peers = try AddressPeers(.answers, .refuses, .answers)
        defer { peers.stop() }
        let session = try Session()
        defer { session.close() }
        let parts = try Provider<PartsAPI>(upstream: "parts", baseURLs: urls(peers), session: session)
        for _ in 0..<100 {
            let status = try await parts.rx.request(.first).value.statusCode
            #expect(status == 200)
        }
        #expect(peers.asked[0] > 20 && peers.asked[2] > 20, "\(peers.asked)")
    }
}
