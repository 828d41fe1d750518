import Dispatch
import HTTPModel
import JSONBytes
import Networking
import NetworkingSession
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// Contains the code of the article verbatim, and checks its numbers.
@Suite("Limits and policies")
struct LimitsAndPoliciesTests {
    private let empty = #"{"status":200,"data":[]}"#

    @Test("The defaults of a policy are the numbers in the article")
    func numbers() {
        let policy = CallPolicy()
        #expect(policy.totalTimeout == .seconds(10))
        #expect(policy.attemptLimits == AttemptLimits(connect: .seconds(1), firstByte: .seconds(5)))
        #expect(policy.retry.maxAttempts == 3)
        #expect(policy.retry.refusedLimit == .milliseconds(40))
        #expect(policy.attemptLimits.write == .seconds(5))
        #expect(policy.expectContinueFrom == 1 << 20)
        #expect(policy.maxInterceptorRetries == 10)
        #expect(policy.redirects == .never)
        #expect(RedirectPolicy.follow().maximum == 3)
        #expect(RetryBudget().floor == 3)
        #expect(RetryBudget().percentage == 20)
        #expect(
            policy.retry.backoff == .exponential(base: .milliseconds(10), cap: .seconds(1), jitter: .full))
        #expect(CallRetryPolicy.never.maxAttempts == 1)
        #expect(policy.json.maxDepth == 64)
        #expect(policy.json.maxNumberLength == 256)
        let jar = CookieJar.Limits()
        #expect(jar.cookies == 3000)
        #expect(jar.cookiesPerDomain == 50)
    }

    @Test("The defaults of a session are the numbers in the article")
    func sessionNumbers() {
        let limits = Session.Configuration().limits
        #expect(limits.connectionsPerUpstream == 64)
        #expect(limits.relayShare == 0.5)
        #expect(limits.waitingCalls == 65_536)
        #expect(limits.waitTimeout == nil)
        #expect(limits.connectTimeout == .seconds(1))
        #expect(limits.connectAttemptDelay == .milliseconds(250))
        #expect(limits.firstByteTimeout == .seconds(5))
        #expect(limits.readTimeout == .seconds(5))
        #expect(limits.totalTimeout == .seconds(10))
        #expect(limits.writeTimeout == .seconds(5))
        #expect(limits.pauseTimeout == .seconds(60))
        #expect(limits.continueTimeout == .seconds(1))
        #expect(limits.idleTimeout == .seconds(30))
        #expect(limits.connectionAge == .seconds(600))
        #expect(limits.requestsPerConnection == 1000)
        #expect(limits.responseBody == 8 << 20)
        #expect(limits.decodingRatio == 100)
        #expect(limits.responseHead == 32 << 10)
        #expect(limits.responseFields == 100)
        #expect(limits.informationalResponses == 10)
    }

    @Test("A custom policy limits the wait for the first byte")
    func policy() {
        var policy = CallPolicy()
        policy.totalTimeout = .seconds(3)
        policy.attemptLimits = AttemptLimits(connect: .milliseconds(300), firstByte: .seconds(1))
        policy.retry.maxAttempts = 2
        policy.redirects = .follow(maximum: 2, hosts: ["cdn.example.com"])
        let scripted = Scripted(.silence)
        let tags = Provider<TagAPI>(transport: scripted.transport, policy: policy)
        let seen = Seen(tags.rx.request(.list))
        scripted.time.advance(by: .seconds(1))
        let error = seen.error as? NetworkError
        #expect(error?.reason == .connectionReadTimeout)
        #expect(error?.message == "no response within 1000 ms")
        #expect(error?.attempts == 1)
    }

    @Test("A lost connection and a 503 are retried; a 500, a 429, a timeout and a POST are not")
    func retries() {
        for (answer, attempts) in [
            (StubTransport.Answer.failure(.connectionTerminated), 3), (.response(503), 3),
            (.response(500), 1),
            (.silence, 1), (.response(429), 1),
        ] {
            let scripted = Scripted(answer)
            let tags = Provider<TagAPI>(transport: scripted.transport)
            let seen = Seen(tags.rx.request(.list))
            scripted.time.advance(by: .seconds(10))
            #expect(seen.values.count + (seen.error == nil ? 0 : 1) == 1)
            #expect(scripted.transport.attempts.count == attempts)
        }
        let scripted = Scripted(.failure(.connectionTerminated))
        let diary = Provider<DiaryAPI>(transport: scripted.transport)
        let seen = Seen(diary.rx.request(.photo(day: "a", file: "/etc/hostname")))
        scripted.time.advance(by: .seconds(10))
        #expect(seen.error != nil)
        #expect(scripted.transport.attempts.count == 1)
    }

    @Test("A request may set its own time limit")
    func callTimeout() {
        let scripted = Scripted(.json(empty, after: .seconds(5)))
        let client = RequestClient(transport: scripted.transport)
        let request = HTTPRequest(url: "http://reports.test/2026").setTimeout(.seconds(2))
        let export = HTTPRequest(url: "http://reports.test/2026/all").setTimeout(.seconds(60))
            .setAttemptLimits(AttemptLimits(connect: .seconds(2), firstByte: .seconds(45)))
        let seen = Seen(client.rx.request(request))
        scripted.time.advance(by: .seconds(2))
        #expect((seen.error as? NetworkError)?.reason == .responseTimeout)
        #expect(export.timeout == .seconds(60))
        #expect(export.attemptLimits?.firstByte == .seconds(45))
    }

    @Test("Redirects are followed only if allowed, and only to allowed hosts")
    func redirects() {
        let scripted = Scripted(.response(302, fields: [.location: "http://evil.test/x"]))
        let transport = scripted.transport
        #expect(
            (Seen(Provider<TagAPI>(transport: transport).rx.request(.list).checkStatusCode()).error
                as? NetworkError)?.reason == .unexpectedStatus)
        var policy = CallPolicy()
        policy.redirects = .follow()
        let seen = Seen(Provider<TagAPI>(transport: transport, policy: policy).rx.request(.list))
        #expect(
            (seen.error as? NetworkError)?.message == "the redirect leads to a host that is not allowed")

        policy.redirects = .follow(hosts: ["cdn.example.com"], safeFields: ["Idempotency-Key"])
        #expect(policy.redirects.safeFields == ["idempotency-key"])
    }

    @Test("A cookie jar stores cookies and sends them back")
    func cookies() {
        let scripted = Scripted(
            .response(200, fields: [.setCookie: "sid=1"], body: empty), .json(empty))
        let transport = scripted.transport
        let jar = CookieJar()
        let tags = Provider<TagAPI>(transport: transport, cookies: jar)
        _ = Seen(tags.rx.request(.list))
        _ = Seen(tags.rx.request(.list))
        #expect(jar.cookies.map(\.name) == ["sid"])
        #expect(scripted.transport.attempts.map { $0.call.fields[.cookie] } == [nil, "sid=1"])
    }

    @Test("Creating a session with invalid TLS settings fails")
    func connections() throws {
        var configuration = Session.Configuration()

        var inside = TLSConfiguration()
        inside.trust = .authorities(.file("/etc/diary/ca.pem"))
        inside.identity = .init(
            certificateChain: .file("/etc/diary/client.pem"), privateKey: .file("/etc/diary/client.key"))
        var pinned = TLSConfiguration()
        pinned.pins = ["sha256//7HIpactkIAq2Y49orFOOQKurWxmmSFZhBCoQYcRhJ3Y="]
        configuration.connections.tlsByUpstream = ["diary": inside]
        configuration.connections.tlsByHost = ["bank.test": pinned]

        let proxy = try OutboundProxy("http://proxy.test:3128")
        configuration.connections.proxy = try .fixed(proxy, except: NoProxy("localhost,.internal"))
        #expect(throws: TLSError.self) { try Session(configuration) }
        configuration.connections.tlsByUpstream = [:]
        try Session(configuration).close()
    }
}
