import Dispatch
import FoundationEssentials
import HTTPModel
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Retries", .noLeaks)
struct RetryTests {
    private static let ok = StubTransport.Answer.json(#"{"status":200,"data":{}}"#)

    // MARK: - Retried failures

    @Test(
        "A failure that another attempt may resolve is retried",
        arguments: [
            FailureReason.dnsTimeout, .connectionRefused, .connectionTimeout, .connectionTerminated,
            .responseIncomplete,
        ])
    func transientFailuresAreRetried(reason: FailureReason) throws {
        let bench = try Bench()
        bench.transport.answer(.failure(reason), Self.ok)
        let probe = bench.start()
        #expect(bench.transport.attempts.count == 1)
        bench.time.advance(by: .milliseconds(10))
        #expect(bench.transport.attempts.count == 2)
        #expect(probe.value?.statusCode == 200)
        #expect(probe.value?.attempts == 2)
        #expect(probe.value?.elapsed == .milliseconds(10))
    }

    @Test(
        "A failure that another attempt would repeat, or that used up its time, is not retried",
        arguments: [
            FailureReason.connectionReadTimeout, .connectionWriteTimeout, .responseTimeout, .tlsProtocolError,
            .tlsCertificateError, .tlsAlertReceived, .protocolError, .responseHeadSize, .responseBodySize,
            .responseContentCoding, .responseTransferCoding, .connectionLimitReached,
            .destinationUnavailable, .dnsError, .deadlineExceeded, .internalError,
        ])
    func otherFailuresAreNot(reason: FailureReason) throws {
        let bench = try Bench()
        bench.transport.answer(.failure(reason), Self.ok)
        let probe = bench.start()
        bench.time.advance(by: .seconds(20))
        #expect(bench.transport.attempts.count == 1)
        let error = try #require(probe.networkError)
        #expect(error.reason == reason)
        #expect(error.kind == .networkFail)
        #expect(error.attempts == 1)
    }

    @Test("If the circuit opens before a retry, the failure that was to be retried stands")
    func refusedRetry() throws {
        let bench = try Bench()
        bench.transport.answer(
            .failure(.connectionTerminated), .failure(.circuitOpen, retryAfter: .seconds(5)))
        let probe = bench.start()
        bench.time.advance(by: .seconds(20))
        #expect(bench.transport.attempts.count == 2)
        let error = try #require(probe.networkError)
        #expect(error.reason == .connectionTerminated)
        #expect(error.attempts == 1)
        #expect(error.notRetried == .circuit)
    }

    @Test(
        "A refused attempt is none, and is not retried",
        arguments: [FailureReason.circuitOpen, .concurrencyLimit])
    func refused(reason: FailureReason) throws {
        let bench = try Bench()
        bench.transport.answer(.failure(reason, retryAfter: .seconds(7)), Self.ok)
        let probe = bench.start()
        bench.time.advance(by: .seconds(20))
        #expect(bench.transport.attempts.count == 1)
        let error = try #require(probe.networkError)
        #expect(error.reason == reason)
        #expect(error.attempts == 0)
        #expect(error.notRetried == nil)
        #expect(error.retryAfter == .seconds(7))
        #expect(error.isRetryable)
    }

    @Test(
        "A 502, 503 or 504 is retried, and the call ends with the last response", arguments: [502, 503, 504])
    func gatewayStatusesAreRetried(status: Int) throws {
        let bench = try Bench()
        bench.transport.answer(.response(status))
        let probe = bench.start()
        bench.time.advance(by: .seconds(1))
        #expect(bench.transport.attempts.count == 3)
        #expect(probe.value?.statusCode == status)
        #expect(probe.value?.attempts == 3)
        #expect(throws: NetworkError.self) { try probe.value?.checkStatusCode() }
    }

    @Test(
        "Other statuses are not retried",
        arguments: [400, 401, 403, 404, 408, 409, 422, 500, 501, 508, 301, 206])
    func otherStatusesAreNot(status: Int) throws {
        let bench = try Bench()
        bench.transport.answer(.response(status, fields: [.retryAfter: "1"]), Self.ok)
        let probe = bench.start()
        bench.time.advance(by: .seconds(5))
        #expect(bench.transport.attempts.count == 1)
        #expect(probe.value?.statusCode == status)
    }

    @Test("A 429 is retried only if it has a Retry-After")
    func tooManyRequests() throws {
        let silent = try Bench()
        silent.transport.answer(.response(429), Self.ok)
        let unhelped = silent.start()
        silent.time.advance(by: .seconds(5))
        #expect(silent.transport.attempts.count == 1)
        #expect(unhelped.value?.statusCode == 429)

        let told = try Bench()
        told.transport.answer(.response(429, fields: [.retryAfter: "1"]), Self.ok)
        let helped = told.start()
        told.time.advance(by: .seconds(2))
        #expect(told.transport.attempts.count == 2)
        #expect(helped.value?.statusCode == 200)
    }

    @Test("A call is not retried if its body cannot be decoded")
    func decodingFailuresAreNotRetried() throws {
        let bench = try Bench()
        bench.transport.answer(.json("<html>"), Self.ok)
        let probe = Probe(bench.provider.rx.request(.weights("2026-11-20")).fragment())
        bench.time.advance(by: .seconds(5))
        #expect(bench.transport.attempts.count == 1)
        #expect(probe.networkError?.reason == .decodeError)
    }

    // MARK: - Methods

    @Test("A POST is never sent twice", arguments: [FailureReason.connectionRefused, .connectionTerminated])
    func postIsNeverRetried(reason: FailureReason) throws {
        let bench = try Bench()
        bench.transport.answer(.failure(reason), Self.ok)
        let probe = bench.start(.note("hello"))
        bench.time.advance(by: .seconds(20))
        #expect(bench.transport.attempts.count == 1)
        #expect(probe.networkError?.attempts == 1)
        #expect(probe.networkError?.isRetryable == (reason == .connectionRefused))

        let refused = try Bench()
        refused.transport.answer(.response(503, fields: [.retryAfter: "0"]), Self.ok)
        let answered = refused.start(.note("hello"))
        refused.time.advance(by: .seconds(20))
        #expect(refused.transport.attempts.count == 1)
        #expect(answered.value?.statusCode == 503)
    }

    @Test("Only safe and idempotent methods are retried")
    func methods() throws {
        let retried: [HTTPMethod] = [.get, .head, .options, .put, .delete]
        let notRetried: [HTTPMethod] = [.post, .patch]
        for method in retried + notRetried {
            let time = VirtualTime()
            let transport = StubTransport(scheduler: time)
            transport.answer(.failure(.connectionTerminated), Self.ok)
            let provider = try Provider<Anything>(upstream: "any", transport: transport, jitter: { $0 })
            let probe = Probe(provider.rx.request(Anything(method: method)))
            time.advance(by: .seconds(1))
            #expect(transport.attempts.count == (retried.contains(method) ? 2 : 1), "\(method)")
            #expect((probe.value != nil) == retried.contains(method), "\(method)")
        }
    }

    // MARK: - Number and timing

    @Test("A call makes at most three attempts and ends with the last failure")
    func threeAttempts() throws {
        let bench = try Bench()
        bench.transport.answer(
            .failure(.connectionTerminated), .failure(.dnsTimeout), .failure(.responseIncomplete))
        let probe = bench.start()
        bench.time.advance(by: .seconds(20))
        #expect(bench.transport.attempts.count == 3)
        let error = try #require(probe.networkError)
        #expect(error.reason == .responseIncomplete)
        #expect(error.attempts == 3)
        #expect(error.elapsed == .milliseconds(30))
        #expect(bench.time.pending == 0)
    }

    @Test("The bound of a jittered wait starts at 10 ms and doubles with each attempt up to 1 s")
    func backoffDoubles() throws {
        let bounds = Lock<[Duration]>([])
        var policy = CallPolicy()
        policy.retry.maxAttempts = 12
        policy.totalTimeout = .seconds(60)
        let bench = try Bench(policy: policy) { bound in
            bounds.withLock { $0.append(bound) }
            return bound / 2
        }
        bench.transport.answer(.failure(.connectionTerminated))
        let probe = bench.start()
        bench.time.advance(by: .seconds(60))
        #expect(probe.networkError?.attempts == 12)
        let expected = [10, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000, 1000].map {
            Duration.milliseconds($0)
        }
        #expect(bounds.withLock { $0 } == expected)
        let waits = zip(bench.transport.attempts.dropFirst(), bench.transport.attempts).map {
            $0.sentAt - $1.sentAt
        }
        #expect(waits == expected.map { $0 / 2 })
    }

    @Test("The default jitter covers the whole range up to its bound")
    func fullJitterIsFull() {
        let waits = (0..<2000).map { _ in fullJitter(.milliseconds(10)) }
        #expect(waits.allSatisfy { $0 >= .zero && $0 <= .milliseconds(10) })
        #expect(waits.contains { $0 < .milliseconds(2) })
        #expect(waits.contains { $0 > .milliseconds(8) })
        #expect(fullJitter(.zero) == .zero)
    }

    @Test("A jitter beyond its bound is clamped")
    func jitterIsHeldToItsBound() throws {
        let bench = try Bench(jitter: { _ in .seconds(5) })
        bench.transport.answer(.failure(.connectionTerminated), Self.ok)
        let probe = bench.start()
        bench.time.advance(by: .milliseconds(10))
        #expect(probe.value?.statusCode == 200)
    }

    // MARK: - Refused connections

    @Test("Waits after refused connections take at most 40 ms in total, however many attempts are allowed")
    func refusedConnections() throws {
        var policy = CallPolicy()
        policy.retry.maxAttempts = 100
        let bench = try Bench(policy: policy)
        bench.transport.answer(.failure(.connectionRefused))
        let probe = bench.start()
        bench.time.advance(by: .seconds(10))
        #expect(probe.networkError?.reason == .connectionRefused)
        #expect(probe.networkError?.elapsed == .milliseconds(40))
        // The waits are 10 ms, 20 ms and the remaining 10 ms.
        #expect(bench.transport.attempts.map(\.sentAt) == [0, 10, 30, 40].map { .milliseconds($0) })
    }

    @Test("By default, a call to a dead upstream fails within 50 ms")
    func deadUpstream() throws {
        let bench = try Bench()
        bench.transport.answer(.failure(.connectionRefused))
        let probe = bench.start()
        bench.time.advance(by: .milliseconds(50))
        #expect(probe.networkError?.attempts == 3)
        #expect(try #require(probe.networkError).elapsed <= .milliseconds(40))
    }

    // MARK: - Retry-After

    @Test("Retry-After in seconds is respected, and jitter only lengthens it")
    func retryAfterSeconds() throws {
        let bench = try Bench()
        bench.transport.answer(.response(503, fields: [.retryAfter: "2"]), Self.ok)
        let probe = bench.start()
        bench.time.advance(by: .milliseconds(2009))
        #expect(bench.transport.attempts.count == 1)
        #expect(probe.isPending)
        bench.time.advance(by: .milliseconds(1))
        #expect(bench.transport.attempts.count == 2)
        #expect(probe.value?.statusCode == 200)
    }

    @Test("Retry-After as a date is compared with the response's own date")
    func retryAfterDate() throws {
        let bench = try Bench()
        let fields: HTTPFields = [
            .date: "Sun, 06 Nov 1994 08:49:37 GMT", .retryAfter: "Sun, 06 Nov 1994 08:49:40 GMT",
        ]
        bench.transport.answer(.response(503, fields: fields), Self.ok)
        let probe = bench.start()
        bench.time.advance(by: .milliseconds(3009))
        #expect(bench.transport.attempts.count == 1)
        bench.time.advance(by: .milliseconds(1))
        #expect(probe.value?.statusCode == 200)
    }

    @Test("A Retry-After date in the past adds no wait")
    func retryAfterPast() throws {
        let bench = try Bench()
        // The clock begins in 1970. Advance it to 2026, past the date.
        bench.time.advance(by: .seconds(1_795_000_000))
        bench.transport.answer(
            .response(429, fields: [.retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT"]), Self.ok)
        let probe = bench.start()
        bench.time.advance(by: .milliseconds(10))
        #expect(probe.value?.statusCode == 200)
    }

    @Test("A malformed Retry-After is ignored", arguments: ["", "-1", "soon", "1.5", "1 s", "0x1"])
    func malformedRetryAfter(value: String) throws {
        let bench = try Bench()
        bench.transport.answer(.response(429, fields: [.retryAfter: value]), Self.ok)
        let probe = bench.start()
        bench.time.advance(by: .seconds(5))
        #expect(bench.transport.attempts.count == 1)
        #expect(probe.value?.statusCode == 429)
    }

    @Test("A Retry-After that exceeds the remaining time ends the call at once", arguments: [503, 429])
    func retryAfterThatDoesNotFit(status: Int) throws {
        let bench = try Bench()
        bench.transport.answer(.response(status, fields: [.retryAfter: "10"]), Self.ok)
        let probe = bench.start()
        #expect(probe.value?.statusCode == status)
        #expect(bench.transport.attempts.count == 1)
        #expect(bench.time.pending == 0)
        let endless = try Bench()
        endless.transport.answer(.response(status, fields: [.retryAfter: "99999999999999999999"]), Self.ok)
        #expect(endless.start().value?.statusCode == status)
    }

    @Test("A Retry-After that exceeds the request's deadline ends the call at once")
    func retryAfterBeyondTheDeadline() throws {
        let bench = try Bench()
        bench.transport.answer(.response(503, fields: [.retryAfter: "2"]), Self.ok)
        let context = CallContext(requestID: "r", deadline: bench.time.now.addingTimeInterval(1.5))
        let probe = CallContext.$current.withValue(context) { bench.start() }
        #expect(probe.value?.statusCode == 503)
    }

    @Test("Jitter leaves time for the attempt after a Retry-After")
    func retryAfterLeavesTimeForTheAttempt() throws {
        var policy = CallPolicy()
        policy.retry.backoff = .constant(.seconds(30), jitter: .full)
        let bench = try Bench(policy: policy)
        bench.transport.answer(.response(503, fields: [.retryAfter: "8"]), Self.ok)
        let probe = bench.start()
        bench.time.advance(by: .seconds(9))
        #expect(probe.value?.statusCode == 200)
    }

    @Test("The failure contains the upstream's Retry-After")
    func retryAfterIsInTheFailure() throws {
        let bench = try Bench()
        bench.transport.answer(.response(503, fields: [.retryAfter: "120"]))
        let probe = Probe(bench.provider.rx.request(.weights("2026-11-20")).fragment())
        let error = try #require(probe.networkError)
        #expect(error.retryAfter == .seconds(120))
        #expect(error.kind == .serverErr)
        #expect(error.isRetryable)
    }

    // MARK: - Budget

    @Test(
        "At most three retries may be in flight to an upstream, and a further failure ends its call at once")
    func budget() throws {
        let bench = try Bench()
        bench.transport.answer(.failure(.connectionTerminated), .failure(.connectionTerminated), .silence)
        bench.transport.answer(by: { _ in .failure(.connectionTerminated) })
        let probes = (0..<4).map { _ in bench.start() }
        #expect(bench.transport.retriesInFlight == 3)
        #expect(probes.map(\.isPending) == [true, true, true, false])
        #expect(probes[3].networkError?.attempts == 1)
        #expect(probes[3].networkError?.reason == .connectionTerminated)
        bench.time.advance(by: .seconds(1))
        #expect(bench.transport.retriesInFlight == 0)
        #expect(probes[0].networkError?.attempts == 3)
    }

    @Test("Disposing a call returns its retry to the budget", arguments: [0, 12])
    func disposedCallGivesItsRetryBack(milliseconds: Int) throws {
        let bench = try Bench()
        bench.transport.answer(.failure(.connectionTerminated), .silence)
        let subscription = bench.provider.rx.request(.weights("2026-11-20")).subscribe()
        bench.time.advance(by: .milliseconds(milliseconds))
        #expect(bench.transport.retriesInFlight == 1)
        subscription.dispose()
        bench.time.advance(by: .zero)
        #expect(bench.transport.retriesInFlight == 0)
        #expect(bench.time.pending == 0)
        #expect(bench.transport.inFlight == 0)
    }

    @Test("The budget allows a retry for every five calls in flight, and always at least three")
    func budgetIsAFifthOfTheCalls() {
        var budget = RetryBudget()
        var grants = (0..<4).map { _ in budget.beginRetry() }
        #expect(grants == [true, true, true, false])
        grants = (0..<2).map { _ in budget.beginRetry(callsInFlight: 20) }
        #expect(grants == [true, false])
        grants = (0..<2).map { _ in budget.beginRetry(callsInFlight: 25) }
        #expect(grants == [true, false])
        budget.endRetry()
        grants = [budget.beginRetry(callsInFlight: 24), budget.beginRetry()]
        #expect(grants == [false, false])
        #expect(budget.retriesInFlight == 4)
        #expect(budget.callsInFlight == 24)
    }

    @Test("Retries can be turned off")
    func never() throws {
        var policy = CallPolicy()
        policy.retry = .never
        let bench = try Bench(policy: policy)
        bench.transport.answer(.failure(.connectionTerminated), Self.ok)
        #expect(bench.start().networkError?.attempts == 1)
    }
}

/// A target with simple defaults, which a test may change.
struct Anything: TargetType {
    var method: HTTPMethod = .get
    var path: RequestPath = "/x"
    var headers = HTTPFields()
    var task = RequestTask.plain
    var envelope = ResponseEnvelope.none
    var allowsEmptyBody = false
    var timeout: Duration?
    var validation = ValidationType.none
    var baseURL = "http://any.test"
}
