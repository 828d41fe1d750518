import FoundationEssentials
import HTTPModel
import NetworkingTesting
import Rx
import RxTesting
import Testing

@testable import Networking

@Suite("Time limits of a call", .noLeaks)
struct TimeLimitTests {
    private static let ok = StubTransport.Answer.json(#"{"status":200,"data":{}}"#)

    @Test(
        "A call without a response fails after 10 s with http_response_timeout, and its attempt is cancelled")
    func total() throws {
        let bench = try Bench()
        bench.transport.answer(.json("{}", after: .seconds(60)))
        let probe = bench.start()
        bench.time.advance(by: .milliseconds(9999))
        #expect(probe.isPending)
        bench.time.advance(by: .milliseconds(1))
        let error = try #require(probe.networkError)
        #expect(error.reason == .responseTimeout)
        #expect(error.kind == .networkFail)
        #expect(error.elapsed == .seconds(10))
        #expect(error.attempts == 1)
        #expect(error.message == "no complete response within 10000 ms")
        #expect(bench.transport.attempts[0].isCancelled)
        #expect(bench.time.pending == 0)
    }

    @Test("The limit of 10 s covers all attempts and waits together")
    func totalOverAttempts() throws {
        let bench = try Bench()
        bench.transport.answer(
            .failure(.connectionTerminated, after: .seconds(4)),
            .failure(.connectionTerminated, after: .seconds(4)),
            .json("{}", after: .seconds(4)))
        let probe = bench.start()
        bench.time.advance(by: .seconds(20))
        #expect(bench.transport.attempts.count == 3)
        let error = try #require(probe.networkError)
        #expect(error.reason == .responseTimeout)
        #expect(error.elapsed == .seconds(10))
        #expect(error.attempts == 3)
    }

    @Test("A call that cannot wait within its limit ends with its last failure at once")
    func waitThatDoesNotFit() throws {
        var policy = CallPolicy()
        policy.totalTimeout = .milliseconds(15)
        let bench = try Bench(policy: policy)
        bench.transport.answer(.failure(.connectionTerminated))
        let probe = bench.start()
        bench.time.advance(by: .milliseconds(10))
        #expect(probe.networkError?.reason == .connectionTerminated)
        #expect(probe.networkError?.attempts == 2)
        #expect(probe.networkError?.elapsed == .milliseconds(10))
    }

    @Test("A call fails with deadline_exceeded at the request's deadline")
    func deadline() throws {
        let bench = try Bench()
        bench.transport.answer(.json("{}", after: .seconds(3)))
        let context = CallContext(requestID: "r", deadline: bench.time.now.addingTimeInterval(2))
        let probe = CallContext.$current.withValue(context) { bench.start() }
        bench.time.advance(by: .milliseconds(1999))
        #expect(probe.isPending)
        bench.time.advance(by: .milliseconds(1))
        #expect(probe.networkError?.reason == .deadlineExceeded)
        #expect(bench.transport.attempts[0].isCancelled)
    }

    @Test("Nothing is sent after the request's deadline")
    func afterTheDeadline() throws {
        let bench = try Bench()
        bench.transport.answer(Self.ok)
        let context = CallContext(requestID: "r", deadline: bench.time.now)
        let probe = CallContext.$current.withValue(context) { bench.start() }
        bench.time.advance(by: .zero)
        #expect(probe.networkError?.reason == .deadlineExceeded)
        #expect(probe.networkError?.attempts == 0)
        #expect(bench.transport.attempts.isEmpty)
        #expect(bench.time.pending == 0)
    }

    @Test(
        "A silent upstream fails the call with connection_read_timeout, without a retry"
    )
    func silence() throws {
        let bench = try Bench()
        bench.transport.answer(.silence)
        let probe = bench.start()
        bench.time.advance(by: .seconds(5))
        #expect(probe.networkError?.reason == .connectionReadTimeout)
        #expect(probe.networkError?.message == "no response within 5000 ms")
        #expect(bench.transport.attempts.count == 1)
    }

    @Test(
        "An unreachable upstream fails the call with connection_timeout after three attempts of 1 s"
    )
    func blackHole() throws {
        let bench = try Bench()
        bench.transport.answer(.blackHole)
        let probe = bench.start()
        bench.time.advance(by: .seconds(5))
        #expect(probe.networkError?.reason == .connectionTimeout)
        #expect(probe.networkError?.attempts == 3)
        #expect(probe.networkError?.elapsed == .milliseconds(3030))
    }

    @Test("Disposal cancels the attempt in flight and leaves no timer")
    func disposal() throws {
        let bench = try Bench()
        bench.transport.answer(.silence)
        let subscription = bench.provider.rx.request(.weights("2026-11-20")).subscribe()
        #expect(bench.transport.inFlight == 1)
        subscription.dispose()
        #expect(bench.transport.attempts[0].isCancelled)
        #expect(bench.time.pending == 0)
        bench.time.advance(by: .seconds(20))
        #expect(bench.transport.attempts.count == 1)
    }

    @Test("Disposal during a wait ends the call without a further attempt")
    func disposalDuringAWait() throws {
        let bench = try Bench()
        bench.transport.answer(.failure(.connectionTerminated))
        let subscription = bench.provider.rx.request(.weights("2026-11-20")).subscribe()
        bench.time.advance(by: .milliseconds(5))
        subscription.dispose()
        bench.time.advance(by: .seconds(20))
        #expect(bench.transport.attempts.count == 1)
        #expect(bench.time.pending == 0)
    }

    @Test("An answered call leaves no timer")
    func success() throws {
        let bench = try Bench()
        bench.transport.answer(.json(#"{"status":200,"data":{}}"#, after: .milliseconds(7)))
        let probe = bench.start()
        bench.time.advance(by: .milliseconds(7))
        #expect(probe.value?.elapsed == .milliseconds(7))
        #expect(probe.value?.attempts == 1)
        #expect(bench.time.pending == 0)
    }

    @Test("A call that has ended or was disposed retains nothing", .timeLimit(.minutes(1)))
    func nothingIsLeft() throws {
        final class Witness: PluginType, Sendable {}
        weak var gone: Witness?
        do {
            let witness = Witness()
            gone = witness
            let bench = try Bench(plugins: [witness])
            bench.transport.answer(.failure(.connectionTerminated), Self.ok)
            let probe = bench.start()
            bench.time.advance(by: .milliseconds(20))
            #expect(probe.value?.statusCode == 200)
            let disposed = bench.provider.rx.request(.weights("2026-11-20")).subscribe()
            disposed.dispose()
        }
        #expect(gone == nil)
    }

    // MARK: - Explicit limits

    private static func client(_ policy: CallPolicy = CallPolicy()) -> (VirtualTime, RequestClient) {
        let time = VirtualTime()
        let transport = StubTransport(scheduler: time)
        transport.answer(.silence)
        return (time, RequestClient(transport: transport, policy: policy))
    }

    /// Returns when and why a call to a silent upstream fails.
    private static func failure(
        of request: HTTPRequest, _ policy: CallPolicy = CallPolicy()
    ) -> (after: Duration?, reason: FailureReason?) {
        let (time, client) = client(policy)
        let probe = Probe(client.rx.request(request))
        time.advance(by: .seconds(200))
        return (probe.networkError?.elapsed, probe.networkError?.reason)
    }

    private static let request = HTTPRequest(url: "http://silent.test/")

    @Test("An explicit timeout replaces the default limits of an attempt")
    func explicit() {
        #expect(Self.failure(of: Self.request) == (.seconds(5), .connectionReadTimeout))
        #expect(Self.failure(of: Self.request.setTimeout(.seconds(20))) == (.seconds(20), .responseTimeout))
        #expect(Self.failure(of: Self.request.setTimeout(.seconds(2))) == (.seconds(2), .responseTimeout))
        var policy = CallPolicy()
        policy.totalTimeout = .seconds(30)
        #expect(Self.failure(of: Self.request, policy) == (.seconds(30), .responseTimeout))
    }

    @Test("Explicit attempt limits apply, whatever the timeout")
    func explicitLimits() {
        let limits = AttemptLimits(connect: .seconds(1), firstByte: .seconds(3))
        var policy = CallPolicy()
        policy.attemptLimits = limits
        policy.totalTimeout = .seconds(30)
        #expect(Self.failure(of: Self.request, policy) == (.seconds(3), .connectionReadTimeout))
        let own = Self.request.setTimeout(.seconds(20)).setAttemptLimits(limits)
        #expect(Self.failure(of: own) == (.seconds(3), .connectionReadTimeout))
        let longer = Self.request.setAttemptLimits(
            AttemptLimits(connect: .seconds(1), firstByte: .seconds(8)))
        #expect(Self.failure(of: longer, policy) == (.seconds(8), .connectionReadTimeout))
    }

    @Test(
        "A call keeps its target's timeout and attempt limits through every stage"
    )
    func targetLimits() throws {
        struct Slow: TargetType {
            let baseURL = "http://silent.test"
            let path: RequestPath = "/"
            var timeout: Duration?
            var attemptLimits: AttemptLimits?
        }
        let limits = AttemptLimits(connect: .seconds(1), firstByte: .seconds(3))
        for (target, isUnbounded, expected) in [
            (Slow(), false, 5), (Slow(timeout: .seconds(20)), false, 20), (Slow(), true, 5),
            (Slow(timeout: .seconds(20), attemptLimits: limits), true, 3),
            (Slow(timeout: .seconds(9)), true, 9),
        ] {
            let transport = StubTransport(scheduler: VirtualTime())
            let provider = Provider<Slow>(transport: transport)
            let call = try provider.prepare(target, isUnbounded: isUnbounded)
            #expect(call.limits.firstByte == .seconds(expected))
            let later = call.with(timeLeft: .seconds(1))
            #expect(later.limits == call.limits)
            #expect(later.timeout == .seconds(1))
            #expect(later.shortestLimit == call.shortestLimit)
            #expect(try call.request.call(call.settings, replacing: call).limits == call.limits)
        }
    }
}
