import EventIO
import HTTPModel
import HTTPOutbound
import Networking
import Rx
import Testing

@testable import NetworkingSession

@Suite("Where TLS settings hold")
struct RouteTests {
    @Test(
        "What an upstream's name is given is for that upstream alone: a redirect to another origin has its host's"
    )
    func elsewhere() throws {
        var named = TLSConfiguration()
        named.minimumVersion = .tls13
        var settings = ConnectionSettings()
        settings.tlsByUpstream["accounts"] = named
        let routes = try UpstreamRoutes(settings)
        let time = HistoricalScheduler()
        let transport = StubTransport(scheduler: time)
        transport.answer(
            .response(302, fields: [.location: "https://other.test/"]), .response(200))
        var policy = CallPolicy()
        policy.redirects = .follow(hosts: ["other.test"])
        let provider = try Provider<Anything>(
            upstream: "accounts", baseURL: "https://accounts.test", transport: transport, policy: policy)
        _ = provider.rx.request(Anything(baseURL: "")).subscribe()
        let origins = try transport.attempts.map { try routes.origin(of: $0.call.upstream) }
        #expect(origins.map(\.authority) == ["accounts.test", "other.test"])
        #expect(origins.map { $0.tls?.configuration.minimumVersion } == [.tls13, .tls12])
    }
}
