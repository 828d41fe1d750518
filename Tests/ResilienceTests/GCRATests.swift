import Resilience
import Testing

@Suite("The rate of one key")
struct GCRATests {
    /// One request in 100 ms, three at once.
    private let policy = RateLimitPolicy(count: 10, period: .seconds(1), burst: 3)
    private let step: Int64 = 100_000_000

    @Test("Requests beyond the burst are refused, and use up nothing")
    func burst() {
        var rate = GCRA(at: 0)
        let taken = (0..<3).map { _ in rate.take(policy, at: 0) }
        #expect(taken.allSatisfy { $0.isAllowed })
        #expect(taken.map(\.remaining) == [2, 1, 0])
        #expect(taken.map(\.resetNanoseconds) == [step, 2 * step, 3 * step])
        #expect(taken.allSatisfy { $0.retryNanoseconds == 0 })
        let before = rate
        for _ in 0..<5 {
            let refused = rate.take(policy, at: 0)
            #expect(!refused.isAllowed)
            #expect(refused.remaining == 0)
            #expect(refused.resetNanoseconds == 3 * step)
            #expect(refused.retryNanoseconds == step)
        }
        #expect(rate == before)
    }

    @Test("The next request is allowed when a refusal says so, and not a nanosecond before")
    func retry() {
        var rate = GCRA(at: 7)
        while rate.take(policy, at: 7).isAllowed {}
        let wait = rate.take(policy, at: 50_000_000).retryNanoseconds
        #expect(wait == 50_000_007)
        let due = 50_000_000 + wait
        let allowed = [due - 1, due, due].map { rate.take(policy, at: $0).isAllowed }
        #expect(allowed == [false, true, false])
    }

    @Test("After a pause the whole burst is back, and no more")
    func pause() {
        var rate = GCRA(at: 0)
        while rate.take(policy, at: 0).isAllowed {}
        #expect(!rate.isFull(at: 3 * step - 1))
        #expect(rate.isFull(at: 3 * step))
        let later = 1000 * step
        #expect(
            (0..<5).map { _ in rate.take(policy, at: later).isAllowed } == [true, true, true, false, false])
    }

    @Test(
        "In a long time as many are allowed as the policy says",
        arguments: [(3, 1000), (7, 1000), (100, 60_000), (999_983, 1_000_000)])
    func noDrift(count: Int, milliseconds: Int64) {
        let policy = RateLimitPolicy(count: count, period: .milliseconds(milliseconds), burst: 1)
        var rate = GCRA(at: 0)
        var now: Int64 = 0
        var allowed = 0
        // Always again as soon as a refusal says.
        let end = 50_000 * policy.step
        while now < end {
            let decision = rate.take(policy, at: now)
            if decision.isAllowed { allowed += 1 } else { now += decision.retryNanoseconds }
        }
        let exact = Double(end) * Double(count) / (Double(milliseconds) * 1e6)
        #expect(Double(allowed) >= exact - 1)
        #expect(Double(allowed) <= exact * 1.001 + 1)
    }

    // MARK: Giving back

    @Test("A request that was given back was never counted")
    func giveBack() {
        var rate = GCRA(at: 0)
        _ = rate.take(policy, at: 0)
        let before = rate
        let decision = rate.take(policy, at: 10)
        rate.giveBack(takenWithFullAt: 10 + decision.resetNanoseconds, policy, at: 10)
        #expect(rate == before)
    }

    @Test("What has come back by itself is not given back as well")
    func lateGiveBack() {
        var rate = GCRA(at: 0)
        let first = rate.take(policy, at: 0)
        // It is back after one step.
        _ = rate.take(policy, at: 5 * step)
        let before = rate
        rate.giveBack(takenWithFullAt: first.resetNanoseconds, policy, at: 5 * step)
        #expect(rate == before)
        // Half of it.
        var other = GCRA(at: 0)
        let half = other.take(policy, at: 0)
        other.giveBack(takenWithFullAt: half.resetNanoseconds, policy, at: step / 2)
        #expect(other.isFull(at: step / 2))
        #expect(!other.isFull(at: step / 2 - 1))
    }

    // MARK: Clocks

    @Test("While time stands still, the burst is all there is")
    func standingStill() {
        var rate = GCRA(at: 42)
        let allowed = (0..<1000).filter { _ in rate.take(policy, at: 42).isAllowed }.count
        #expect(allowed == 3)
    }

    @Test("If time goes back, requests are refused until it has caught up")
    func goingBack() {
        var rate = GCRA(at: 0)
        _ = rate.take(policy, at: 100 * step)
        let refused = rate.take(policy, at: 0)
        #expect(!refused.isAllowed)
        #expect(refused.remaining == 0)
        #expect(refused.retryNanoseconds == 99 * step)
        let next = rate.take(policy, at: 99 * step)
        #expect(next.isAllowed)
    }

    @Test("The ends of time stop nothing", arguments: [Int64.min, -1, 0, GCRA.latest - 1, GCRA.latest])
    func extremes(now: Int64) {
        let slowest = RateLimitPolicy(count: 1, period: .seconds(31 * 86_400), burst: 3)
        for policy in [policy, slowest] {
            for start in [Int64.min, 0, GCRA.latest] where start <= now {
                var rate = GCRA(at: start)
                let allowed = (0..<5).filter { _ in rate.take(policy, at: now).isAllowed }.count
                #expect(allowed == 3)
                rate.giveBack(takenWithFullAt: rate.fullAt, policy, at: now)
                let last = rate.take(policy, at: now)
                #expect(last.isAllowed)
                let earlier = rate.take(policy, at: .min)
                #expect(!earlier.isAllowed)
            }
        }
    }

    // MARK: Model

    @Test(
        "Random requests are decided as by a model that remembers all of them",
        arguments: 0..<10 as Range<UInt64>)
    func model(seed: UInt64) {
        var numbers = SeededNumbers(seed)
        let policy = RateLimitPolicy(
            count: .random(in: 1...50, using: &numbers),
            period: .milliseconds(Int.random(in: 50...5000, using: &numbers)),
            burst: .random(in: 1...30, using: &numbers))
        var rate = GCRA(at: 0)
        var history = RequestHistory(policy)
        var now: Int64 = 0
        for _ in 0..<2000 {
            let pause = Int64.random(in: 0...3, using: &numbers)
            now += pause == 0 ? 0 : Int64.random(in: 0...(pause * policy.step), using: &numbers)
            let backlog = history.backlog(at: now)
            let isAllowed = history.take(at: now)
            let decision = rate.take(policy, at: now)
            #expect(decision.isAllowed == isAllowed)
            let left = isAllowed ? backlog + policy.step : backlog
            #expect(decision.resetNanoseconds == left)
            #expect(decision.remaining == Int((policy.capacity - left) / policy.step))
            if isAllowed, Int.random(in: 0..<4, using: &numbers) == 0 {
                history.giveBackLast()
                rate.giveBack(takenWithFullAt: now + decision.resetNanoseconds, policy, at: now)
            }
        }
    }
}
