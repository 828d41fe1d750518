import Resilience
import Testing

@Suite("The keys of a limit")
struct KeyedLimitsTests {
    /// One request in 100 ms, three at once.
    private let policy = RateLimitPolicy(count: 10, period: .seconds(1), burst: 3)
    private let step: Int64 = 100_000_000

    /// Spread over the shards.
    private func key(_ number: Int) -> LimitKey { LimitKey(UInt64(number), UInt64(number)) }

    private func allowed(_ limits: KeyedLimits, _ key: LimitKey, at now: Int64, of count: Int = 10) -> Int {
        (0..<count).filter { _ in limits.take(key, at: now).isAllowed }.count
    }

    @Test("Each key has its own count")
    func keys() {
        let limits = KeyedLimits(policy, maxKeys: 100)
        for number in 0..<50 { #expect(allowed(limits, key(number), at: 0) == 3) }
        #expect(limits.liveKeys == 50)
        for number in 0..<50 { #expect(allowed(limits, key(number), at: step) == 1) }
    }

    @Test("Keys that differ in either half are different", arguments: [LimitKey(1, 0), LimitKey(0, 1)])
    func halves(other: LimitKey) {
        let limits = KeyedLimits(policy, maxKeys: 100)
        #expect(allowed(limits, LimitKey(0, 0), at: 0) == 3)
        #expect(allowed(limits, other, at: 0) == 3)
    }

    // MARK: Room

    @Test("Beyond the most keys, new ones share one count, and known ones keep theirs")
    func shared() {
        let limits = KeyedLimits(policy, maxKeys: 20)
        for number in 0..<20 { #expect(limits.take(key(number), at: 0).isShared == false) }
        let strangers = (20..<40).map { limits.take(key($0), at: 0) }
        #expect(strangers.allSatisfy { $0.isShared })
        let allowed = strangers.filter(\.isAllowed).count
        #expect(allowed == 3)
        #expect(limits.liveKeys == 20)
        for number in 0..<20 { #expect(self.allowed(limits, key(number), at: 0) == 2) }
    }

    @Test("A key that is full again makes room for a new one, in whatever shard it is")
    func room() {
        let limits = KeyedLimits(policy, maxKeys: 2)
        _ = limits.take(key(0), at: 0)
        _ = allowed(limits, key(1), at: 0)
        #expect(limits.take(key(2), at: step - 1).isShared)
        #expect(!limits.take(key(2), at: step).isShared)
        #expect(limits.take(key(3), at: step).isShared)
        #expect(limits.liveKeys == 2)
    }

    @Test("Full keys are removed by the requests of others, without a timer")
    func removal() {
        let limits = KeyedLimits(policy, maxKeys: 10_000)
        for number in 0..<10_000 { _ = limits.take(key(number), at: Int64(number)) }
        #expect(limits.liveKeys == 10_000)
        // Each request looks at four.
        for number in 10_000..<13_000 { _ = limits.take(key(number), at: 2 * step) }
        #expect(limits.liveKeys < 3100)
        #expect(!limits.take(key(20_000), at: 2 * step).isShared)
    }

    @Test("A key that is used again and again stays")
    func stays() {
        let limits = KeyedLimits(policy, maxKeys: 1)
        var now: Int64 = 0
        #expect(allowed(limits, key(0), at: now) == 3)
        for _ in 0..<1000 {
            now += step
            #expect(allowed(limits, key(0), at: now) == 1)
            #expect(limits.take(key(1), at: now).isShared)
        }
    }

    // MARK: Giving back

    @Test("A request that is given back was never counted, with a count of its own or a shared one")
    func giveBack() {
        let limits = KeyedLimits(policy, maxKeys: 1)
        for number in 0...1 {
            let key = key(number)
            let first = limits.take(key, at: 0)
            let second = limits.take(key, at: 0)
            let left = limits.giveBack(second, of: key, takenAt: 0, at: 0)
            #expect(left == first)
            #expect(allowed(limits, key, at: 0) == 2)
        }
    }

    @Test("A refusal has nothing to give back")
    func refusal() {
        let limits = KeyedLimits(policy, maxKeys: 1)
        _ = allowed(limits, key(0), at: 0)
        let refused = limits.take(key(0), at: 0)
        #expect(limits.giveBack(refused, of: key(0), takenAt: 0, at: 0) == refused)
        #expect(!limits.take(key(0), at: 0).isAllowed)
    }

    @Test("A key that was removed meanwhile gets nothing back")
    func removedMeanwhile() {
        let limits = KeyedLimits(policy, maxKeys: 1)
        let taken = limits.take(key(0), at: 0)
        _ = limits.take(key(16), at: 5 * step)
        let left = limits.giveBack(taken, of: key(0), takenAt: 0, at: 5 * step)
        #expect(left.remaining == 3)
        #expect(limits.liveKeys == 1)
    }

    @Test("Requests that are always given back leave one key behind, and nothing else")
    func takenAndGivenBack() {
        let limits = KeyedLimits(policy, maxKeys: 10)
        for now in 0..<20_000 as Range<Int64> {
            let decision = limits.take(key(1), at: now)
            #expect(decision.isAllowed && decision.remaining == 2)
            limits.giveBack(decision, of: key(1), takenAt: now, at: now)
        }
        #expect(limits.liveKeys == 1)
    }

    // MARK: Clocks

    @Test("If time goes back, it stands still: nothing comes back, and nothing is refused that was left")
    func goingBack() {
        let limits = KeyedLimits(policy, maxKeys: 10)
        _ = limits.take(key(0), at: 100 * step)
        #expect(allowed(limits, key(0), at: 0) == 2)
        #expect(allowed(limits, key(16), at: .min) == 3)
        #expect(allowed(limits, key(16), at: 100 * step) == 0)
        #expect(allowed(limits, key(16), at: 101 * step) == 1)
    }

    @Test("The last year of time stops nothing", arguments: [Int64.max, .max - 1, GCRA.latest, .min])
    func extremes(now: Int64) {
        for policy in [policy, RateLimitPolicy(count: 1, period: .seconds(31 * 86_400), burst: 3)] {
            let limits = KeyedLimits(policy, maxKeys: 1)
            #expect(allowed(limits, key(0), at: now) == 3)
            #expect(allowed(limits, key(1), at: now) == 3)
            let decision = limits.take(key(2), at: now)
            limits.giveBack(decision, of: key(2), takenAt: now, at: .max)
        }
    }

    // MARK: Threads

    @Test("Threads together get exactly what one would get", arguments: [1, 7, 64])
    func threads(keyCount: Int) async {
        let policy = RateLimitPolicy(count: 500, period: .seconds(1))
        let limits = KeyedLimits(policy, maxKeys: 100)
        let allowed = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<200 * keyCount).filter { limits.take(key($0 % keyCount), at: 5).isAllowed }.count
                }
            }
            return await group.reduce(0, +)
        }
        #expect(allowed == 500 * keyCount)
        #expect(limits.liveKeys == keyCount)
    }

