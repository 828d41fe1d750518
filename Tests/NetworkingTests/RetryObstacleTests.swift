import Dispatch
import FoundationEssentials
import HTTPModel
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Why a failed call was not retried", .noLeaks)
struct RetryObstacleTests {
    private static let ok = StubTransport.Answer.json(#"{"status":200,"data":{}}"#)
    private static let lost = StubTransport.Answer.failure(.connectionTerminated)

    /// Returns the error of a call with the given answer.
    private func error(
        _ answers: StubTransport.Answer..., target: Diary = .weights("2026-11-20"),
        policy: CallPolicy = CallPolicy(), deadline: Double? = nil
    ) throws -> NetworkError {
        let bench = try Bench(policy: policy)
        let next = Lock(0)
        bench.transport.answer { _ in
            answers[
                next.withLock { count in
                    defer { count += 1 }
                    return min(count, answers.count - 1)
                }]
        }
        let context = deadline.map {
            CallContext(requestID: "r", deadline: bench.time.now.addingTimeInterval($0))
        }
        let probe = CallContext.$current.withValue(context) {
            Probe(bench.provider.rx.request(target).fragment())
        }
        bench.time.advance(by: .seconds(30))
        return try #require(probe.networkError)
    }

    // MARK: - Obstacles

    @Test("A spent budget holds a retry back: budget", arguments: [lost, .response(503)])
    func budget(answer: StubTransport.Answer) throws {
        let bench = try Bench()
        bench.transport.answer(answer)
        let probes = (0..<4).map { _ in
            Probe(bench.provider.rx.request(.weights("2026-11-20")).fragment())
        }
        let error = try #require(probes[3].networkError)
        #expect(error.notRetried == .budget)
        #expect(error.attempts == 1)
        #expect(error.isRetryable)
        bench.time.advance(by: .seconds(1))
        #expect(probes[0].networkError?.notRetried == nil)
        #expect(probes[0].networkError?.attempts == 3)
    }

    @Test(
        "A POST that lost its connection or was answered with a passing failure is not retried: method",
        arguments: [
            lost, .silence, .response(503), .response(408),
            .json(#"{"status":503}"#),
        ])
    func method(answer: StubTransport.Answer) throws {
        let error = try error(answer, target: .note("hello"))
        #expect(error.notRetried == .method)
        #expect(error.attempts == 1)
        #expect(!error.isRetryable)
    }

    @Test("A Retry-After beyond the call's time holds a retry back: deadline", arguments: [503, 429])
    func retryAfterBeyondTheCall(status: Int) throws {
        let error = try error(.response(status, fields: [.retryAfter: "10"]))
        #expect(error.notRetried == .deadline)
        #expect(error.attempts == 1)
    }

    @Test("A Retry-After beyond the request's deadline holds a retry back: deadline")
    func retryAfterBeyondTheRequest() throws {
        let error = try error(.response(503, fields: [.retryAfter: "2"]), deadline: 1.5)
        #expect(error.notRetried == .deadline)
    }

    @Test("A wait that exceeds the remaining time holds a retry back: deadline")
    func waitBeyondTheCall() throws {
        var policy = CallPolicy()
        policy.totalTimeout = .milliseconds(15)
        let answer = StubTransport.Answer.failure(.connectionTerminated, after: .milliseconds(6))
        let error = try error(answer, policy: policy)
        #expect(error.reason == .connectionTerminated)
        #expect(error.notRetried == .deadline)
        #expect(error.elapsed == .milliseconds(6))
    }

    @Test("A call that uses up its time has none for a retry: deadline", arguments: [nil, 3.0])
    func timeIsOver(deadline: Double?) throws {
        var policy = CallPolicy()
        policy.totalTimeout = .seconds(4)
        policy.attemptLimits.firstByte = .seconds(9)
        let error = try error(.silence, policy: policy, deadline: deadline)
        #expect(error.reason == (deadline == nil ? .responseTimeout : .deadlineExceeded))
        #expect(error.notRetried == .deadline)
        #expect(error.attempts == 1)
    }

    @Test(
        "A failure that may pass but is never retried: reason",
        arguments: [
            StubTransport.Answer.silence, .failure(.connectionWriteTimeout),
            .response(429), .response(408, fields: [.retryAfter: "1"]), .json(#"{"status":503}"#),
        ])
    func reason(answer: StubTransport.Answer) throws {
        let error = try error(answer)
        #expect(error.notRetried == .reason)
        #expect(error.attempts == 1)
        #expect(error.isRetryable)
    }

    @Test("The obstacle of the last attempt counts")
    func laterAttempt() throws {
        let error = try error(Self.lost, .silence)
        #expect(error.reason == .connectionReadTimeout)
        #expect(error.attempts == 2)
        #expect(error.notRetried == .reason)
    }

    // MARK: - No obstacle

    @Test(
        "A call that was retried as often as the policy allows names none",
        arguments: [lost, .response(502), .response(429, fields: [.retryAfter: "0"])])
    func attemptsUsedUp(answer: StubTransport.Answer) throws {
        let error = try error(answer)
        #expect(error.attempts == 3)
        #expect(error.isRetryable)
        #expect(error.notRetried == nil)
    }

    @Test("Refused connections that used up their own limit name none")
    func refusedLimit() throws {
        var policy = CallPolicy()
        policy.retry.maxAttempts = 100
        let error = try error(.failure(.connectionRefused), policy: policy)
        #expect(error.attempts == 4)
        #expect(error.notRetried == nil)
    }

    @Test(
        "A policy with a single attempt names none",
        arguments: [lost, .silence, .response(503), .response(429), .json(#"{"status":503}"#)],
        [Diary.weights("2026-11-20"), .note("hello")])
    func singleAttempt(answer: StubTransport.Answer, target: Diary) throws {
        var policy = CallPolicy()
        policy.retry = .never
        #expect(try error(answer, target: target, policy: policy).notRetried == nil)
    }

    @Test(
        "A failure that a retry cannot help names none",
        arguments: [
            StubTransport.Answer.response(500), .response(404), .response(505), .json("<html>"),
            .failure(.tlsCertificateError), .failure(.protocolError), .failure(.responseBodySize),
            .json(#"{"status":404}"#),
        ],
        [Diary.weights("2026-11-20"), .note("hello")])
    func lastingFailure(answer: StubTransport.Answer, target: Diary) throws {
        let error = try error(answer, target: target)
        #expect(error.notRetried == nil)
        #expect(!error.isRetryable)
    }

    @Test(
        "A call of which nothing was sent names neither its method nor the reason, and may be made again",
        arguments: [
            FailureReason.connectionRefused, .connectionTimeout, .connectionLimitReached,
            .destinationUnavailable, .dnsError, .dnsTimeout, .circuitOpen, .concurrencyLimit,
        ],
        [Diary.weights("2026-11-20"), .note("hello")])
    func nothingSent(reason: FailureReason, target: Diary) throws {
        let error = try error(.failure(reason), target: target)
        #expect(error.notRetried == nil)
        #expect(error.isRetryable)
    }

    @Test("A reason counts after a retry that sent nothing, if an earlier attempt was sent")
    func sentBefore() throws {
        let error = try error(Self.lost, .failure(.dnsError))
        #expect(error.attempts == 2)
        #expect(error.notRetried == .reason)
    }

    @Test(
        "A call that began after the deadline was not sent, names none and may be made again",
        arguments: [Diary.weights("2026-11-20"), .note("hello")])
    func late(target: Diary) throws {
        let error = try error(Self.ok, target: target, deadline: -1)
        #expect(error.reason == .deadlineExceeded)
        #expect(error.attempts == 0)
        #expect(error.notRetried == nil)
        #expect(error.isRetryable)
    }

    @Test(
        "A call that was sent when its time was over may be made again only if its method is idempotent",
        arguments: [nil, 3.0])
    func sentInTime(deadline: Double?) throws {
        var policy = CallPolicy()
        policy.totalTimeout = .seconds(4)
        policy.attemptLimits.firstByte = .seconds(9)
        for (target, isRetryable) in [(Diary.weights("2026-11-20"), true), (.note("hello"), false)] {
            let error = try error(.silence, target: target, policy: policy, deadline: deadline)
            #expect(error.reason == (deadline == nil ? .responseTimeout : .deadlineExceeded))
            #expect(error.isRetryable == isRetryable)
        }
    }

    @Test("An obstacle has the name that responses use")
    func tokens() {
        let all: [RetryObstacle] = [.budget, .method, .deadline, .reason]
        #expect(all.map(\.token) == ["budget", "method", "deadline", "reason"])
        #expect(all.map(\.description) == all.map(\.token))
    }
}
