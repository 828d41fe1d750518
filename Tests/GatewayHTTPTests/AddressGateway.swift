import GatewayCore
import Glibc
import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingSession
import TestSupport
import Testing

@testable import GatewayHTTP

/// A gateway in front of `AddressPeers`.
enum AddressGateway {
    enum WritesAPI: TargetType {
        case write

        var baseURL: String { "http://127.0.0.1:1" }
        var path: RequestPath { "/first" }
        var method: HTTPMethod { .post }
    }

    /// An ejection of 300 ms after three failures.
    static let quick: EjectionPolicy = {
        var policy = EjectionPolicy()
        policy.consecutive = 3
        policy.base = .milliseconds(300)
        policy.max = .milliseconds(300)
        return policy
    }()

    /// Ejections that last longer than the test.
    static func forLong(_ policy: inout UpstreamPolicy) {
        policy.ejection?.base = .seconds(60)
        policy.ejection?.max = .seconds(60)
    }

    /// Serves `/page` with one call to the name `parts.test`, which has the peers' addresses, and returns the
    /// messages.
    static func serve(
        _ peers: AddressPeers, addresses: [String]? = nil, expected count: Int? = nil, loops: Int = 1,
        retry: CallRetryPolicy = .never,
        firstByte: Duration = .seconds(5), budget: RetryBudget = RetryBudget(),
        policy change: @escaping (inout UpstreamPolicy) -> Void = { _ in },
        configure: (inout GatewayServerConfiguration) -> Void = { _ in },
        _ body: (GatewayServer, RawClient, DNSServer) throws -> Void
    ) throws -> [String] {
        defer { peers.stop() }
        let addresses = addresses ?? peers.hosts
        let dns = try DNSServer(["parts.test": DNSServer.Name(addresses, timeToLive: 0)])
        defer { dns.stop() }
        let pipe = RawPipe()
        defer { close(pipe.reader) }
        _ = try withLoggedGateway(errors: pipe.writer) { configuration in
            configuration.loops = loops
            configuration.logLevel = .info
            configuration.dns.servers = [dns.address]
            configuration.dns.minTTL = .milliseconds(100)
            configuration.retryBudget = budget
            configuration.inbound.requestsPerConnection = .max
            configure(&configuration)
            configuration.upstreams = ["parts": "http://parts.test:\(peers.port)"]
        } declare: { gateway in
            var policy = CallPolicy()
            policy.retry = retry
            policy.attemptLimits.firstByte = firstByte
            let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: policy)
            gateway.upstream("parts") {
                $0.breaker = nil
                $0.ejection = quick
                change(&$0)
            }
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
            let writes = gateway.provider(WritesAPI.self, upstream: "parts", policy: policy)
            gateway.post("/page") { _ in .parts(first: writes.rx.request(.write).fragment()) }
        } _: { server in
            let client = try RawClient(port: server.port)
            // Until the name's addresses are known, the connections race for them.
            try spin(while: server.settled.upstreams["parts"]?.addresses.count != count ?? addresses.count) {
                "addresses \(server.settled.upstreams["parts"]?.addresses ?? [:])"
            }
            try body(server, client, dns)
        }
        close(pipe.writer)
        return try pipe.readAll().split(separator: "\n").compactMap {
            try JSONFragment(validating: Array($0.utf8)[...])[member: "message"]?.stringValue
        }.filter { $0.hasPrefix("address") }
    }

    static func statuses(_ client: RawClient, _ count: Int) -> [Int] {
        (0..<count).map { _ in client.get("/page")?.status ?? 0 }
    }

    /// How many addresses the metrics count in service, ejected and unhealthy.
    static func counts(_ server: GatewayServer) -> [Double?] {
        ["in_service", "ejected", "unhealthy"].map {
            server.metric(#"upstream_addresses{upstream="parts",state="\#($0)"}"#)
        }
    }

    static func states(_ server: GatewayServer, _ peers: AddressPeers) -> [AddressState?] {
        let states = server.settled.upstreams["parts"]?.addresses
        return peers.asked.indices.map { states?["127.0.0.\($0 + 1):\(peers.port)"] }
    }
}
