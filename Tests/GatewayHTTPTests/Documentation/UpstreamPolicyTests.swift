import GatewayCore
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

/// Compiles the code of the article "Upstreams".
@Suite("Policies of upstreams")
struct UpstreamPolicyTests {
    @Test("Each upstream has its own policy, or the one of the configuration")
    func policies() throws {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.hosts = .any
        configuration.accessLog = false
        configuration.logLevel = .error
        let server = try GatewayServer.start(configuration) { gateway in
            let providers = ["weather", "diary", "tags"].map {
                gateway.provider(PartsAPI.self, upstream: $0)
            }
            gateway.upstream("weather") {
                $0.breaker?.failureRate = 0.3
                $0.concurrency = 100
            }
            gateway.upstream("diary") { $0.breaker = nil }
            gateway.get("/page") { _ in
                .parts(
                    a: providers[0].rx.request(.first).fragment(),
                    b: providers[1].rx.request(.first).fragment(),
                    c: providers[2].rx.request(.first).fragment())
            }
        }
        defer {
            server.stop()
            server.waitUntilStopped()
        }
        // Nobody listens on the port of the targets.
        #expect(try RawClient(port: server.port).get("/page")?.status == 502)
        let upstreams = server.settled.upstreams
        #expect(upstreams.keys.sorted() == ["tags", "weather"])
        #expect(upstreams["weather"]?.circuit == .closed)
        #expect(upstreams["weather"]?.attemptsInFlight == 0)
        #expect(upstreams["tags"]?.circuit == .closed)
        #expect(upstreams["tags"]?.attemptsInFlight == nil)
    }

    @Test("The settings of several addresses are valid")
    func addresses() throws {
        var configuration = GatewayServerConfiguration()
        configuration.upstreams = [
            "weather": "http://weather.internal:8081",
            "diary": ["http://10.0.0.8:8081/food-diary", "http://10.0.0.9:8081/food-diary"],
        ]
        // A transport without sockets, so that no name is looked up and no address is checked.
        let transport = UnsentTransport()
        let gateway = Gateway(
            GatewayEnvironment(transport: transport, upstreamOverrides: configuration.upstreams))
        let weather = gateway.provider(PartsAPI.self, upstream: "weather")
        let diary = gateway.provider(PartsAPI.self, upstream: "diary")
        gateway.upstream("diary") {
            $0.ejection?.consecutive = 3
            $0.slowStart = .seconds(30)
            $0.health = HealthCheckPolicy(path: "/health")
        }
        gateway.upstream("weather") { $0.ejection = nil }
        gateway.get("/page") { _ in
            .parts(a: weather.rx.request(.first).fragment(), b: diary.rx.request(.first).fragment())
        }
        #expect(throws: Never.self) { try gateway.responder() }
    }

    @Test("Upstreams may be allowed or forbidden to compress")
    func compression() throws {
        let gateway = Gateway(GatewayEnvironment(transport: UnsentTransport()))
        let weather = gateway.provider(PartsAPI.self, upstream: "weather")
        let archive = gateway.provider(PartsAPI.self, upstream: "archive")
        gateway.upstream("weather") { $0.compression = .never }
        gateway.upstream("archive") { $0.compression = .always }
        gateway.get("/page") { _ in
            .parts(a: weather.rx.request(.first).fragment(), b: archive.rx.request(.first).fragment())
        }
        #expect(throws: Never.self) { try gateway.responder() }
    }
}
