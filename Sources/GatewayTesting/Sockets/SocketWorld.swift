import EventIO
import GatewayCore
import GatewayHTTP
import HTTPOutbound
import Locking
import Networking

/// The running gateway of a test, with the stubs and the test's client on another loop.
final class SocketWorld: Sendable {
    private let client: TestClient
    private let httpClient: HTTPClient
    private let group: EventLoopGroup
    private let sites: Sites
    private let server: GatewayServer

    static func run<Result: Sendable>(
        _ patience: Duration, _ upstreams: StubUpstreams, _ unmatched: UnmatchedCalls.Log,
        _ configuration: GatewayServerConfiguration,
        _ declare: @escaping @Sendable (Gateway) throws -> Void, _ isolation: isolated (any Actor)?,
        _ body: (TestClient) async throws -> Result
    ) async throws -> Result {
        let world = try await onThread { try SocketWorld(upstreams, unmatched, configuration, declare) }
        do {
            let result = try await body(world.client)
            try await onThread { try world.end(within: patience) }
            return result
        } catch {
            try? await onThread { try world.end(within: patience) }
            throw error
        }
    }

    /// The stubs of the declared upstreams, and of upstreams that the gateway adds.
    private final class Sites: Sendable {
        private let byName = Lock<[String: StubSite]>([:])
        private let unmatched: UnmatchedCalls.Log
        private let loop: EventLoop

        init(_ unmatched: UnmatchedCalls.Log, on loop: EventLoop) {
            self.unmatched = unmatched
            self.loop = loop
        }

        func open(_ stub: StubUpstream, name: String) throws -> UpstreamURLs {
            if let known = byName.withLock({ $0[name] }) { return known.url }
            let site = try StubSite(stub, name: name, unmatched, on: loop)
            byName.withLock { $0[name] = site }
            return site.url
        }

        func stop() { for site in byName.withLock({ Array($0.values) }) { site.stop() } }
    }

    private init(
        _ upstreams: StubUpstreams, _ unmatched: UnmatchedCalls.Log, _ base: GatewayServerConfiguration,
        _ declare: (Gateway) throws -> Void
    ) throws {
        group = try EventLoopGroup(count: 1, name: "stubs")
        let loop = group.loops[0]
        let sites = Sites(unmatched, on: loop)
        self.sites = sites
        var configuration = base
        configuration.host = "127.0.0.1"
        configuration.port = 0
        configuration.loops = 1
        configuration.accessLog = false
        configuration.logLevel = .error
        configuration.drainDelay = .zero
        do {
            for (name, stub) in upstreams.all {
                configuration.upstreams[name] = try sites.open(stub, name: name)
            }
            // Without a descriptor left for a stub, its calls are refused: nobody listens on this port.
            configuration.otherUpstreams = { name in
                if upstreams.unstubbed.contains(name) { return nil }
                return (try? sites.open(upstreams[name], name: name)) ?? "http://127.0.0.1:1"
            }
            server = try GatewayServer.start(configuration, declare: declare)
            guard let port = UInt16(exactly: server.port), let origin = Origin(host: "127.0.0.1", port: port)
            else {
                throw GatewayLeak(description: "the gateway has no port")
            }
            let httpClient = loop.runBlocking { HTTPClient(loop: loop, limits: Self.limits) }
            self.httpClient = httpClient
            let gateway = loop.runBlocking { httpClient.origin(origin) }
            client = TestClient(url: server.url, backend: SocketClient(gateway))
        } catch {
            sites.stop()
            group.shutdown()
            throw error
        }
    }

    private static var limits: OutboundLimits {
        var limits = OutboundLimits()
        limits.firstByteTimeout = .seconds(30)
        limits.readTimeout = .seconds(30)
        limits.totalTimeout = .seconds(30)
        return limits
    }

    /// Drains the gateway, and waits for its hooks, each of which has its own limit. Throws `GatewayLeak` if
    /// requests take longer than `patience` to end.
    private func end(within patience: Duration) throws {
        group.loops[0].runBlocking { [httpClient] in httpClient.close() }
        server.drain()
        let isOver = server.waitForRequests(within: patience)
        if !isOver { server.stop() }
        server.waitUntilStopped()
        sites.stop()
        group.shutdown()
        if !isOver {
            throw GatewayLeak(description: "requests were still in progress \(patience) after the drain")
        }
    }
}
