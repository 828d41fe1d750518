import HTTPModel
import NetworkingTesting
import Rx
import RxTesting
import Testing

@testable import Networking

@Suite("Redirects", .noLeaks)
struct RedirectTests {
    private func bench(_ redirects: RedirectPolicy = .follow(), plugins: [any PluginType] = []) throws
        -> Bench
    {
        var policy = CallPolicy()
        policy.redirects = redirects
        return try Bench(policy: policy, plugins: plugins)
    }

    private static func to(_ location: String, _ status: Int = 302) -> StubTransport.Answer {
        .response(status, fields: [.location: location])
    }

    private static let ok = StubTransport.Answer.json(#"{"status":200,"data":7}"#)

    @Test("By default, a redirect is returned as the response, and its fragment is an unexpected_status")
    func offByDefault() throws {
        let bench = try Bench()
        bench.transport.answer(Self.to("/elsewhere"))
        #expect(bench.start().value?.statusCode == 302)
        #expect(bench.transport.attempts.count == 1)
        let error = Probe(bench.provider.rx.request(.day("2026-11-20")).fragment()).networkError
        #expect(error?.reason == .unexpectedStatus)
        #expect(error?.kind == .pathErr)
    }

    @Test("A call fails when the upstream exceeds the redirect limit")
    func limit() throws {
        let bench = try bench()
        bench.transport.answer(Self.to("/again"))
        let error = try #require(bench.start().networkError)
        #expect(bench.transport.attempts.count == 4)
        #expect(error.reason == .unexpectedStatus)
        #expect(error.message == "the upstream redirects more than 3 times")
    }

    @Test(
        "A redirect to an unlisted host, to another port or to an invalid URL is not followed",
        arguments: [
            "http://other.test/x", "//other.test:9001/x", "http://diary.test:9002/x", "ftp://diary.test/x",
            "http://user@diary.test:9001/x", "http://xlisted.test/x", "http://listed.test.evil/x",
        ])
    func refused(location: String) throws {
        let bench = try bench(.follow(hosts: ["*.listed.test"]))
        bench.transport.answer(Self.to(location))
        let error = try #require(bench.start().networkError)
        #expect(error.reason == .unexpectedStatus)
        #expect(error.response?.statusCode == 302)
        #expect(!error.message.contains("test"))
        #expect(bench.transport.attempts.count == 1)
    }

    @Test("A redirect from a Unix-domain socket is followed only to the same socket")
    func socket() throws {
        var policy = CallPolicy()
        policy.redirects = .follow()
        let transport = StubTransport(scheduler: VirtualTime())
        let provider = try Provider<Diary>(
            upstream: "diary", baseURL: "unix:/run/diary.sock", transport: transport, policy: policy)
        transport.answer(Self.to("http://localhost/b"), Self.to("https://localhost/c"))
        let error = try #require(Probe(provider.rx.request(.day("2026-11-20"))).networkError)
        #expect(error.reason == .unexpectedStatus)
        #expect(
            transport.attempts.map(\.call.upstream.unixSocketPath) == ["/run/diary.sock", "/run/diary.sock"])
    }

    @Test(
        "A redirect to a path with dots after an escaped slash, or with a control character, is not followed",
        arguments: ["/a%2f..%2Fb", "/a%5C../b", "/a%00", "/a%0d%0a"])
    func hostilePaths(location: String) throws {
        let bench = try bench()
        bench.transport.answer(Self.to(location))
        #expect(bench.start().networkError?.reason == .unexpectedStatus)
        #expect(bench.transport.attempts.count == 1)
    }

