import HTTPModel
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Upstreams with several base URLs", .noLeaks)
struct UpstreamURLsTests {
    private static let two = ["http://one.test:81/food-diary", "http://two.test:82/food-diary"]

    private func provider(
        _ urls: UpstreamURLs?, _ policy: CallPolicy = CallPolicy(),
        plugins: [any PluginType] = [], interceptor: (any RequestInterceptor)? = nil
    ) throws -> (StubTransport, Provider<Diary>) {
        let transport = StubTransport(scheduler: VirtualTime())
        let provider = try Provider<Diary>(
            upstream: "diary", baseURLs: urls, transport: transport, policy: policy, plugins: plugins,
            interceptor: interceptor)
        return (transport, provider)
    }

    @Test(
        "Base URLs that do not fit together are refused, and the error shows which one and why",
        arguments: [
            ([], "", "an upstream has 1 to 64 base URLs, not 0"),
            (
                (1...65).map { "http://a.test:\($0)" }, "http://a.test:1",
                "an upstream has 1 to 64 base URLs, not 65"
            ),
            (["http://a", "b"], "b", "a URL begins with http:// or https://"),
            (["http://a", "http://b?x=1"], "http://b?***", "a base URL has no query"),
            (
                ["http://a", "http://me:secret@b"], "http://me:***@b",
                "a URL has no user name or password before its host"
            ),
            (
                ["http://a", "https://b"], "https://b",
                "the scheme differs from the first base URL, http://a/"
            ),
            (
                ["http://a/v1", "http://b/v1", "http://c/v2"], "http://c/v2",
                "the path differs from the first base URL, http://a/v1"
            ),
            (
                ["http://a/v1", "http://b"], "http://b",
                "the path differs from the first base URL, http://a/v1"
            ),
            (["http://a", "http://A:80/"], "http://A:80/", "two base URLs have the origin http://a"),
            (
                ["http://[::1]:81", "http://b", "http://[::1]:81"], "http://[::1]:81",
                "two base URLs have the origin http://[::1]:81"
            ),
            (
                ["http://localhost", "unix:/run/a.sock"], "unix:/run/a.sock",
                "an upstream with several base URLs has no Unix-domain socket"
            ),
            (
                ["unix:/run/a.sock", "unix:/run/b.sock"], "unix:/run/a.sock",
                "an upstream with several base URLs has no Unix-domain socket"
            ),
        ])
    func refused(texts: [String], value: String, reason: String) throws {
        let error = try #require(throws: Upstream.InvalidBaseURL.self) {
            try Upstream(name: "diary", baseURLs: texts)
        }
        #expect(error.upstream == "diary")
        #expect(error.value == value)
        #expect(error.reason == reason)
        #expect(throws: error) { try provider(UpstreamURLs(texts)) }
    }

    @Test("An upstream keeps its base URLs in order, and the first is its baseURL")
    func order() throws {
        let upstream = try Upstream(name: "diary", baseURLs: Self.two + ["http://one.test:82/food-diary/"])
        #expect(upstream.baseURLs.map(\.host) == ["one.test", "two.test", "one.test"])
        #expect(upstream.baseURLs.map(\.port) == [81, 82, 82])
        #expect(upstream.baseURL == upstream.baseURLs[0])
        #expect(upstream.unixSocketPath == nil)
        #expect(upstream.isNamed)
        let most = try Upstream(name: "diary", baseURLs: (1...64).map { "https://a.test:\($0)" })
        #expect(most.baseURLs.count == 64)
        let single = try Upstream(name: "diary", baseURL: "http://one.test")
        #expect(single.baseURLs == [single.baseURL])
        let socket = try Upstream(name: "diary", baseURLs: ["unix:/run/a.sock:/v1"])
        #expect(socket.unixSocketPath == "/run/a.sock")
        #expect(socket.baseURLs.map(\.path) == ["/v1"])
    }

    @Test("A literal is one base URL or a list of them")
    func literals() throws {
        let port = 81
        let one: UpstreamURLs = "http://a.test:\(port)"
        let several: UpstreamURLs = ["http://a.test:\(port)", "http://b.test"]
        #expect(one.all == ["http://a.test:81"])
        #expect(one == UpstreamURLs("http://a.test:81"))
        #expect(one == ["http://a.test:81"])
        #expect(several.all == ["http://a.test:81", "http://b.test"])
        #expect(several == UpstreamURLs(several.all))
        #expect(several != ["http://b.test", "http://a.test:81"])
    }

    @Test("Base URLs replace the target's own, and nil keeps it")
    func replaced() throws {
        for (urls, hosts) in [(UpstreamURLs(Self.two), ["one.test", "two.test"]), (nil, ["diary.test"])] {
            let (transport, provider) = try provider(urls)
            transport.answer(.json(#"{"status":200,"data":7}"#))
            #expect(Probe(provider.rx.request(.day("2026-11-20"))).value?.statusCode == 200)
            let call = try #require(transport.attempts.first?.call)
            #expect(call.upstream.baseURLs.map(\.host) == hosts)
            #expect(call.path == "/food-diary/weights/2026-11-20")
        }
    }

    @Test("Providers with the same base URLs share an upstream; with another list or order they do not")
    func shared() throws {
        var upstreams: [Upstream] = []
        for urls in [Self.two, Self.two, Self.two.reversed(), Array(Self.two.prefix(1))] {
            let (transport, provider) = try provider(UpstreamURLs(urls))
            transport.answer(.json(#"{"status":200,"data":7}"#))
            _ = Probe(provider.rx.request(.day("2026-11-20")))
            upstreams.append(try #require(transport.attempts.first?.call.upstream))
        }
        #expect(upstreams[0] === upstreams[1])
        #expect(Set(upstreams.map(\.id)).count == 3)
    }

    // MARK: - Redirects

    @Test(
        "A redirect to a port, host or scheme of none of the base URLs is not followed",
        arguments: [
            "http://two.test:81/x", "http://one.test:82/x", "https://two.test:82/x", "http://three.test/x",
            "http://two.test/x",
        ])
    func foreignRedirect(location: String) throws {
        var policy = CallPolicy()
        policy.redirects = .follow()
        let (transport, provider) = try provider(UpstreamURLs(Self.two), policy)
        transport.answer(.response(302, fields: [.location: location]))
        let error = try #require(Probe(provider.rx.request(.day("2026-11-20"))).networkError)
        #expect(error.reason == .unexpectedStatus)
        #expect(transport.attempts.count == 1)
    }

    @Test("A redirect to any base URL stays within the upstream, with credentials and forwarded fields")
    func ownRedirect() throws {
        var policy = CallPolicy()
        policy.redirects = .follow()
        let (transport, provider) = try provider(
            UpstreamURLs(Self.two), policy, plugins: [AccessTokenPlugin { "t0k3n" }])
        transport.answer(
            .response(302, fields: [.location: "http://two.test:82/x"]),
            .response(302, fields: [.location: "http://one.test:81/y"]),
            .json(#"{"status":200,"data":7}"#))
        let context = CallContext(requestID: "r1", forwarding: ["Accept-Language": "ko"])
        let probe = CallContext.$current.withValue(context) {
            Probe(provider.rx.request(.day("2026-11-20")))
        }
        #expect(probe.value?.statusCode == 200)
        let calls = transport.attempts.map(\.call)
        #expect(calls.map(\.path) == ["/food-diary/weights/2026-11-20", "/x", "/y"])
        #expect(calls.map { $0.allFields[.authorization] } == Array(repeating: "Bearer t0k3n", count: 3))
        #expect(calls.map { $0.allFields[.acceptLanguage] } == ["ko", "ko", "ko"])
        #expect(Set(calls.map(\.upstream.id)).count == 1)
        #expect(!calls.contains { $0.upstream.isRedirectTarget })
    }

    @Test("A redirect may lead from http to https at the host of any base URL with the default port")
    func upgradedRedirect() throws {
        var policy = CallPolicy()
        policy.redirects = .follow()
        let (transport, provider) = try provider(["http://one.test", "http://two.test"], policy)
        transport.answer(
            .response(302, fields: [.location: "https://two.test/x"]), .json(#"{"status":200,"data":7}"#))
        #expect(Probe(provider.rx.request(.day("2026-11-20"))).value?.statusCode == 200)
        let upstreams = transport.attempts.map(\.call.upstream)
        #expect(upstreams.map(\.baseURL.host) == ["one.test", "two.test"])
        #expect(upstreams.map(\.isRedirectTarget) == [false, true])
    }

    // MARK: - Interceptors

    @Test("An interceptor may write any of the base URLs, but no other origin and no other path")
    func intercepted() throws {
        for (url, isSent) in [
            ("http://three.test/food-diary/x", false), ("http://two.test:82/y", false),
            ("http://two.test:82/food-diary/x", true),
        ] {
            let (transport, provider) = try provider(
                UpstreamURLs(Self.two),
                interceptor: Interceptor(adapt: { request in
                    var request = request
                    request.url = url
                    return .just(request)
                }))
            transport.answer(.json(#"{"status":200,"data":7}"#))
            let probe = Probe(provider.rx.request(.day("2026-11-20")))
            #expect(probe.networkError?.reason == (isSent ? nil : .requestError), "\(url)")
            #expect(transport.attempts.map(\.call.path) == (isSent ? ["/food-diary/x"] : []), "\(url)")
        }
    }
}
