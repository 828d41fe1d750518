import Resilience
import Testing

@Suite("The circuit breaker")
struct CircuitBreakerTests {
    private static let second: Int64 = 1_000_000_000

    /// A breaker with the default policy that opened at second 10 for five seconds.
    private func opened() -> CircuitBreaker {
        var breaker = CircuitBreaker(CircuitBreakerPolicy())
        _ = breaker.attemptFailed(attempts: 20, failures: 20, at: 10 * Self.second, jitter: 0)
        return breaker
    }

    /// Lets a probe pass at this second and ends it.
    private func probe(
        _ breaker: inout CircuitBreaker, _ outcome: CircuitBreaker.ProbeOutcome, at second: Int64
    ) -> CircuitBreaker.Change? {
        let (admission, _) = breaker.admit(at: second * Self.second)
        #expect(admission == .probe)
        return breaker.probeEnded(outcome, at: second * Self.second, jitter: 0)
    }

    @Test(
        "Too few attempts or too few failures leave it closed",
        arguments: [(19, 19), (20, 9), (1000, 499), (0, 0)])
    func staysClosed(attempts: Int, failures: Int) {
        var breaker = CircuitBreaker(CircuitBreakerPolicy())
        #expect(breaker.attemptFailed(attempts: attempts, failures: failures, at: 0, jitter: 0) == nil)
        #expect(breaker.admit(at: 0).0 == .attempt)
    }

    @Test("Half of twenty attempts open it for five seconds, give or take a tenth", arguments: [-1.0, 0, 1])
    func opens(jitter: Double) {
        var breaker = CircuitBreaker(CircuitBreakerPolicy())
        let duration = Int64(5e9 + 0.5e9 * jitter)
        #expect(
            breaker.attemptFailed(attempts: 20, failures: 10, at: 0, jitter: jitter)
                == .opened(attempts: 20, failures: 10, duration: duration))
        #expect(breaker.state == .open(until: duration))
        #expect(breaker.admit(at: duration - 1).0 == .refused(retryAfter: 1))
    }

    @Test("Failures of attempts that began earlier do not lengthen the time")
    func lateFailures() {
        var breaker = opened()
        #expect(breaker.attemptFailed(attempts: 40, failures: 40, at: 11 * Self.second, jitter: 0) == nil)
        #expect(breaker.state == .open(until: 15 * Self.second))
    }

    @Test(
        "It tells that it would refuse an attempt without changing: while it is open, and while a probe is in flight"
    )
    func refuses() {
        var breaker = opened()
        #expect(breaker.refuses(at: 14 * Self.second))
        #expect(!breaker.refuses(at: 15 * Self.second))
        #expect(breaker.state == .open(until: 15 * Self.second))
        #expect(breaker.admit(at: 15 * Self.second).0 == .probe)
        #expect(breaker.refuses(at: 15 * Self.second))
        #expect(breaker.probeEnded(.cancelled, at: 15 * Self.second, jitter: 0) == nil)
        #expect(!breaker.refuses(at: 15 * Self.second))
        #expect(!CircuitBreaker(CircuitBreakerPolicy()).refuses(at: 0))
    }

    @Test("When its time is over, one probe at a time passes")
    func oneProbe() {
        var breaker = opened()
        let (admission, change) = breaker.admit(at: 15 * Self.second)
        #expect(admission == .probe)
        #expect(change == .halfOpened)
        #expect(breaker.admit(at: 15 * Self.second).0 == .refused(retryAfter: 0))
        #expect(breaker.probeEnded(.succeeded, at: 15 * Self.second, jitter: 0) == nil)
        #expect(breaker.admit(at: 15 * Self.second).0 == .probe)
    }

    @Test("Three successful probes close it")
    func closes() {
        var breaker = opened()
        #expect(probe(&breaker, .succeeded, at: 15) == nil)
        #expect(probe(&breaker, .succeeded, at: 15) == nil)
        #expect(probe(&breaker, .succeeded, at: 16) == .closed(absence: 6 * Self.second))
        #expect(breaker.admit(at: 16 * Self.second).0 == .attempt)
    }

    @Test("A failed probe opens it again for twice as long, up to the maximum, and a recovery starts anew")
    func doubles() {
        var breaker = opened()
        #expect(probe(&breaker, .failed, at: 15) == .reopened(duration: 10 * Self.second))
        #expect(probe(&breaker, .failed, at: 25) == .reopened(duration: 15 * Self.second))
        #expect(probe(&breaker, .failed, at: 40) == .reopened(duration: 15 * Self.second))
        for _ in 1...2 { #expect(probe(&breaker, .succeeded, at: 55) == nil) }
        #expect(probe(&breaker, .succeeded, at: 55) != nil)
        #expect(
            breaker.attemptFailed(attempts: 20, failures: 20, at: 60 * Self.second, jitter: 0)
                == .opened(attempts: 20, failures: 20, duration: 5 * Self.second))
    }

    @Test("The jitter never exceeds the maximum")
    func boundedJitter() {
        var policy = CircuitBreakerPolicy()
        policy.maxOpen = .seconds(5)
        var breaker = CircuitBreaker(policy)
        _ = breaker.attemptFailed(attempts: 20, failures: 20, at: 0, jitter: 1)
        #expect(breaker.state == .open(until: 5 * Self.second))
    }

    @Test("A cancelled probe gives its turn to another attempt")
    func cancelledProbe() {
        var breaker = opened()
        #expect(probe(&breaker, .cancelled, at: 15) == nil)
        #expect(breaker.state == .halfOpen)
        #expect(breaker.admit(at: 15 * Self.second).0 == .probe)
    }

    @Test("The end of a probe counts once, and only while the circuit is half-open")
    func strayEnds() {
        var breaker = opened()
        #expect(breaker.probeEnded(.succeeded, at: 11 * Self.second, jitter: 0) == nil)
        #expect(probe(&breaker, .succeeded, at: 15) == nil)
        for _ in 1...5 { #expect(breaker.probeEnded(.succeeded, at: 15 * Self.second, jitter: 0) == nil) }
        #expect(breaker.state == .halfOpen)
    }

    @Test("A setting out of its range is named with its value and range")
    func faults() {
        #expect(CircuitBreakerPolicy().faults == [])
        var policy = CircuitBreakerPolicy()
        policy.failureRate = 50
        policy.probes = 0
        policy.maxOpen = .seconds(1)
        policy.window = .milliseconds(1)
        policy.minimumCalls = 0
        #expect(
            policy.faults == [
                "window: 0.001 seconds is not between 1 s and 10 min",
                "minimumCalls: 0 is not between 1 and 100000",
                "failureRate: 50.0 is not more than 0 and at most 1",
                "maxOpen: 1.0 seconds is not between open (5.0 seconds) and 1 h",
                "probes: 0 is not between 1 and 100",
            ])
        policy.failureRate = .nan
        #expect(policy.faults.contains { $0.hasPrefix("failureRate: nan") })
    }
}
