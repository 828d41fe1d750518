import Resilience
import Testing

@Suite("The policy of a limit")
struct RateLimitPolicyTests {
    @Test(
        "A setting out of its range is named with the range",
        arguments: [
            (RateLimitPolicy(count: 0, period: .seconds(1)), "rate: 0 is not between 1 and 1000000"),
            (
                RateLimitPolicy(count: -1, period: .seconds(1), burst: 1),
                "rate: -1 is not between 1 and 1000000"
            ),
            (RateLimitPolicy(count: 1, period: .zero), "per: 0.0 seconds is not between 1 ms and 744 h"),
            (
                RateLimitPolicy(count: 1, period: .seconds(32 * 86_400)),
                "per: 2764800.0 seconds is not between 1 ms and 744 h"
            ),
            (
                RateLimitPolicy(count: 1, period: .seconds(1), burst: 0),
                "burst: 0 is not between 1 and 1000000"
            ),
            (
                RateLimitPolicy(count: 2000, period: .milliseconds(1)),
                "rate: it is above 1 000 000 a second"
            ),
            (
                RateLimitPolicy(count: 1, period: .seconds(86_400), burst: 101),
                "burst: 101 requests at this rate need more than 100 days to come back"
            ),
        ])
    func faults(policy: RateLimitPolicy, fault: String) {
        #expect(policy.faults.contains(fault), "\(policy.faults)")
    }

    @Test(
        "The slowest, the fastest and the largest policy have no fault",
        arguments: [
            RateLimitPolicy(count: 1, period: .seconds(31 * 86_400)),
            RateLimitPolicy(count: 1, period: .seconds(31 * 86_400), burst: 3),
            RateLimitPolicy(count: 1000, period: .milliseconds(1)),
            RateLimitPolicy(count: 1_000_000, period: .seconds(1), burst: 1_000_000),
            RateLimitPolicy(count: 1, period: .seconds(86_400), burst: 100),
            RateLimitPolicy(count: 1_000_000, period: .seconds(31 * 86_400), burst: 1_000_000),
        ])
    func extremes(policy: RateLimitPolicy) {
        #expect(policy.faults == [])
        #expect(policy.capacity == policy.step * Int64(policy.burst))
        // Programs that count in floating point count exactly.
        #expect(policy.capacity < 1 << 53)
    }

    @Test(
        "A policy with faults stops nothing",
        arguments: [Int.min, -1, 0, .max], [Duration.zero, .seconds(-1), .seconds(Int64.max)])
    func senseless(number: Int, period: Duration) {
        let policy = RateLimitPolicy(count: number, period: period, burst: number)
        #expect(policy.faults != [])
        var rate = GCRA(at: 0)
        let first = rate.take(policy, at: 0)
        #expect(first.isAllowed)
        _ = rate.take(policy, at: GCRA.latest)
    }

    @Test(
        "A step is the period divided by the count, and at most one part in a thousand too short",
        arguments: [(100, 60_000), (3, 1000), (7, 1000), (999_983, 1000), (1, 1), (997, 3_600_000)])
    func steps(count: Int, milliseconds: Int64) {
        let policy = RateLimitPolicy(count: count, period: .milliseconds(milliseconds))
        let exact = Double(milliseconds) * 1e6 / Double(count)
        #expect(Double(policy.step) <= exact)
        #expect(Double(policy.step) > exact - 1)
        #expect(exact / Double(policy.step) <= 1.001)
    }

    @Test(
        "The window is the time in which the burst comes back, in seconds rounded up",
        arguments: [
            (100, 60_000, 100, 60), (100, 60_000, 20, 12), (100, 1000, 10, 1), (3, 1000, 3, 1),
            (7, 1000, 7, 1),
            (1, 1500, 1, 2), (7, 60_000, 7, 60),
        ])
    func window(count: Int, milliseconds: Int64, burst: Int, seconds: Int64) {
        let policy = RateLimitPolicy(count: count, period: .milliseconds(milliseconds), burst: burst)
        #expect(policy.windowSeconds == seconds)
    }

    @Test(
        "Seconds are rounded up",
        arguments: [
            (Int64.min, Int64(0)), (-1, 0), (0, 0), (1, 1), (999_999_999, 1), (1_000_000_000, 1),
            (1_000_000_001, 2), (.max, 9_223_372_037),
        ])
    func rounding(nanoseconds: Int64, seconds: Int64) {
        #expect(RateLimitPolicy.seconds(nanoseconds) == seconds)
    }
}