    @Test(
        "While eight threads make and remove keys, at most eight are beyond the most, and none afterwards"
    )
    func churn() async {
        let policy = RateLimitPolicy(count: 1000, period: .milliseconds(1), burst: 2)
        let limits = KeyedLimits(policy, maxKeys: 50)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    var numbers = SeededNumbers(UInt64(thread))
                    for now in 0..<5000 as Range<Int64> {
                        let key = key(.random(in: 0..<500, using: &numbers))
                        let decision = limits.take(key, at: now * 50)
                        if now % 3 == 0 {
                            limits.giveBack(decision, of: key, takenAt: now * 50, at: now * 50)
                        }
                        #expect(limits.liveKeys <= 50 + 8)
                    }
                }
            }
        }
        for number in 0..<500 { _ = limits.take(key(number), at: 1 << 40) }
        #expect(limits.liveKeys == 50)
    }

    // MARK: Model

    @Test(
        "Random requests are decided as by a model that remembers all of them",
        arguments: 0..<10 as Range<UInt64>)
    func model(seed: UInt64) {
        var numbers = SeededNumbers(seed)
        let policy = RateLimitPolicy(
            count: .random(in: 1...20, using: &numbers),
            period: .milliseconds(Int.random(in: 50...2000, using: &numbers)),
            burst: .random(in: 1...10, using: &numbers))
        let maxKeys = Int.random(in: 1...60, using: &numbers)
        let limits = KeyedLimits(policy, maxKeys: maxKeys)
        var histories: [LimitKey: RequestHistory] = [:]
        var shared = RequestHistory(policy)
        // One clock, as if a request had met all shards.
        var now: Int64 = 0
        var sharedCount = 0
        for _ in 0..<2500 {
            if Bool.random(using: &numbers) { now += .random(in: 0...(policy.step / 4), using: &numbers) }
            if Int.random(in: 0..<500, using: &numbers) == 0 { now += policy.capacity }
            let key = key(.random(in: 0..<100, using: &numbers))
            histories = histories.filter { $0.value.backlog(at: now) > 0 }
            let decision = limits.take(key, at: now)
            if histories[key] != nil || histories.count < maxKeys {
                let isAllowed = histories[key, default: RequestHistory(policy)].take(at: now)
                #expect(decision.isAllowed == isAllowed)
                #expect(!decision.isShared)
                #expect(decision.resetNanoseconds == histories[key]?.backlog(at: now))
            } else {
                #expect(decision.isShared)
                let isAllowed = shared.take(at: now)
                #expect(decision.isAllowed == isAllowed)
                #expect(decision.resetNanoseconds == shared.backlog(at: now))
                sharedCount += 1
            }
            #expect(limits.liveKeys <= maxKeys)
        }
        #expect(sharedCount > 0 || maxKeys > 30)
    }
}
