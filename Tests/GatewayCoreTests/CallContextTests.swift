import GatewayCore
import HTTPModel
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Fields sent to an upstream", .noLeaks)
struct UpstreamFieldsTests {
    private let bench = Bench()

    init() {
        let diary = bench.diary
        let other = bench.gateway.provider(DiaryAPI.self, upstream: "other")
        bench.gateway.get("/plain") { _ in .parts(a: diary.rx.request(.recent).fragment()) }
        bench.gateway.get("/open", .forwards(.acceptLanguage, "X-App"), .forwardsAuthorization(to: "diary")) {
            _ in
            .parts(a: diary.rx.request(.recent).fragment(), b: other.rx.request(.total).fragment())
        }
        bench.transport.answer(.data("1"))
    }

    private static let fields: HTTPFields = [
        .authorization: "Bearer t", .cookie: "c=1", .acceptLanguage: "ko", "X-App": "7", "X-Other": "8",
        .xForwardedFor: "1.2.3.4", .connection: "X-App", .host: "gateway.test",
    ]

    private func sent(_ path: String, _ fields: HTTPFields) throws -> [HTTPFields] {
        let before = bench.transport.attempts.count
        #expect(try bench.answer(.get, path, fields: fields).status == 200)
        return bench.transport.attempts[before...].map(\.call.contextFields)
    }

    @Test("By default an upstream gets only Via, the request id and the trace")
    func deny() throws {
        let sent = try #require(try sent("/plain", Self.fields).first)
        #expect(sent.map(\.name) == ["Via", "X-Request-Id", "traceparent"])
        #expect(sent[.via] == "1.1 sluice")
    }

