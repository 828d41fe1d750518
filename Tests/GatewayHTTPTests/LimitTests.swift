import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The limits of a served gateway")
struct LimitTests {
    /// Declares `/page`, which makes one call without retries.
    @Sendable private static func declarePage(_ limits: AttemptLimits) -> @Sendable (Gateway) -> Void {
        { gateway in
            var policy = CallPolicy()
            policy.attemptLimits = limits
            policy.retry = .never
            let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: policy)
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        }
    }

    /// Requests `/page` with short limits on the provider and long limits on the gateway. Returns the error.
    private func failure(_ upstream: RawUpstream, _ limits: AttemptLimits) async throws -> JSONFragment {
        var configuration = GatewayServerConfiguration()
        configuration.upstreams["parts"] = UpstreamURLs(upstream.url)
        configuration.outbound.connectTimeout = .seconds(9)
        configuration.outbound.readTimeout = .seconds(9)
        return try await withGateway(configuration: configuration, declare: Self.declarePage(limits)) {
            client in
            let response = try await client.get("/page")
            #expect(response.status == .gatewayTimeout)
            return try #require(try response.json[member: "errors"]?[element: 0])
        }
    }

    @Test(
        "A connect without an answer fails at the provider's connect limit, and the message states the limit")
    func aProvidersConnectLimitHolds() async throws {
        var limits = AttemptLimits()
        limits.connect = .milliseconds(60)
        let error = try await failure(try .blackHole(), limits)
        #expect(error[member: "reason"]?.stringValue == "connection_timeout")
        #expect(error[member: "message"]?.stringValue?.contains("60 ms") == true, "\(error)")
        let elapsed = try #require(error[member: "elapsedMs"]?.intValue)
        #expect(elapsed >= 60 && elapsed < 5000)
    }

    @Test("A response that stalls fails at the provider's first-byte limit")
    func aProvidersReadGapHolds() async throws {
        var limits = AttemptLimits()
        limits.firstByte = .milliseconds(60)
        let cut = try RawUpstream.saying("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{")
        let error = try await failure(cut, limits)
        #expect(error[member: "reason"]?.stringValue == "connection_read_timeout")
        let elapsed = try #require(error[member: "elapsedMs"]?.intValue)
        #expect(elapsed >= 60 && elapsed < 5000)
    }

    @Test("A provider's total timeout replaces a shorter one of the gateway")
    func aProvidersTotalLimitHolds() async throws {
        let upstream = StubUpstream { _ in .json("1").after(.milliseconds(120)) }
        var configuration = GatewayServerConfiguration()
        configuration.outbound.totalTimeout = .milliseconds(40)
        try await withGateway(
            upstreams: ["parts": upstream], configuration: configuration,
            declare: Self.declarePage(AttemptLimits())
        ) { client in
            let response = try await client.get("/page")
            #expect(try response.json[member: "data"]?.description == #"{"first":1}"#, "\(response.text)")
        }
    }

    @Test("The configuration's limits apply to requests and to upstream responses")
    func theConfigurationsLimitsHold() async throws {
        let upstream = StubUpstream { _ in .json(#"{"more":"than ten bytes"}"#) }
        var configuration = GatewayServerConfiguration()
        configuration.inbound.target = 30
        configuration.outbound.responseBody = 10
        try await withGateway(
            upstreams: ["parts": upstream], configuration: configuration,
            declare: Self.declarePage(AttemptLimits())
        ) { client in
            #expect(
                try await client.get("/page?a=\(String(repeating: "a", count: 30))").status == .uriTooLong)
            let response = try await client.get("/page")
            #expect(response.status == .badGateway)
            let error = try #require(try response.json[member: "errors"]?[element: 0])
            #expect(error[member: "reason"]?.stringValue == "http_response_body_size")
        }
    }

    @Test(
        "The loops share the configured connections, and each may buffer at least one body of the largest size"
    )
    func aLoopsLimitsFollowFromTheConfiguration() {
        var configuration = GatewayServerConfiguration()
        configuration.loops = 4
        let standard = configuration.inboundLimits(largestBody: 1 << 20, descriptors: 1_000_000)
        #expect(configuration.connectionLimit(descriptors: 1_000_000) == 10_000)
        #expect(standard.bufferedBodies == 128 << 20)
        #expect(standard.drainDeadline == .seconds(29))
        configuration.inbound.connections = 100
        configuration.inbound.keepAliveIdle = .seconds(5)
        let own = configuration.inboundLimits(largestBody: 1 << 30, descriptors: 1_000_000)
        #expect(configuration.connectionLimit(descriptors: 1_000_000) == 100)
        #expect(own.keepAliveIdle == .seconds(5))
        #expect(own.requestBody == 1 << 30)
        #expect(own.bufferedBodies == 1 << 30)
        #expect(configuration.connectionLimit(descriptors: 80) == 30)
        #expect(standard.connectionsAboveLimit == 32)
        #expect(configuration.inboundLimits(largestBody: 1, descriptors: 1024).connectionsAboveLimit == 16)
        #expect(configuration.inboundLimits(largestBody: 1, descriptors: 40).connectionsAboveLimit == 1)
        #expect(standard.handshakes == 625)
        #expect(own.handshakes == 256)
        configuration.inbound.handshakes = 7
        #expect(configuration.inboundLimits(largestBody: 1, descriptors: 1024).handshakes == 7)
    }

    @Test("An endpoint may allow longer bodies than the gateway's limit")
    func anEndpointsBodyLimitMayBeLarger() async throws {
        @Sendable func declare(on gateway: Gateway) {
            gateway.post("/upload", .bodyLimit(2 << 20)) { request in .json(request.body.count) }
            gateway.post("/note") { request in .json(request.body.count) }
        }
        // Only the length is sent, because a body that is too long is refused before it arrives.
        func verdict(_ client: TestClient, _ path: String, _ length: Int) throws -> Int? {
            let raw = try RawClient(
                port: try #require(client.url.split(separator: ":").last.flatMap { Int($0) }))
            raw.send("POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(length)\r\n\r\n")
            return raw.receive()?.status
        }
        try await withGateway(declare: declare) { client in
            let whole = try await client.post("/upload", json: String(repeating: "1", count: 2 << 20))
            #expect(try whole.json[member: "data"]?.intValue == 2 << 20, "\(whole.status)")
            #expect(try verdict(client, "/upload", (2 << 20) + 1) == 413)
            #expect(try verdict(client, "/note", (1 << 20) + 1) == 413)
        }
    }
}
