import FoundationEssentials
import HTTPModel
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Call context", .noLeaks)
struct ContextTests {
    private func fields(_ context: CallContext?, to upstream: String = "diary") throws -> HTTPFields {
        let transport = StubTransport(scheduler: VirtualTime())
        transport.answer(.json("{}"))
        let provider = try Provider<Anything>(upstream: upstream, transport: transport)
        let probe = CallContext.$current.withValue(context) { Probe(provider.rx.request(Anything())) }
        #expect(probe.value != nil)
        return try #require(transport.attempts.first).call.allFields
    }

    @Test("Without listed fields, only the gateway's own fields reach an upstream")
    func denyByDefault() throws {
        let fields = try fields(CallContext(requestID: "r-1"))
        #expect(
            fields == [
                .accept: "application/json", .acceptEncoding: "identity", .via: "1.1 sluice",
                .xRequestID: "r-1",
            ])
    }

    @Test("The request ID, traceparent and Via are added, and Via follows the client's Via")
    func added() throws {
        let traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let fields = try fields(CallContext(requestID: "r-1", traceparent: traceparent, via: "1.0 fred"))
        #expect(fields[.xRequestID] == "r-1")
        #expect(fields[.traceParent] == traceparent)
        #expect(fields[.via] == "1.0 fred, 1.1 sluice")
    }

    @Test(
        "Listed fields are forwarded, except hop-by-hop fields, the gateway's own fields and credentials"
    )
    func forwarding() throws {
        let listed: HTTPFields = [
            .acceptLanguage: "ko", "X-Device": "a", "x-device": "b", .host: "evil.test",
            .connection: "X-Device",
            .transferEncoding: "chunked", .contentLength: "5", .via: "1.1 evil", .xRequestID: "evil",
            .traceParent: "evil", .authorization: "Bearer secret", .cookie: "session=secret",
        ]
        let fields = try fields(CallContext(requestID: "r-1", forwarding: listed))
        #expect(fields[.acceptLanguage] == "ko")
        #expect(fields.values(of: "X-Device") == ["a", "b"])
        #expect(fields.values(of: .via) == ["1.1 sluice"])
        #expect(fields.values(of: .xRequestID) == ["r-1"])
        for name in [
            HTTPFieldName.host, .connection, .transferEncoding, .contentLength, .traceParent, .authorization,
            .cookie,
        ] {
            #expect(!fields.contains(name), "\(name)")
        }
    }

    @Test(
        "Authorization and Cookie reach only the upstreams listed for them"
    )
    func credentials() throws {
        let context = CallContext(
            requestID: "r", forwarding: [.authorization: "Bearer secret", .cookie: "a=b"],
            authorizationUpstreams: ["users", "both"], cookieUpstreams: ["carts", "both"])
        let expected: [(upstream: String, authorization: String?, cookie: String?)] = [
            ("users", "Bearer secret", nil), ("carts", nil, "a=b"), ("both", "Bearer secret", "a=b"),
            ("diary", nil, nil),
        ]
        for (upstream, authorization, cookie) in expected {
            let sent = try fields(context, to: upstream)
            #expect(sent[.authorization] == authorization, "\(upstream)")
            #expect(sent[.cookie] == cookie, "\(upstream)")
        }
    }

    private static let traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    /// A target with fields that the gateway sends, too.
    private static let rival = Anything(headers: [
        .xRequestID: "fixed", .traceParent: traceparent, .via: "1.1 edge", .acceptEncoding: "gzip",
    ])

    private func sent(
        _ context: CallContext?, _ interceptor: (any RequestInterceptor)? = nil
    ) throws -> HTTPFields {
        let transport = StubTransport(scheduler: VirtualTime())
        transport.answer(.json("{}"))
        let provider = try Provider<Anything>(
            upstream: "any", transport: transport, interceptor: interceptor)
        _ = CallContext.$current.withValue(context) { Probe(provider.rx.request(Self.rival)) }
        return try #require(transport.attempts.first).call.allFields
    }

    @Test("A target's own field replaces the gateway's, and Via has the entries of both")
    func ownFieldOnce() throws {
        let context = CallContext(
            requestID: "r", traceparent: "00-\(String(repeating: "1", count: 32))-b7ad6b7169203331-01",
            tracestate: "a=b", via: "1.0 fred")
        let changing = Interceptor(adapt: { .just($0.setHeader("X-Changed", "yes")) })
        for interceptor in [nil, changing] {
            let fields = try sent(context, interceptor)
            #expect(fields.values(of: .xRequestID) == ["fixed"])
            #expect(fields.values(of: .traceParent) == [Self.traceparent])
            #expect(!fields.contains(.traceState), "it belongs to the other traceparent")
            #expect(fields.values(of: .acceptEncoding) == ["gzip"])
            #expect(fields.values(of: .via) == ["1.1 edge, 1.0 fred, 1.1 sluice"])
            #expect(fields.contains("X-Changed") == (interceptor != nil))
            // Outside a request.
            let outside = try sent(nil, interceptor)
            #expect(outside.values(of: .via) == ["1.1 edge, 1.1 sluice"])
            #expect(outside.values(of: .xRequestID) == ["fixed"])
        }
    }

    @Test("A target's own field replaces a forwarded field of the same name")
    func ownFieldWins() throws {
        let transport = StubTransport(scheduler: VirtualTime())
        transport.answer(.json("{}"))
        let provider = try Provider<Anything>(upstream: "any", transport: transport)
        let context = CallContext(requestID: "r", forwarding: [.acceptLanguage: "ko", .accept: "text/html"])
        let target = Anything(headers: [.acceptLanguage: "en"])
        _ = CallContext.$current.withValue(context) { Probe(provider.rx.request(target)) }
        let call = try #require(transport.attempts.first).call
        #expect(call.allFields.values(of: .acceptLanguage) == ["en"])
        #expect(call.allFields.values(of: .accept) == ["text/html"])
        #expect(call.allFields.values(of: .xRequestID) == ["r"])
    }

    @Test("A call chained to another call or to its data keeps the request's context")
    func chained() throws {
        for fromData in [false, true] {
            try chained { provider in
                let first = provider.rx.request(.weights("a"))
                return fromData
                    ? first.fragment().flatMap { _ in provider.rx.request(.day("b")) }
                    : first.flatMap { _ in provider.rx.request(.day("b")) }
            }
        }
    }

    private func chained(_ calls: (Provider<Diary>) -> Single<Response>) throws {
        let bench = try Bench()
        bench.transport.answer(.json(#"{"status":200,"data":{}}"#, after: .milliseconds(5)))
        let context = CallContext(requestID: "r-7", deadline: bench.time.now.addingTimeInterval(1))
        let probe = CallContext.$current.withValue(context) { Probe(calls(bench.provider)) }
        bench.time.advance(by: .milliseconds(5))
        #expect(CallContext.current == nil)
        bench.time.advance(by: .milliseconds(5))
        #expect(probe.value != nil)
        #expect(bench.transport.attempts.map { $0.call.contextFields[.xRequestID] } == ["r-7", "r-7"])
    }

    @Test("A call takes the context of its subscription, not of its creation")
    func madeAhead() throws {
        let bench = try Bench()
        bench.transport.answer(.json(#"{"status":200,"data":{}}"#))
        let plan = bench.provider.rx.request(.weights("a"))
        for id in ["r-1", "r-2"] {
            _ = CallContext.$current.withValue(CallContext(requestID: id)) { Probe(plan) }
        }
        #expect(bench.transport.attempts.map { $0.call.contextFields[.xRequestID] } == ["r-1", "r-2"])
    }
}
