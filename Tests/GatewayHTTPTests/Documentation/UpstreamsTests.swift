import GatewayHTTP
import Testing

/// The code of `Upstreams.md`.
@Suite("The article about upstreams", .timeLimit(.minutes(1)))
struct UpstreamsTests {
    @Test("A gateway starts with the settings of the article")
    func names() throws {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.accessLog = false
        configuration.drainDelay = .zero
        configuration.dns.minTTL = .seconds(5)
        configuration.dns.maxTTL = .seconds(60)
        configuration.dns.stale = .seconds(3600)
        configuration.dns.servers = ["10.0.0.2", "127.0.0.1:5353", "[::1]:5353"]
        try Self.startAndStop(configuration)
        configuration.dns = .system
        try Self.startAndStop(configuration)
    }

    private static func startAndStop(_ configuration: GatewayServerConfiguration) throws {
        let server = try GatewayServer.start(configuration) { _ in }
        server.drain()
        server.waitUntilStopped()
    }
}
