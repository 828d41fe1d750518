import Dispatch
import Rx
import RxTesting
import Testing

/// Waits between attempts, in milliseconds.
@Suite("Backoff", .noLeaks)
struct BackoffTests {
    /// Returns the waits after the first failures and the bounds passed to the random source, in
    /// milliseconds.
    private func waits(
        _ backoff: Backoff, _ count: Int, random: (Int64) -> Int64 = { $0 }
    ) -> (waits: [Double], bounds: [Double]) {
        var previous: Int64 = 0
        var bounds: [Double] = []
        let waits = (1...count).map { failures in
            previous = backoff.nanoseconds(afterFailures: failures, previous: previous) { bound in
                bounds.append(Double(bound) / 1e6)
                return random(bound)
            }
            return Double(previous) / 1e6
        }
        return (waits, bounds)
    }

    @Test("Constant, linear and exponential bounds grow up to the cap")
    func growth() {
        #expect(waits(.none, 2).waits == [0, 0])
        #expect(waits(.constant(.milliseconds(7)), 3).waits == [7, 7, 7])
        #expect(
            waits(.linear(base: .milliseconds(10), cap: .milliseconds(35)), 5).waits == [10, 20, 30, 35, 35])
        #expect(
            waits(.exponential(base: .milliseconds(10), cap: .milliseconds(100), jitter: .none), 6).waits
                == [10, 20, 40, 80, 100, 100])
        #expect(
            waits(.exponential(base: .milliseconds(10), factor: 3, jitter: .none), 9).waits
                == [10, 30, 90, 270, 810, 2_430, 7_290, 21_870, 30_000], "the default cap is 30 s")
        #expect(
            waits(.exponential(base: .milliseconds(8), factor: 1.5, jitter: .none), 3).waits == [8, 12, 18])
        #expect(
            waits(.linear(base: .seconds(60)), 1).waits == [30_000], "the cap applies to the first wait too")
    }

    @Test("The wait stays within the cap after any number of failures, and a base of 0 never waits")
    func extremes() {
        let many = Int.max
        for backoff in [
            Backoff.linear(base: .seconds(1)), .exponential(base: .seconds(1), jitter: .none),
            .exponential(base: .seconds(1), factor: 1e300, jitter: .none),
        ] {
            #expect(
                backoff.nanoseconds(afterFailures: many, previous: 0, random: { $0 }) == 30_000_000_000)
        }
        let nothing = Backoff.exponential(base: .nanoseconds(0), jitter: .none)
        #expect(nothing.nanoseconds(afterFailures: many, previous: 0, random: { $0 }) == 0)
        let never = Backoff.exponential(base: .never, cap: .never, jitter: .decorrelated)
        #expect(never.nanoseconds(afterFailures: 9, previous: .max, random: { $0 }) == 1 << 62)
    }

    @Test("Full jitter draws from the whole bound, equal jitter from half of it")
    func jitter() {
        let full = waits(.exponential(base: .milliseconds(10)), 3) { $0 / 4 }
        #expect(full.bounds == [10, 20, 40])
        #expect(full.waits == [2.5, 5, 10])
        let equal = waits(.exponential(base: .milliseconds(10), jitter: .equal), 3) { $0 / 5 }
        #expect(equal.bounds == [5, 10, 20])
        #expect(equal.waits == [6, 12, 24])
        #expect(waits(.constant(.milliseconds(10), jitter: .full), 2) { _ in 0 }.waits == [0, 0])
    }

    @Test("Decorrelated jitter draws from the base to three times the previous wait, up to the cap")
    func decorrelated() {
        let backoff = Backoff.exponential(
            base: .milliseconds(10), cap: .milliseconds(200), jitter: .decorrelated)
        let high = waits(backoff, 5)
        #expect(high.bounds == [20, 80, 260, 590, 590])
        #expect(high.waits == [30, 90, 200, 200, 200])
        let low = waits(backoff, 3) { _ in 0 }
        #expect(low.bounds == [20, 20, 20])
        #expect(low.waits == [10, 10, 10])
        #expect(waits(.constant(.milliseconds(10), jitter: .decorrelated), 3).waits == [10, 10, 10])
    }

    @Test("Random results outside the bound are clamped")
    func held() {
        let backoff = Backoff.exponential(base: .milliseconds(10))
        #expect(waits(backoff, 2) { $0 * 9 }.waits == [10, 20])
        #expect(waits(backoff, 2) { _ in -1 }.waits == [0, 0])
    }

    @Test("Backoffs with equal waits are equal")
    func equality() {
        #expect(Backoff.none == .constant(.seconds(0)))
        #expect(Backoff.constant(.seconds(1)) == .constant(.milliseconds(1000)))
        #expect(Backoff.linear(base: .seconds(1)) != .exponential(base: .seconds(1), jitter: .none))
        #expect(Set([Backoff.none, .none, .constant(.seconds(1))]).count == 2)
    }
}
