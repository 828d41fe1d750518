import Resilience
import Testing

@testable import GatewayConfig

@Suite("What a silent upstream does")
struct SilentUpstreamTests {
    private static let milliseconds = 1_000_000

    private static func silence(
        rate: Double, patience: Int = 4000, places: Int = 128, bound: String = "connections",
        wait: Int = 1000,
        latency: Int = 40, breaker: CircuitBreakerPolicy? = CircuitBreakerPolicy()
    ) -> SilentUpstream {
        SilentUpstream(
            [SilentUpstream.Flow(rate: rate, patience: patience * milliseconds)], succeeding: rate,
            latency: latency * milliseconds, places: (places, bound), wait: wait * milliseconds,
            breaker: breaker)
    }

    private static func isNear(_ time: Int?, _ milliseconds: Int) -> Bool {
        time.map { abs($0 / Self.milliseconds - milliseconds) <= 20 } ?? false
    }

    @Test("Its connections are taken once as many calls were made; those in flight before count")
    func taken() {
        // (128 - 100 * 0.04) / 100
        #expect(Self.isNear(Self.silence(rate: 100).taken, 1240))
        #expect(Self.silence(rate: 4000, places: 128).taken == 0)
    }

    @Test("If calls give up before the connections are taken, rate times patience is in flight")
    func held() {
        let silence = Self.silence(rate: 10, patience: 3000)
        #expect(silence.taken == nil)
        #expect((29...31).contains(silence.held))
    }

    @Test("The circuit opens once failures outweigh the successes that are still in its window")
    func opens() {
        // Failures from 2.96 s on, 10/s; successes until 9.5 s: 10 (t - 2.96) = 10 (9.5 - t).
        #expect(Self.isNear(Self.silence(rate: 10, patience: 3000).opens, 6230))
        // The first 128 fail from 3.96 s on, too few beside 426 successes. The next begin to fail at 7.96 s:
        // 128 + 100 (t - 7.96) = 100 (9.5 - t).
        #expect(Self.isNear(Self.silence(rate: 100).opens, 8090))
    }

    @Test("The circuit does not open with fewer attempts in the window than it needs, or without a breaker")
    func staysClosed() {
        #expect(Self.silence(rate: 1, patience: 3000).opens == nil)
        let without = Self.silence(rate: 100, breaker: nil)
        #expect(without.opens == nil && !without.hasCircuit)
        #expect(Self.isNear(without.taken, 1240))
    }

    @Test("A lower failure rate, and no calls before, open the circuit sooner")
    func policies() {
        var policy = CircuitBreakerPolicy()
        policy.failureRate = 0.1
        #expect(Self.isNear(Self.silence(rate: 10, patience: 3000, breaker: policy).opens, 3610))
        policy.failureRate = 0.5
        policy.window = .seconds(2)
        // No success is in the window of 2 s any more, so twenty failures are enough.
        #expect(Self.isNear(Self.silence(rate: 20, patience: 3000, breaker: policy).opens, 3960))
    }
}
