import Resilience
import Testing

@Suite("A circuit that one endpoint's time-outs open")
struct SuspectTests {
    private static let second: Int64 = 1_000_000_000
    private static let impatient = 7
    private static let other = 8

    /// A breaker with the default policy that opened at second 10 for five seconds, by time-outs of one
    /// endpoint alone.
    private func opened() -> CircuitBreaker {
        var breaker = CircuitBreaker(CircuitBreakerPolicy())
        _ = breaker.attemptFailed(
            attempts: 20, failures: 20, suspect: Self.impatient, at: 10 * Self.second, jitter: 0)
        return breaker
    }

    /// A breaker that opened for all at second 10. A probe of one endpoint timed out at second 15.
    private func reopened() -> CircuitBreaker {
        var breaker = CircuitBreaker(CircuitBreakerPolicy())
        _ = breaker.attemptFailed(attempts: 20, failures: 20, at: 10 * Self.second, jitter: 0)
        _ = admit(&breaker, Self.impatient, at: 15)
        _ = end(&breaker, .timedOut, Self.impatient, at: 15)
        return breaker
    }

    private func admit(
        _ breaker: inout CircuitBreaker, _ endpoint: Int, at second: Int64
    ) -> CircuitBreaker.Admission {
        breaker.admit(of: endpoint, at: second * Self.second).0
    }

    private func end(
        _ breaker: inout CircuitBreaker, _ outcome: CircuitBreaker.ProbeOutcome, _ endpoint: Int,
        at second: Int64
    ) -> CircuitBreaker.Change? {
        breaker.probeEnded(outcome, of: endpoint, at: second * Self.second, jitter: 0)
    }

    @Test("Only this endpoint is refused; attempts of the others pass")
    func refused() {
        var breaker = opened()
        #expect(admit(&breaker, Self.impatient, at: 11) == .refused(retryAfter: 4 * Self.second))
        for _ in 1...3 { #expect(admit(&breaker, Self.other, at: 11) == .attempt) }
    }

    @Test("The first success of another endpoint closes it for all")
    func refuted() {
        var breaker = opened()
        #expect(
            breaker.attemptEnded(isFailure: false, of: Self.other, at: 12 * Self.second)
                == .closed(absence: 2 * Self.second))
        #expect(admit(&breaker, Self.impatient, at: 12) == .attempt)
    }

    @Test("The first failure of another endpoint opens it for all")
    func confirmed() {
        var breaker = opened()
        #expect(breaker.soleEndpoint == Self.impatient)
        #expect(breaker.attemptEnded(isFailure: true, of: Self.other, at: 12 * Self.second) == .widened)
        #expect(breaker.soleEndpoint == nil)
        #expect(admit(&breaker, Self.other, at: 12) == .refused(retryAfter: 3 * Self.second))
        #expect(breaker.attemptEnded(isFailure: false, of: Self.other, at: 13 * Self.second) == nil)
        #expect(breaker.state == .open(until: 15 * Self.second))
    }

    @Test("Late ends of the endpoint's own attempts change nothing")
    func ownEnds() {
        var breaker = opened()
        for isFailure in [true, false] {
            #expect(
                breaker.attemptEnded(isFailure: isFailure, of: Self.impatient, at: 11 * Self.second) == nil)
        }
        #expect(admit(&breaker, Self.other, at: 11) == .attempt)
    }

    @Test("Its probes go on without the others; a response 500 to one opens it for all")
    func probes() {
        var breaker = opened()
        #expect(admit(&breaker, Self.impatient, at: 15) == .probe)
        #expect(admit(&breaker, Self.other, at: 15) == .attempt)
        #expect(end(&breaker, .timedOut, Self.impatient, at: 15) == .reopened(duration: 10 * Self.second))
        #expect(admit(&breaker, Self.other, at: 15) == .attempt)
        #expect(admit(&breaker, Self.impatient, at: 25) == .probe)
        #expect(end(&breaker, .failed, Self.impatient, at: 25) == .reopened(duration: 15 * Self.second))
        #expect(admit(&breaker, Self.other, at: 25) == .refused(retryAfter: 15 * Self.second))
    }

    @Test("After a probe that timed out, the next one is left to another endpoint, which can close it")
    func nextProbe() {
        var breaker = reopened()
        #expect(admit(&breaker, Self.impatient, at: 16) == .refused(retryAfter: 9 * Self.second))
        for _ in 1...2 {
            #expect(admit(&breaker, Self.other, at: 16) == .probe)
            #expect(admit(&breaker, Self.other, at: 16) == .refused(retryAfter: 0))
            #expect(end(&breaker, .succeeded, Self.other, at: 16) == nil)
            #expect(admit(&breaker, Self.impatient, at: 16) == .refused(retryAfter: 9 * Self.second))
        }
        #expect(admit(&breaker, Self.other, at: 16) == .probe)
        #expect(end(&breaker, .succeeded, Self.other, at: 16) == .closed(absence: 6 * Self.second))
        #expect(admit(&breaker, Self.impatient, at: 16) == .attempt)
    }

    @Test(
        "If the other endpoint's probe fails as well, all wait for the rest of the time",
        arguments: [true, false])
    func bothFail(isTimeout: Bool) {
        var breaker = reopened()
        #expect(admit(&breaker, Self.other, at: 16) == .probe)
        #expect(
            end(&breaker, isTimeout ? .timedOut : .failed, Self.other, at: 17)
                == .reopened(duration: 8 * Self.second))
        for endpoint in [Self.impatient, Self.other] {
            #expect(admit(&breaker, endpoint, at: 17) == .refused(retryAfter: 8 * Self.second))
        }
        #expect(admit(&breaker, Self.impatient, at: 25) == .probe)
    }

    // MARK: The vote

    @Test("The endpoint with most of the time-outs is the suspect, whoever was first")
    func majority() {
        var vote = TimeoutVote(CircuitBreakerPolicy())
        #expect(vote.suspect == nil)
        let isFirst = vote.timedOut(Self.other, at: 0)
        #expect(isFirst && vote.suspect == Self.other)
        for _ in 1...9 { _ = vote.timedOut(Self.impatient, at: 0) }
        #expect(vote.suspect == Self.impatient)
        let changes = (1...5).map { _ in vote.timedOut(Self.other, at: 0) }
        #expect(changes == Array(repeating: false, count: 5))
        #expect(vote.suspect == Self.impatient)
    }

    @Test("However long one was the suspect, fewer time-outs than open a circuit make it another one")
    func succession() {
        var policy = CircuitBreakerPolicy()
        for calls in [1, 2, 8, 20] {
            policy.minimumCalls = calls
            var vote = TimeoutVote(policy)
            for _ in 1...1000 { _ = vote.timedOut(Self.impatient, at: 0) }
            for _ in 0...(calls / 4) { _ = vote.timedOut(Self.other, at: 0) }
            #expect(vote.suspect == Self.other)
        }
    }

    @Test("Without time-outs for the window, nobody is the suspect")
    func expiry() {
        var vote = TimeoutVote(CircuitBreakerPolicy())
        _ = vote.timedOut(Self.impatient, at: 5 * Self.second)
        vote.expire(at: 15 * Self.second)
        #expect(vote.suspect == Self.impatient)
        vote.expire(at: 15 * Self.second + 1)
        #expect(vote.suspect == nil)
        let isNew = vote.timedOut(Self.impatient, at: 16 * Self.second)
        #expect(isNew)
    }
}