    @Test(
        "A Location is resolved against the URL of the call",
        arguments: [
            ("/new?a=b", "/new?a=b"), ("next", "/food-diary/next"), ("../up", "/up"),
            ("./here", "/food-diary/here"),
            ("?page=2", "/food-diary/weights?page=2"), ("http://diary.test:9001/abs#part", "/abs"),
            ("", "/food-diary/weights?fddDate=2026-11-20"), ("/a/%2e%2e/b", "/b"), ("/a%2fb//c", "/a%2fb//c"),
            ("/오늘 의?a=[b]|c ", "/%EC%98%A4%EB%8A%98%20%EC%9D%98?a=%5Bb%5D%7Cc"), ("\\new", "/new"),
        ])
    func resolved(location: String, target: String) throws {
        let bench = try bench()
        bench.transport.answer(Self.to(location), Self.ok)
        #expect(bench.start().value?.statusCode == 200)
        #expect(
            bench.transport.attempts.map { String(decoding: $0.call.target, as: UTF8.self) }.last == target)
    }

    @Test(
        "A POST becomes a GET without a body after 301, 302 and 303, and stays a POST after 307 and 308",
        arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
    func methods(status: Int, method: String) throws {
        let bench = try bench()
        bench.transport.answer(Self.to("/there", status), Self.ok)
        _ = bench.start(.note("hello"))
        let last = try #require(bench.transport.attempts.last?.call)
        #expect(last.method.rawValue == method)
        #expect(last.body.isNone == (method == "GET"))
        #expect(last.fields.contains(.contentType) == (method == "POST"))
    }

    @Test("A PUT stays a PUT after a 302")
    func putStays() throws {
        let bench = try bench()
        bench.transport.answer(Self.to("/there"), Self.ok)
        _ = bench.start(.put("2026-11-20", weight: 61))
        #expect(bench.transport.attempts.last?.call.method == .put)
    }

    @Test("Credentials and forwarded client fields are not sent to another origin")
    func credentials() throws {
        let token = AccessTokenPlugin { "t0k3n" }
        let bench = try bench(.follow(hosts: ["cdn.test"]), plugins: [token])
        bench.transport.answer(Self.to("/same"), Self.to("http://cdn.test/other"), Self.ok)
        let context = CallContext(
            requestID: "r1", forwarding: ["Accept-Language": "ko", .cookie: "c=1"],
            cookieUpstreams: ["diary"])
        let probe = CallContext.$current.withValue(context) { bench.start() }
        #expect(probe.value?.statusCode == 200)
        let calls = bench.transport.attempts.map(\.call)
        #expect(calls.map { $0.allFields[.authorization] } == ["Bearer t0k3n", "Bearer t0k3n", nil])
        #expect(calls.map { $0.allFields[.cookie] } == ["c=1", "c=1", nil])
        #expect(calls.map { $0.allFields[.acceptLanguage] } == ["ko", "ko", nil])
        #expect(calls.map { $0.allFields[.xRequestID] } == ["r1", "r1", "r1"])
        #expect(calls.map(\.upstream.baseURL.host) == ["diary.test", "diary.test", "cdn.test"])
        // Settings for the named upstream, such as a client certificate, do not apply to other origins.
        #expect(calls.map(\.upstream.isRedirectTarget) == [false, false, true])
    }

    private static let secrets: [HTTPFieldName] = [
        .authorization, .cookie, "Proxy-Authorization", "X-Api-Key", "Ocp-Apim-Subscription-Key",
        "PRIVATE-TOKEN",
        "X-Vault-Token", "Client-Secret", "X-Auth", "Db-Password", "X-Amz-Security-Token", "X-Amz-Signature",
        "X-Amz-Credential", "X-Session", "X-Session-Id", "Stripe_Signature", "Cf-Access-Jwt-Assertion",
        "DPoP",
    ]

    private func provider(_ redirects: RedirectPolicy, fields: HTTPFields) throws -> (
        StubTransport, Provider<Fielded>
    ) {
        let transport = StubTransport(
            scheduler: VirtualTime(), wallTime: nil, fields: fields, fieldsWithoutContext: [:])
        var policy = CallPolicy()
        policy.redirects = redirects
        return (transport, Provider<Fielded>(transport: transport, policy: policy))
    }

    @Test(
        "A field named like a secret is dropped at another origin and is not restored later"
    )
    func secretFields() throws {
        let (transport, provider) = try provider(
            .follow(hosts: ["cdn.test", "api.test"]), fields: ["X-Shared-Token": "s", "X-Shared": "s"])
        var fields: HTTPFields = ["X-Keyboard": "1", "Monkey": "2", "X-Amz-Date": "3"]
        for name in Self.secrets { fields.append(name, "secret") }
        transport.answer(
            Self.to("http://api.test/same"), Self.to("http://cdn.test/other", 307),
            Self.to("http://api.test/back"),
            Self.ok)
        #expect(Probe(provider.rx.request(Fielded(headers: fields))).value?.statusCode == 200)
        let calls = transport.attempts.map(\.call)
        #expect(calls.map(\.upstream.baseURL.host) == ["api.test", "api.test", "cdn.test", "api.test"])
        for (call, hasSecrets) in zip(calls, [true, true, false, false]) {
            for name in Self.secrets {
                #expect(call.own?.headers.contains(name) == hasSecrets, "\(name)")
            }
            for name in Self.secrets + ["X-Shared-Token"] {
                #expect(call.allFields.contains(name) == hasSecrets, "\(name)")
                #expect(call.request.headers.contains(name) == hasSecrets, "\(name)")
            }
            for name: HTTPFieldName in ["X-Keyboard", "Monkey", "X-Amz-Date", "X-Shared"] {
                #expect(call.allFields.contains(name), "\(name)")
            }
        }
    }

    @Test("Secret fields are sent to another origin only if the policy lists them as safe")
    func safeFields() throws {
        let (transport, provider) = try provider(
            .follow(hosts: ["cdn.test"], safeFields: [.authorization, .cookie, "idempotency-key"]),
            fields: [:])
        let fields: HTTPFields = [
            .authorization: "a", .cookie: "b=c", "Idempotency-Key": "d", "X-Api-Key": "e",
        ]
        transport.answer(Self.to("http://cdn.test/other"), Self.ok)
        _ = Probe(provider.rx.request(Fielded(headers: fields)))
        let call = try #require(transport.attempts.last?.call)
        #expect(call.upstream.baseURL.host == "cdn.test")
        #expect(call.allFields[.authorization] == "a")
        #expect(call.allFields[.cookie] == "b=c")
        #expect(call.allFields["Idempotency-Key"] == "d")
        #expect(call.allFields["X-Api-Key"] == nil)
    }

    private struct Fielded: TargetType {
        var headers: HTTPFields
        var baseURL: String { "http://api.test" }
        var path: RequestPath { "/start" }
    }

    @Test("The total time limit covers all redirects together")
    func time() throws {
        var policy = CallPolicy()
        policy.redirects = .follow()
        policy.totalTimeout = .seconds(3)
        let bench = try Bench(policy: policy)
        bench.transport.answer(.response(302, fields: [.location: "/slow"], after: .seconds(2)))
        let probe = bench.start()
        bench.time.advance(by: .seconds(3))
        #expect(probe.networkError?.reason == .responseTimeout)
        #expect(bench.transport.inFlight == 0)
    }
}
