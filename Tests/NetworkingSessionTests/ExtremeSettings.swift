import Dispatch
import FoundationEssentials
import HTTPModel
import Networking
import NetworkingSession
import NetworkingTesting
import Rx
import Testing

/// Numbers and times at and beyond the edges of what makes sense.
struct Extreme: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let count: Int
    let time: Duration
    let number: Double
    let date: Date

    static let all = [
        Extreme(
            testDescription: "smallest", count: .min, time: .seconds(Int64.min), number: -.infinity,
            date: .distantPast),
        Extreme(
            testDescription: "negative", count: -1, time: .milliseconds(-1), number: -1,
            date: Date(timeIntervalSince1970: -1)),
        Extreme(
            testDescription: "zero", count: 0, time: .zero, number: 0, date: Date(timeIntervalSince1970: 0)),
        Extreme(
            testDescription: "one", count: 1, time: .nanoseconds(1), number: 1,
            date: Date(timeIntervalSince1970: 1)),
        Extreme(
            testDescription: "largest", count: .max, time: .seconds(Int64.max), number: .nan,
            date: .distantFuture),
    ]
}

/// A setting of a session or a provider, by its name. A rule finds settings without a case.
struct ExtremeSetting: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let set: @Sendable (inout Session.Configuration, inout CallPolicy, Extreme) -> Void

    init(
        _ names: String...,
        set: @escaping @Sendable (inout Session.Configuration, inout CallPolicy, Extreme) -> Void
    ) {
        testDescription = names.joined(separator: ", ")
        self.set = set
    }

    fileprivate static func limit(
        _ name: String, set: @escaping @Sendable (inout OutboundLimits, Extreme) -> Void
    ) -> ExtremeSetting {
        ExtremeSetting(name) { configuration, _, extreme in set(&configuration.limits, extreme) }
    }

    fileprivate static func policy(
        _ names: String..., set: @escaping @Sendable (inout CallPolicy, Extreme) -> Void
    ) -> ExtremeSetting {
        ExtremeSetting(names.joined(separator: ", ")) { _, policy, extreme in set(&policy, extreme) }
    }
}

let extremeSettings: [ExtremeSetting] = [
    // A thread each.
    ExtremeSetting("var loops") { configuration, _, extreme in configuration.loops = min(extreme.count, 2) },
    .limit("var connectionsPerUpstream") { $0.connectionsPerUpstream = $1.count },
    .limit("var relayShare") { $0.relayShare = $1.number },
    .limit("var waitingCalls") { $0.waitingCalls = $1.count },
    .limit("var waitTimeout") { $0.waitTimeout = $1.time },
    .limit("var connectTimeout") { $0.connectTimeout = $1.time },
    .limit("var connectAttemptDelay") { $0.connectAttemptDelay = $1.time },
    .limit("var firstByteTimeout") { $0.firstByteTimeout = $1.time },
    .limit("var readTimeout") { $0.readTimeout = $1.time },
    .limit("var writeTimeout") { $0.writeTimeout = $1.time },
    .limit("var totalTimeout") { $0.totalTimeout = $1.time },
    .limit("var pauseTimeout") { $0.pauseTimeout = $1.time },
    .limit("var continueTimeout") { $0.continueTimeout = $1.time },
    .limit("var drainTime") { $0.drainTime = $1.time },
    .limit("var drainedBytes") { $0.drainedBytes = $1.count },
    .limit("var idleTimeout") { $0.idleTimeout = $1.time },
    .limit("var connectionAge") { $0.connectionAge = $1.time },
    .limit("var requestsPerConnection") { $0.requestsPerConnection = $1.count },
    .limit("var responseBody") { $0.responseBody = $1.count },
    .limit("var decodingRatio") { $0.decodingRatio = $1.count },
    .limit("var responseHead") { $0.responseHead = $1.count },
    .limit("var responseFields") { $0.responseFields = $1.count },
    .limit("var informationalResponses") { $0.informationalResponses = $1.count },
    ExtremeSetting("var minTTL", "var maxTTL", "var stale") { configuration, _, extreme in
        configuration.dns.minTTL = extreme.time
        configuration.dns.maxTTL = extreme.time
        configuration.dns.stale = extreme.time
    },
    ExtremeSetting("init(floor:percentage:)", "beginRetry(callsInFlight:)") { configuration, _, extreme in
        configuration.retryBudget = RetryBudget(floor: extreme.count, percentage: extreme.count)
        var budget = configuration.retryBudget
        _ = budget.beginRetry(callsInFlight: extreme.count)
        budget.endRetry()
        budget.endRetry()
    },
    .policy("var totalTimeout") { $0.totalTimeout = $1.time },
    .policy(
        "init(connect:firstByte:between:write:)", "var connect", "var firstByte", "var between", "var write"
    ) { policy, extreme in
        policy.attemptLimits = AttemptLimits(
            connect: extreme.time, firstByte: extreme.time, between: extreme.time, write: extreme.time)
    },
    .policy("var maxAttempts") { $0.retry.maxAttempts = $1.count },
    .policy("var refusedLimit") { $0.retry.refusedLimit = $1.time },
    .policy("init(maximum:hosts:safeFields:)", "follow(maximum:hosts:safeFields:)", "var maximum") {
        $0.redirects = .follow(maximum: $1.count)
        $0.redirects.maximum = $1.count
    },
    .policy("var maxInterceptorRetries") { $0.maxInterceptorRetries = $1.count },
    .policy("var expectContinueFrom") { $0.expectContinueFrom = $1.count },
]

