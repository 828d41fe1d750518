import FoundationEssentials
import HTTPModel
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// `api.test.` and `api.test` are the same host wherever hosts are compared. Each is called as it is written.
@Suite("The final dot of a host", .noLeaks)
struct FinalDotTests {
    private let now = Date(timeIntervalSince1970: 1_000_000)

    private struct Dotted: TargetType {
        var baseURL = "http://api.test."
        var path: RequestPath = "/start"
        var headers: HTTPFields = [.authorization: "Bearer t0k3n", "X-Api-Key": "key"]
    }

    private func provider(
        _ redirects: RedirectPolicy = .follow(), cookies: CookieJar? = nil, upstream: String? = nil
    ) throws -> (StubTransport, Provider<Dotted>) {
        let transport = StubTransport(scheduler: VirtualTime())
        var policy = CallPolicy()
        policy.redirects = redirects
        guard let upstream else {
            return (transport, Provider<Dotted>(transport: transport, policy: policy, cookies: cookies))
        }
        return (
            transport,
            try Provider<Dotted>(
                upstream: "api", baseURL: upstream, transport: transport, policy: policy, cookies: cookies)
        )
    }

    private static func to(_ location: String, cookie: String? = nil) -> StubTransport.Answer {
        var fields: HTTPFields = [.location: location]
        if let cookie { fields.append(.setCookie, cookie) }
        return .response(302, fields: fields)
    }

    // MARK: - Redirects

    @Test("A redirect to another host with the same dot is not followed")
    func otherHosts() throws {
        for location in [
            "http://other.test./", "http://api.test.:81/", "http://api.test../", "http://xapi.test./",
        ] {
            let (transport, provider) = try provider(.follow(hosts: ["*.listed.test"]))
            transport.answer(Self.to(location), .response(200))
            let error = Probe(provider.rx.request(Dotted())).networkError
            #expect(error?.reason == .unexpectedStatus, "\(location)")
            #expect(transport.attempts.count == 1)
        }
    }

    @Test(
        "A redirect that adds or removes the dot keeps credentials, cookies and the client's fields, and is called as written",
        arguments: [
            ("http://api.test.", "http://api.test/next"), ("http://api.test", "http://api.test./next"),
            ("http://api.test:81", "http://API.test.:81/next"),
        ])
    func sameHost(base: String, location: String) throws {
        let (transport, provider) = try provider(cookies: CookieJar(), upstream: base)
        transport.answer(Self.to(location, cookie: "sid=1; Path=/"), .response(200))
        let context = CallContext(
            requestID: "r1", forwarding: ["Accept-Language": "ko"], authorizationUpstreams: ["api"])
        let probe = CallContext.$current.withValue(context) { Probe(provider.rx.request(Dotted())) }
        #expect(probe.value?.statusCode == 200)
        let call = try #require(transport.attempts.last?.call)
        #expect(call.upstream.baseURL.host == (try HTTPURL(location)).host)
        #expect(call.allFields[.authorization] == "Bearer t0k3n")
        #expect(call.allFields["X-Api-Key"] == "key")
        #expect(call.allFields[.acceptLanguage] == "ko")
        #expect(call.allFields[.cookie] == "sid=1")
    }

    @Test("A redirect from the dotted host to https loses the credentials, as any other does")
    func upgrade() throws {
        let (transport, provider) = try provider()
        transport.answer(Self.to("https://api.test/next"), .response(200))
        #expect(Probe(provider.rx.request(Dotted())).value?.statusCode == 200)
        let call = try #require(transport.attempts.last?.call)
        #expect(!call.allFields.contains(.authorization) && !call.allFields.contains("X-Api-Key"))
    }