    @Test("Listed fields are forwarded, Authorization only to the named upstream")
    func listed() throws {
        let sent = try sent("/open", Self.fields)
        #expect(sent.map { $0[.acceptLanguage] } == ["ko", "ko"])
        #expect(sent.map { $0[.authorization] } == ["Bearer t", nil])
        #expect(
            sent.allSatisfy {
                !$0.contains(.cookie) && !$0.contains("X-Other") && !$0.contains(.xForwardedFor)
            })
        #expect(sent.allSatisfy { !$0.contains(.connection) && !$0.contains(.host) })
    }

    @Test("A forwarded field that is not UTF-8 keeps its bytes")
    func bytes() throws {
        let value: ArraySlice<UInt8> = [0x63, 0x61, 0x66, 0xe9]
        let names: [HTTPFieldName] = [.via, .acceptLanguage, "X-App", .authorization, .cookie]
        var fields = HTTPFields()
        for name in names { fields.append(name, bytes: value) }
        let diary = bench.diary
        bench.gateway.get(
            "/bytes", .forwards(.acceptLanguage, "X-App"), .forwardsAuthorization(to: "diary"),
            .forwardsCookies(to: "diary")
        ) { _ in .parts(a: diary.rx.request(.recent).fragment()) }
        bench.gateway.get("/passed") { _ in
            .proxy(
                diary.call(.recent), fields: .standard.adding(request: .via, .cookie, .authorization, "X-App")
            )
        }
        let call = try #require(try sent("/bytes", fields).first)
        #expect(call.firstValueBytes(.via) == value + Array(", 1.1 sluice".utf8))
        for name in names.dropFirst() { #expect(call.valueBytes(of: name) == [value], "\(name)") }
        _ = try bench.answer(.get, "/passed", fields: fields)
        let passed = try #require(bench.transport.attempts.last).call.allFields
        for name in names.dropFirst() { #expect(passed.valueBytes(of: name) == [value], "\(name)") }
        #expect(passed.valueBytes(of: .via).first?.starts(with: value) == true)
    }

    @Test("Authorization and Cookie each go only to the upstreams listed for them")
    func credentialsApart() throws {
        let (diary, total) = (bench.diary, bench.gateway.provider(DiaryAPI.self, upstream: "total"))
        bench.gateway.get("/apart", .forwardsAuthorization(to: "diary"), .forwardsCookies(to: "total")) { _ in
            .parts(a: diary.rx.request(.recent).fragment(), b: total.rx.request(.total).fragment())
        }
        let sent = try sent("/apart", Self.fields)
        #expect(sent.map { $0[.authorization] } == ["Bearer t", nil])
        #expect(sent.map { $0[.cookie] } == [nil, "c=1"])
    }

    @Test("A field named in the client's Connection is not forwarded, even if the endpoint lists it")
    func namedByConnection() throws {
        let named = try sent("/open", Self.fields)
        #expect(named.allSatisfy { !$0.contains("X-App") })
        #expect(named.first?[.authorization] == "Bearer t")
        let credentials: HTTPFields = [
            .authorization: "Bearer t", "X-App": "7", .connection: "close, authorization",
        ]
        let sent = try sent("/open", credentials)
        #expect(sent.map { $0["X-App"] } == ["7", "7"])
        #expect(sent.allSatisfy { !$0.contains(.authorization) })
    }

    @Test("The gateway appends its name to Via")
    func via() throws {
        #expect(try sent("/plain", [.via: "1.0 front"]).first?[.via] == "1.0 front, 1.1 sluice")
    }

    @Test("The client's trace continues with a new span")
    func continuing() throws {
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let sent = try #require(try sent("/plain", [.traceParent: parent]).first?[.traceParent])
        #expect(sent.wholeMatch(of: /00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01/) != nil)
        #expect(sent != parent)
        let later = "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more"
        let known = try #require(try self.sent("/plain", [.traceParent: later]).first?[.traceParent])
        #expect(known.wholeMatch(of: /00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01/) != nil)
    }

    @Test(
        "Of the flags of a traceparent, only sampled and random are forwarded",
        arguments: [
            ("00", "00"), ("01", "01"), ("02", "02"), ("03", "03"), ("04", "00"), ("10", "00"), ("fe", "02"),
            ("ad", "01"), ("7a", "02"), ("0c", "00"), ("ff", "03"),
        ])
    func flags(_ received: String, _ forwarded: String) throws {
        for version in ["00", "cc"] {
            let parent = "\(version)-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-\(received)"
            let sent = try #require(try sent("/plain", [.traceParent: parent]).first?[.traceParent])
            #expect(sent.hasPrefix("00-0af7651916cd43dd8448eb211c80319c-"))
            #expect(sent.hasSuffix("-\(forwarded)"))
        }
    }

    @Test("Traces that start at the gateway have distinct ids that use all sixteen hex digits")
    func distinct() throws {
        let ids = try (0..<100).map { _ in
            String(try #require(try sent("/plain", [:]).first?[.traceParent]).dropFirst(3).dropLast(3))
        }
        #expect(Set(ids).count == 100)
        // With 4800 random digits, one of the sixteen is missing once in 10^133 runs.
        #expect(Set(ids.joined()) == Set("0123456789abcdef-"))
    }

    @Test(
        "A malformed traceparent is ignored, and a new trace starts",
        arguments: [
            nil, "", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.more",
            "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ])
    func beginning(_ parent: String?) throws {
        let fields: HTTPFields = parent.map { [.traceParent: $0] } ?? [:]
        let sent = try #require(try sent("/plain", fields).first?[.traceParent])
        #expect(sent.wholeMatch(of: /00-[0-9a-f]{32}-[0-9a-f]{16}-00/) != nil)
        #expect(!sent.contains("0af7651916cd43dd"))
    }

    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test("Two traceparent fields are ignored, and a new trace starts without the client's tracestate")
    func twoParents() throws {
        for other in [Self.parent, "", "00-11111111111111111111111111111111-b7ad6b7169203331-01"] {
            var fields: HTTPFields = [.traceParent: Self.parent, .traceState: "a=1"]
            fields.append(.traceParent, other)
            let sent = try #require(try sent("/plain", fields).first)
            #expect(sent[.traceParent]?.wholeMatch(of: /00-[0-9a-f]{32}-[0-9a-f]{16}-00/) != nil)
            #expect(sent[.traceParent]?.contains("0af7651916cd43dd") == false)
            #expect(!sent.contains(.traceState))
        }
    }

    @Test("tracestate is dropped without a valid traceparent, even if the endpoint lists it")
    func stateAlone() throws {
        bench.gateway.get("/listed", .forwards(.traceState)) { [diary = bench.diary] _ in
            .parts(a: diary.rx.request(.recent).fragment())
        }
        for path in ["/plain", "/listed"] {
            #expect(try sent(path, [.traceState: "a=1"]).first?.contains(.traceState) == false)
            let malformed: HTTPFields = [.traceParent: "00-x", .traceState: "a=1"]
            #expect(try sent(path, malformed).first?.contains(.traceState) == false)
        }
        let valid: HTTPFields = [.traceParent: Self.parent, .traceState: "a=1"]
        #expect(try sent("/listed", valid).first?.values(of: .traceState) == ["a=1"])
    }

    @Test(
        "A malformed tracestate is dropped, and the trace continues",
        arguments: [
            "", ",", " , ", "a", "a=", "=1", "A=1", "1a=1", "a=1=2", "a=b\u{e9}", "a b=1", "a=1;b=2,c",
            "a@=1", "@a=1", "a@1b=1", "a@b@c=1", "a@" + String(repeating: "b", count: 15) + "=1",
            String(repeating: "a", count: 257) + "=1", "a=" + String(repeating: "b", count: 257),
            String(repeating: "a", count: 242) + "@b=1",
            (0..<33).map { "a\($0)=1" }.joined(separator: ","),
            "a=" + String(repeating: "b", count: 250) + ",c=" + String(repeating: "d", count: 258),
        ])
    func malformedState(_ state: String) throws {
        let sent = try #require(
            try sent("/plain", [.traceParent: Self.parent, .traceState: state]).first)
        #expect(sent[.traceParent]?.contains("0af7651916cd43dd8448eb211c80319c") == true)
        #expect(!sent.contains(.traceState))
    }

    @Test(
        "A valid tracestate is forwarded unchanged with traceparent",
        arguments: [
            "a=1", "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7", "a=1 ,\t b=2", "a=1,,b=2", "1t@v-1=x y",
            "a_-*/0= !~", String(repeating: "a", count: 256) + "=" + String(repeating: "b", count: 255),
            (0..<32).map { "a\($0)=1" }.joined(separator: ","),
        ])
    func state(_ state: String) throws {
        let sent = try #require(
            try sent("/plain", [.traceParent: Self.parent, .traceState: state]).first)
        #expect(sent.values(of: .traceState) == [state])
    }

    @Test("Several tracestate fields are joined into one list")
    func severalStates() throws {
        var fields: HTTPFields = [.traceParent: Self.parent, .traceState: "a=1,b=2"]
        fields.append(.traceState, "")
        fields.append(.traceState, "c=3")
        #expect(try sent("/plain", fields).first?.values(of: .traceState) == ["a=1,b=2,,c=3"])
    }

    @Test("A client's value that is unsafe in an upstream's path gets 400, and no call is made")
    func pathValues() throws {
        bench.gateway.get("/users") { [diary = bench.diary] request in
            .parts(user: diary.rx.request(.user(try request.query("name", as: String.self))).fragment())
        }
        for name in ["a%2Fb", "..", "%252e%252e", "", "a%5Cb"] {
            let reply = try bench.answer(.get, "/users?name=\(name)")
            #expect(reply.status == 400)
            #expect(reply["/code"] == #""INVALID_REQUEST""#)
            #expect(try #require(reply.message).hasPrefix("user cannot be requested: "))
        }
        #expect(bench.transport.attempts.isEmpty)
        #expect(try bench.answer(.get, "/users?name=%EC%B2%B4%20a").status == 200)
        #expect(bench.transport.attempts.first?.call.path == "/food-diary/users/%EC%B2%B4%20a")
    }
}

@Suite("The summary of a request", .noLeaks)
struct SummaryTests {
    @Test("A summary has the route, status, code and time of the request and the outcome of each part")
    func summary() throws {
        var retry = CallRetryPolicy()
        retry.maxAttempts = 2
        retry.backoff = .none
        let bench = Bench(retry: retry)
        bench.gateway.get("/users/{name}") { [diary = bench.diary] _ in
            .parts(
                recent: diary.rx.request(.recent).fragment(),
                total: diary.rx.request(.total).fragment().optional(),
                today: diary.rx.request(.today).fragment())
        }
        bench.upstream("/recent", .data("1", after: .milliseconds(7)))
        bench.upstream("/total", .response(503, after: .milliseconds(2)))
        bench.upstream("/today", .response(204))
        let pending = try bench.ask(.get, "/users/kim", fields: [.xRequestID: "r"])
        bench.time.advance(by: .milliseconds(7))
        let summary = try pending.reply().summary
        #expect(summary.requestID == "r")
        #expect(summary.route == "/users/{name}")
        #expect(summary.status == 200)
        #expect(summary.code == "PARTIAL")
        #expect(summary.milliseconds == 7)
        let parts = summary.loggedParts
        #expect(parts.map(\.name) == ["recent", "total", "today"])
        #expect(parts.map(\.kind) == [.success, .serverErr, .noContent])
        #expect(parts.map(\.reason) == [nil, "upstream_status", nil])
        #expect(parts.map(\.attempts) == [nil, 2, nil])
        #expect(parts.map(\.milliseconds) == [7, 4, 0])
    }

    @Test("What a context keeps is released with the answer; a streamed answer's later calls keep nothing")
    func holding() {
        final class Charge: Sendable {}
        let context = CallContext(requestID: "r")
        weak var first: Charge?
        do {
            let charge = Charge()
            first = charge
            #expect(context.forPart(1).hold(charge))
        }
        #expect(first != nil)
        context.stopHolding()
        #expect(first == nil)
        #expect(!context.hold(Charge()))
        #expect(!context.forPart(2).hold(Charge()))
        let other = CallContext(requestID: "s")
        other.releaseResources()
        #expect(other.hold(Charge()))
    }
}
