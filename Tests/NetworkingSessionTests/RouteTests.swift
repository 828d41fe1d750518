import EventIO
import Glibc
import HTTPModel
import HTTPOutbound
import Networking
import NetworkingTesting
import Rx
import Testing

@testable import NetworkingSession

@Suite("Routes of upstreams")
struct RouteTests {
    private enum A { struct API: TargetType { let baseURL: String; var path: RequestPath = "/" } }
    private enum Z { struct API: TargetType { let baseURL: String; var path: RequestPath = "/" } }

    /// The TLS settings that a provider's call uses, identified by `serverName`.
    private func name<Target: TargetType>(
        _ settings: ConnectionSettings, _ target: Target,
        _ provider: (StubTransport) throws -> Provider<Target>
    ) throws -> String? {
        let routes = try UpstreamRoutes(settings)
        let transport = StubTransport(scheduler: HistoricalScheduler())
        transport.answer(.response(200))
        let provider = try provider(transport)
        _ = provider.rx.request(target).subscribe()
        let upstream = try #require(transport.attempts.first).call.upstream
        return try routes.origins(of: upstream)[0].tls?.configuration.serverName
    }

    private func named(_ name: String) -> TLSConfiguration {
        var configuration = TLSConfiguration()
        configuration.serverName = name
        return configuration
    }

    @Test(
        "Settings by upstream name apply only to providers created with that upstream name"
    )
    func typesOfOneName() throws {
        var settings = ConnectionSettings()
        settings.tlsByUpstream["API"] = named("by.name")
        settings.tls = named("of.all")
        let base = "https://api.test"
        #expect(try name(settings, A.API(baseURL: base)) { Provider(transport: $0) } == "of.all")
        #expect(try name(settings, Z.API(baseURL: base)) { Provider(transport: $0) } == "of.all")
        #expect(try name(settings, Z.API(baseURL: base)) { Provider(name: "API", transport: $0) } == "of.all")
        #expect(
            try name(settings, A.API(baseURL: base)) { try Provider(upstream: "API", transport: $0) }
                == "by.name")
        #expect(
            try name(settings, A.API(baseURL: base)) {
                try Provider(upstream: "API", baseURL: base, transport: $0)
            } == "by.name")
        #expect(
            try name(settings, A.API(baseURL: base)) {
                Provider(upstream: try Upstream(name: "API", baseURL: base), transport: $0)
            } == "by.name")
    }

    @Test("Settings may apply to a host or to a host and port, and settings by upstream name take precedence")
    func hosts() throws {
        var settings = ConnectionSettings()
        settings.tlsByHost["Bank.test"] = named("host")
        settings.tlsByHost["bank.test:8443"] = named("port")
        settings.tlsByHost["other.test:443"] = named("own.port")
        settings.tlsByHost["[::1]"] = named("six")
        settings.tlsByHost["::2"] = named("bare.six")
        settings.tlsByUpstream["bank.test"] = named("upstream")
        for (base, expected) in [
            ("https://bank.test", "host"), ("https://BANK.test:9000", "host"),
            ("https://bank.test:8443", "port"), ("https://other.test", "own.port"),
            ("https://other.test:8443", nil), ("https://[::1]:8443", "six"), ("https://[::2]", "bare.six"),
            ("https://sub.bank.test", nil),
        ] {
            #expect(
                try name(settings, A.API(baseURL: base)) { Provider(transport: $0) } == expected, "\(base)")
        }
        #expect(
            try name(settings, A.API(baseURL: "https://bank.test")) {
                try Provider(upstream: "bank.test", transport: $0)
            } == "upstream")
    }

    @Test(
        "After a redirect to another origin, settings by upstream name no longer apply"
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
        let origins = try transport.attempts.map { try routes.origins(of: $0.call.upstream)[0] }
        #expect(origins.map(\.authority) == ["accounts.test", "other.test"])
        #expect(origins.map { $0.tls?.configuration.minimumVersion } == [.tls13, .tls12])
    }

    @Test(
        "An invalid proxy variable fails only the calls that use it, and the error names it"
    )
    func oddEnvironment() throws {
        var settings = ConnectionSettings()
        settings.proxy = .environment
        let routes = try UpstreamRoutes(
            settings,
            variables: [
                "all_proxy": "socks5h://user:secret@p:1", "http_proxy": "p:3128",
                "no_proxy": "inside.test,10.*",
            ])
        #expect(routes.warnings.count == 2)
        #expect(!"\(routes.warnings)".contains("secret"))
        func origin(_ url: String) throws -> Origin {
            try routes.origins(of: Upstream(name: "a", baseURL: url))[0]
        }
        #expect(try origin("http://a.test").proxy?.description == "p:3128")
        #expect(try origin("https://inside.test").proxy == nil)
        #expect(try origin("unix:/run/a.sock").proxy == nil)
        let error = try #require(throws: TransportError.self) { try origin("https://a.test") }
        #expect(error.reason == .internalError)
        #expect(error.message.contains("all_proxy"))
        #expect(!"\(error)".contains("secret"))
    }

    @Test("With invalid proxy variables, a session still makes unaffected calls and lists its warnings")
    func oddSession() async {
        // The test runs in its own process because tests share the environment.
        let ended = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            setenv("all_proxy", "socks5h://user:secret@127.0.0.1:1", 1)
            setenv("no_proxy", "localhost,10.*,127.0.0.0/8", 1)
            for name in ["http_proxy", "https_proxy", "HTTPS_PROXY"] { unsetenv(name) }
            let made = try Session()
            #expect(made.warnings.count == 3)
            let session = Session.shared
            #expect(session.warnings.count == 3)
            func failure(_ url: String) async -> NetworkError? {
                do {
                    _ = try await session.request(HTTPRequest(url: url))
                    return nil
                } catch {
                    return error as? NetworkError
                }
            }
            // The port has no listener, so a refused connection proves that the call was made.
            #expect(await failure("http://127.0.0.1:1/")?.reason == .connectionRefused)
            let error = await failure("http://a.test/")
            #expect(error?.reason == .internalError)
            #expect((error?.underlying as? TransportError)?.message.contains("all_proxy") == true)
            #expect(error?.attempts == 1)
        }
        let told = String(decoding: ended?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            told.contains(
                "sluice: all_proxy: the proxy's scheme is socks5h, but only http is supported; http calls fail"
            ))
        #expect(told.contains("sluice: no_proxy: '10.*' is not a name"))
        #expect(!told.contains("secret"))
    }
}