    @Test(
        "Listed hosts match with and without the dot",
        arguments: [
            ("cdn.test", "http://cdn.test./", true), ("cdn.test.", "http://cdn.test/", true),
            ("cdn.test.:8443", "http://cdn.test:8443/", true),
            ("cdn.test:8443", "http://cdn.test.:8443/", true),
            ("*.cdn.test", "http://a.cdn.test./", true), ("*.cdn.test.", "http://a.cdn.test/", true),
            ("cdn.test.:8443", "http://cdn.test./", false), ("*.cdn.test", "http://cdn.test./", false),
        ])
    func listed(host: String, location: String, isAllowed: Bool) throws {
        let (transport, provider) = try provider(.follow(hosts: [host]))
        transport.answer(Self.to(location), .response(200))
        let probe = Probe(provider.rx.request(Dotted()))
        #expect((probe.value?.statusCode == 200) == isAllowed)
        if isAllowed { #expect(transport.attempts.last?.call.allFields.contains(.authorization) == false) }
    }

    // MARK: - Cookies

    @Test("A public suffix with a dot gets no cookie of a host below it, and no cookie goes to another host")
    func refusedCookies() throws {
        let jar = CookieJar()
        let url = try HTTPURL("http://a.co.uk./")
        for text in ["a=1; Domain=co.uk", "a=1; Domain=uk", "a=1; Domain=b.co.uk"] {
            jar.store([.setCookie: text], from: url, at: now)
        }
        #expect(jar.cookies == [])
        jar.store([.setCookie: "a=1; Path=/"], from: try HTTPURL("http://co.uk./"), at: now)
        jar.store([.setCookie: "a=1; Path=/; Domain=co.uk"], from: try HTTPURL("http://co.uk./"), at: now)
        #expect(jar.cookies.map(\.isHostOnly) == [true])
        #expect(jar.field(for: try HTTPURL("http://a.co.uk./"), at: now) == nil)
        #expect(jar.field(for: try HTTPURL("http://co.uk/"), at: now) == "a=1")
    }

    @Test("A cookie belongs to the host with and without the dot, whichever set it")
    func cookies() throws {
        for (setter, text) in [
            ("http://a.example.com./", "a=1; Path=/"), ("http://a.example.com/", "a=1; Path=/"),
            ("http://a.example.com./", "a=1; Path=/; Domain=a.example.com"),
            // RFC 6265 4.1.2.3: such a Domain is ignored.
            ("http://a.example.com/", "a=1; Path=/; Domain=a.example.com."),
            ("http://a.example.com./", "a=1; Path=/; Domain=example.org."),
        ] {
            let jar = CookieJar()
            jar.store([.setCookie: text], from: try HTTPURL(setter), at: now)
            #expect(jar.cookies.map(\.domain) == ["a.example.com"])
            for host in ["a.example.com", "a.example.com."] {
                #expect(jar.field(for: try HTTPURL("http://\(host)/"), at: now) == "a=1", "\(text), \(host)")
            }
            #expect(jar.field(for: try HTTPURL("http://example.com./"), at: now) == nil)
            // The later one replaces the earlier one.
            jar.store([.setCookie: "a=2; Path=/"], from: try HTTPURL("http://a.example.com./"), at: now)
            #expect(jar.cookies.filter(\.isHostOnly).map(\.value) == ["2"])
        }
    }

    @Test("A cookie for a domain goes to its hosts with the dot, and a program may set it with one")
    func domains() throws {
        let jar = CookieJar()
        jar.store(
            [.setCookie: "a=1; Path=/; Domain=example.com"], from: try HTTPURL("http://a.example.com./"),
            at: now)
        #expect(jar.field(for: try HTTPURL("http://b.example.com./"), at: now) == "a=1")
        #expect(jar.field(for: try HTTPURL("http://example.com/"), at: now) == "a=1")
        jar.set(Cookie(name: "b", value: "2", domain: "API.test."), at: now)
        #expect(jar.field(for: try HTTPURL("http://api.test/"), at: now) == "b=2")
        let address = CookieJar()
        address.store([.setCookie: "c=3; Path=/"], from: try HTTPURL("http://10.0.0.1./"), at: now)
        #expect(address.field(for: try HTTPURL("http://a.10.0.0.1/"), at: now) == nil)
    }

    // MARK: - Upstreams

    @Test("Two base URLs that differ in the dot are one address")
    func baseURLs() {
        let error = #expect(throws: Upstream.InvalidBaseURL.self) {
            try Upstream(name: "api", baseURLs: ["http://api.test", "http://api.test."])
        }
        #expect(error?.reason == "two base URLs have the origin http://api.test.")
    }

    @Test("Whether an upstream is nearby does not depend on the dot")
    func nearby() throws {
        for (url, isNearby) in [
            ("http://diary.", true), ("http://a.localhost.", true), ("http://db.internal.", true),
            ("http://api.example.com.", false), ("http://internal.", true),
        ] {
            #expect(try Upstream(name: "diary", baseURL: url).isNearby == isNearby, "\(url)")
        }
    }
}
