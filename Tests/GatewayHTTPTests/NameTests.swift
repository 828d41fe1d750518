import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Locking
import Networking
import Rx
import Testing

@testable import GatewayHTTP

/// Checks the gateway's name in `Via` and `Proxy-Status` over sockets.
@Suite("The name of a gateway")
struct NameTests {
    /// A target for `/page` at an address that is known only once its server runs.
    private struct PageAPI: TargetType {
        let baseURL: String
        var path: RequestPath { "/page" }
    }

    /// The `Via` of each received request.
    private final class Vias: Sendable {
        let all = Lock<[String?]>([])
    }

    private static func configuration(_ name: String) -> GatewayServerConfiguration {
        var configuration = GatewayServerConfiguration()
        configuration.name = name
        // A gateway that calls itself has idle connections of its own while it drains.
        configuration.inbound.drainGrace = .milliseconds(200)
        return configuration
    }

    @Test(
        "A gateway does not start unless its name is a token of 1 to 64 bytes",
        arguments: [
            "", "a b", "a,b", "a/b", "a\"", "ä", "a\r\nX: y", String(repeating: "a", count: 65),
        ])
    func refused(_ name: String) {
        let error = #expect(throws: GatewayStartError.self) {
            try GatewayServer.start(Self.configuration(name)) { _ in }
        }
        #expect(error?.description.contains("is not 1 to 64 letters") == true)
    }

    @Test(
        "Via and Proxy-Status have the configured name, quoted if it is not a structured token",
        arguments: [
            ("edge-1", "edge-1"), ("1edge", "\"1edge\""), ("*", "*"),
            (String(repeating: "a", count: 64), nil),
        ])
    func named(_ name: String, _ item: String?) async throws {
        let upstream = StubUpstream { _ in .status(.notFound) }
        let provider = Lock<Provider<PartsAPI>?>(nil)
        try await withGateway(
            upstreams: ["parts": upstream], configuration: Self.configuration(name),
            declare: { gateway in
                let parts = gateway.provider(PartsAPI.self, upstream: "parts")
                provider.withLock { $0 = parts }
                gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
            }
        ) { client in
            let response = try await client.get("/page", [.via: "1.0 front"])
            #expect(
                response.fields[.proxyStatus] == "\(item ?? name); received-status=404; details=\"first\"")
            // A call outside any client's request.
            _ = try await provider.withLock { $0 }?.request(.second)
        }
        #expect(upstream.requests.map { $0.fields[.via] } == ["1.0 front, 1.1 \(name)", "1.1 \(name)"])
    }

    /// Runs a gateway that calls `/page` at another address and records the `Via` of its own requests.
    private static func relay(
        _ name: String, to url: @escaping @Sendable () -> String, _ vias: Vias,
        _ body: (TestClient) async throws -> Void
    ) async throws {
        let upstreams = StubUpstreams()
        upstreams.unstubbed = ["next"]
        try await withGateway(
            upstreams: upstreams, configuration: configuration(name),
            declare: { gateway in
                let next = gateway.provider(PageAPI.self, upstream: "next")
                gateway.get("/page") { request in
                    vias.all.withLock { $0.append(request.header(.via)) }
                    return .parts(next: next.rx.request(PageAPI(baseURL: url())).fragment(at: .root))
                }
            }, body)
    }

    @Test("A forwarding loop ends after four rounds with 508, and no gateway repeats its call")
    func loop() async throws {
        let own = Lock("")
        let vias = Vias()
        try await Self.relay("edge", to: { own.withLock { $0 } }, vias) { client in
            own.withLock { $0 = client.url }
            let response = try await client.get("/page")
            #expect(response.status == .loopDetected)
            #expect(response.text.contains(#""code":"LOOP_DETECTED""#))
            #expect(response.text.contains(#""retryable":false"#))
        }
        let entry = "1.1 edge"
        #expect(
            vias.all.withLock { $0 } == [
                nil, entry, "\(entry), \(entry)", "\(entry), \(entry), \(entry)",
            ])
    }

    @Test("A request passes through a chain of three gateways with the same name")
    func chain() async throws {
        let upstream = StubUpstream { _ in .json(#"{"end":true}"#) }
        let vias = Vias()
        try await withGateway(
            upstreams: ["parts": upstream],
            declare: { gateway in
                let parts = gateway.provider(PartsAPI.self, upstream: "parts")
                gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
            }
        ) { last in
            try await Self.relay("sluice", to: { last.url }, vias) { middle in
                try await Self.relay("sluice", to: { middle.url }, vias) { first in
                    let response = try await first.get("/page")
                    #expect(response.status == .ok)
                    #expect(response.text.contains(#"{"end":true}"#))
                }
            }
        }
        #expect(upstream.requests.map { $0.fields[.via] } == ["1.1 sluice, 1.1 sluice, 1.1 sluice"])
    }
}
