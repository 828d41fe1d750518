import Rx
import Testing

@testable import EventIO

@Suite("The timer wheel in virtual time")
struct TimerWheelTests {
    private final class Target: TimerTarget {
        let name: Int
        init(_ name: Int) { self.name = name }
        func timerFired(_ token: TimerToken) {}
    }

    private static let start = MonotonicTime(nanoseconds: 5_000_000_123)

    private static func fired(_ wheel: inout TimerWheel, at time: MonotonicTime) -> [Int] {
        wheel.advance(to: time)
        var names: [Int] = []
        while let (target, _) = wheel.takeDue() { names.append((target as? Target)?.name ?? -1) }
        return names
    }

    @Test("A timer fires within two ticks after its time, and not before")
    func doesNotFireEarly() {
        for milliseconds in [1, 2, 63, 64, 65, 4_095, 4_096, 4_097, 300_000, 86_400_000] as [Int64] {
            var wheel = TimerWheel(now: Self.start)
            let deadline = Self.start + .milliseconds(milliseconds)
            _ = wheel.set(at: deadline, target: Target(1))
            #expect(Self.fired(&wheel, at: deadline - .nanoseconds(1)) == [], "\(milliseconds) ms")
            #expect(Self.fired(&wheel, at: deadline + .nanoseconds(2 << 20)) == [1], "\(milliseconds) ms")
            #expect(wheel.count == 0)
        }
    }

    @Test("A timer set in the past is due at once")
    func pastIsDueAtOnce() {
        var wheel = TimerWheel(now: Self.start)
        let (_, due) = wheel.set(at: Self.start - .seconds(1), target: Target(1))
        #expect(due <= TimerWheel.tick(reached: Self.start))
        #expect(Self.fired(&wheel, at: Self.start) == [1])
    }

    @Test("A cancelled timer never fires, and its token becomes invalid")
    func cancelledNeverFires() {
        var wheel = TimerWheel(now: Self.start)
        let (first, _) = wheel.set(at: Self.start + .seconds(1), target: Target(1))
        #expect(wheel.cancel(first) != nil)
        #expect(wheel.cancel(first) == nil)
        let (second, _) = wheel.set(at: Self.start + .seconds(1), target: Target(2))
        #expect(second.index == first.index, "the node must be reused")
        #expect(wheel.cancel(first) == nil, "the old token must not cancel the new timer")
        #expect(wheel.cancel(TimerToken(index: 9_999, generation: 1)) == nil)
        #expect(Self.fired(&wheel, at: Self.start + .seconds(2)) == [2])
        #expect(wheel.cancel(second) == nil, "the timer has fired")
    }

    @Test("A due timer can be cancelled before it fires")
    func dueCanBeCancelled() {
        var wheel = TimerWheel(now: Self.start)
        _ = wheel.set(at: Self.start + .seconds(1), target: Target(1))
        let (second, _) = wheel.set(at: Self.start + .seconds(1), target: Target(2))
        wheel.advance(to: Self.start + .seconds(2))
        #expect((wheel.takeDue()?.target as? Target)?.name == 1)
        #expect(wheel.cancel(second) != nil)
        #expect(wheel.takeDue() == nil)
    }

    @Test("Timers of one tick fire in the order in which they were set")
    func equalTimesAreInOrder() {
        var wheel = TimerWheel(now: Self.start)
        let deadline = Self.start + .seconds(300)
        var expected: [Int] = []
        for step in 0..<600 {
            wheel.advance(to: Self.start + .milliseconds(Int64(step) * 500))
            _ = wheel.set(at: deadline, target: Target(step))
            expected.append(step)
        }
        #expect(Self.fired(&wheel, at: deadline + .milliseconds(3)) == expected)
    }

    @Test("Cancelling ten thousand equal timers leaves the wheel empty")
    func manyEqualTimeouts() {
        var wheel = TimerWheel(now: Self.start)
        var tokens: [TimerToken] = []
        for name in 0..<10_000 {
            tokens.append(wheel.set(at: Self.start + .seconds(10), target: Target(name)).token)
        }
        #expect(wheel.count == 10_000)
        for token in tokens { #expect(wheel.cancel(token) != nil) }
        #expect(wheel.count == 0)
        #expect(wheel.nextTick == nil)
    }

    @Test("nextTick is never later than the earliest timer")
    func nextTickIsNeverLate() {
        var wheel = TimerWheel(now: Self.start)
        var random = SplitMix(seed: 7)
        var earliest = MonotonicTime.distantFuture
        for name in 0..<2_000 {
            let deadline = Self.start + .nanoseconds(Int64(random.next() % 90_000_000_000_000))
            earliest = min(earliest, deadline)
            _ = wheel.set(at: deadline, target: Target(name))
            #expect((wheel.nextTick ?? .max) <= TimerWheel.tick(notBefore: earliest))
        }
    }

    @Test("The wheel agrees with a simple model through random operations", arguments: 1...8)
    func agreesWithAModel(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var wheel = TimerWheel(now: Self.start)
        var model: [Int: (token: TimerToken, deadline: MonotonicTime)] = [:]
        var now = Self.start
        for name in 0..<6_000 {
            switch random.next() % 4 {
            case 0, 1:
                // Delays from less than a tick to days, evenly distributed over the orders of magnitude.
                let span = Int64(random.next() % (1 << (10 + random.next() % 38)))
                let deadline = now + .nanoseconds(span)
                model[name] = (wheel.set(at: deadline, target: Target(name)).token, deadline)
            case 2:
                if let (key, entry) = model.min(by: { $0.key < $1.key }) {
                    #expect(wheel.cancel(entry.token) != nil)
                    model[key] = nil
                }
            default:
                now = now + .nanoseconds(Int64(random.next() % (1 << (10 + random.next() % 34))))
                for name in Self.fired(&wheel, at: now) {
                    guard let entry = model.removeValue(forKey: name) else {
                        Issue.record("timer \(name) fired twice or after it was cancelled")
                        continue
                    }
                    #expect(entry.deadline <= now, "the timer fired early")
                }
                let limit = now - .nanoseconds(2 << 20)
                #expect(model.values.allSatisfy { $0.deadline > limit }, "a timer is late")
            }
        }
        #expect(wheel.count == model.count)
    }

    @Test("A timer beyond the wheel's range stays set and does not fire early")
    func distantFuture() {
        var wheel = TimerWheel(now: Self.start)
        _ = wheel.set(at: .distantFuture, target: Target(1))
        #expect(Self.fired(&wheel, at: Self.start + .seconds(86_400 * 700)) == [])
        #expect(wheel.count == 1)
    }

    @Test("removeAll releases every target")
    func removeAll() {
        var wheel = TimerWheel(now: Self.start)
        weak var target: Target?
        do {
            let strong = Target(1)
            target = strong
            _ = wheel.set(at: Self.start + .seconds(1), target: strong)
        }
        #expect(target != nil)
        #expect(wheel.removeAll().count == 1)
        #expect(target == nil)
        #expect(wheel.count == 0)
    }
}

/// A random generator with a seed, which makes a failure reproducible.
struct SplitMix {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