/// A use of other declarations that take a number or a time, without a connection.
struct ExtremeUse: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let use: @Sendable (Extreme) throws -> Void

    init(_ names: String..., use: @escaping @Sendable (Extreme) throws -> Void) {
        testDescription = names.joined(separator: ", ")
        self.use = use
    }
}

/// Makes calls of a stub transport in virtual time.
private func call(
    _ answer: StubTransport.Answer, _ plugins: [any PluginType] = [], timeout: Duration? = nil
) -> TransportCall? {
    let scheduler = ManualScheduler()
    let transport = StubTransport(scheduler: scheduler)
    transport.answer(answer)
    let client = RequestClient(transport: transport, plugins: plugins)
    let request = HTTPRequest(
        url: "http://upstream.test/", method: .post, body: .bytes([0x7b, 0x7d]), timeout: timeout
    ).setTimeout(timeout)
    let subscription = client.rx.response(request: request).subscribe(onError: { _ in })
    scheduler.advance(by: .seconds(30))
    subscription.dispose()
    return transport.attempts.first?.call
}

let extremeUses: [ExtremeUse] = [
    ExtremeUse(
        "init(url:method:headers:body:timeout:attemptLimits:validation:)", "setTimeout(_:)", "var timeout"
    ) { extreme in
        _ = call(.json("{}"), timeout: extreme.time)
        _ = call(.json("{}", after: .seconds(1)), timeout: extreme.time)
    },
    ExtremeUse(
        "response(_:fields:body:after:)", "json(_:after:)", "failure(_:retryAfter:after:)", "init(_:after:)",
        "response(_:after:)", "json(_:status:)", "response(_:fields:body:)", "delayedStub(_:scheduler:)",
        "init(_:_:summary:retryAfter:wasSent:status:underlying:)"
    ) { extreme in
        let answers: [StubTransport.Answer] = [
            .response(extreme.count, after: extreme.time), .json("{}", after: extreme.time),
            .failure(.connectionRefused, retryAfter: extreme.time, after: extreme.time),
            StubTransport.Answer(.json("{}", status: extreme.count), after: extreme.time),
            StubTransport.Answer(.response(extreme.count)),
            StubTransport.Answer(
                .failure(TransportError(.connectionRefused, "refused", retryAfter: extreme.time))),
            .response(TransportResponse(status: .ok), after: extreme.time),
        ]
        for answer in answers { _ = call(answer) }
        _ = Provider<Anything>.delayedStub(extreme.time)(Anything(baseURL: "http://a.test"))
    },
    ExtremeUse("init(_:redaction:bodyLimit:write:)", "curlCommand(redaction:bodyLimit:)") { extreme in
        let logger = NetworkLogger(.verbose, bodyLimit: extreme.count) { _ in }
        let made = call(.json(#"{"a":1}"#), [logger])
        _ = made?.curlCommand(bodyLimit: extreme.count)
    },
    ExtremeUse("init(capacity:now:onRecord:)") { extreme in
        let recorder = ErrorRecorder(capacity: extreme.count, now: { extreme.date })
        for _ in 0..<3 { recorder.record(CancellationError()) }
        _ = recorder.recent
    },
    ExtremeUse(
        "var cookies", "var cookiesPerDomain", "set(_:at:)", "store(_:from:at:)", "field(for:at:)",
        "init(name:value:domain:isHostOnly:path:expires:isSecure:)"
    ) { extreme in
        var limits = CookieJar.Limits()
        limits.cookies = extreme.count
        limits.cookiesPerDomain = extreme.count
        let jar = CookieJar(limits: limits)
        let url = try HTTPURL("http://a.test/")
        for name in ["a", "b", "c"] {
            jar.set(Cookie(name: name, value: "1", domain: "a.test", expires: extreme.date), at: Date())
            jar.set(Cookie(name: name, value: "1", domain: "a.test"), at: extreme.date)
            jar.store([.setCookie: "\(name)=1; Max-Age=\(extreme.count)"], from: url, at: extreme.date)
        }
        _ = jar.field(for: url, at: extreme.date)
    },
    ExtremeUse("init(accessToken:refreshToken:expiresAt:)", "var expiresAt", "var leeway") { extreme in
        var credential = BearerCredential(accessToken: "a", expiresAt: extreme.date)
        credential.leeway = extreme.time
        _ = credential.requiresRefresh
        credential.expiresAt = Date()
        _ = credential.requiresRefresh
    },
    ExtremeUse("init(interval:maximumAttempts:)", "var interval", "var maximumAttempts") { extreme in
        typealias Window = AuthenticationInterceptor<BearerAuthenticator>.RefreshWindow
        var window = Window()
        window.interval = extreme.time
        window.maximumAttempts = extreme.count
        for window in [window, Window(interval: extreme.time, maximumAttempts: extreme.count)] {
            let interceptor = AuthenticationInterceptor(
                BearerAuthenticator { .just($0) },
                credential: BearerCredential(accessToken: "a", expiresAt: .distantPast),
                refreshWindow: window, now: { extreme.date })
            let scheduler = ManualScheduler()
            let transport = StubTransport(scheduler: scheduler)
            transport.answer(.response(401))
            let client = RequestClient(transport: transport, interceptor: interceptor)
            let subscription = client.rx.response(request: HTTPRequest(url: "http://a.test/"))
                .subscribe(onError: { _ in })
            scheduler.advance(by: .seconds(30))
            subscription.dispose()
        }
    },
    ExtremeUse("insert(_:)", "contains(_:)") { extreme in
        var tried = TriedAddresses()
        tried.insert(extreme.count)
        _ = tried.contains(extreme.count)
    },
    ExtremeUse("accepts(_:)", "filter(statusCode:)") { extreme in
        for type in [ValidationType.none, .successCodes, .customCodes([extreme.count])] {
            _ = type.accepts(extreme.count)
        }
        _ = Single<Response>.error(CancellationError()).filter(statusCode: extreme.count)
            .subscribe(onFailure: { _ in })
    },
    ExtremeUse("collect(upTo:)") { extreme in
        _ = try? RequestBody.stream(Piece(length: Int64(extreme.count))).collect(upTo: extreme.count)
        _ = try? RequestBody.bytes([1]).collect(upTo: extreme.count)
    },
]

/// The bytes `hello`, with any announced length.
struct Piece: BodySource {
    let length: Int64?

    func open() -> any BodyReader { Reader() }

    private final class Reader: BodyReader {
        private var rest = Array("hello".utf8)[...]

        func read(atMost count: Int) -> ArraySlice<UInt8> {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
    }
}
