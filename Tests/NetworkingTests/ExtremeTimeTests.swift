import FoundationEssentials
import HTTPModel
import Locking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@testable import Networking

/// Tests that time arithmetic survives extreme values and clocks that jump.
@Suite("Extreme times")
struct ExtremeTimeTests {
    @Test("A duration beyond 292 years is clamped")
    func durations() {
        #expect(Duration(secondsComponent: .max, attosecondsComponent: 0).nanoseconds == .max)
        #expect(Duration(secondsComponent: .min, attosecondsComponent: 0).nanoseconds == .min)
        let last = Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 854_775_807_000_000_000)
        #expect(last.nanoseconds == .max)
        #expect((last + .nanoseconds(1)).nanoseconds == .max)
        #expect((last + .milliseconds(100)).nanoseconds == .max)
        #expect((.zero - last - .milliseconds(100)).nanoseconds == .min)
        #expect(Duration.milliseconds(-1500).nanoseconds == -1_500_000_000)
    }

    @Test("The time between two dates is clamped to 292 years")
    func dates() {
        let now = Date(timeIntervalSince1970: 1_795_000_000)
        func since(_ seconds: Double) -> Int64 {
            Date(timeIntervalSince1970: seconds).nanoseconds(since: now)
        }
        #expect(since(1_795_000_001.5) == 1_500_000_000)
        #expect(since(-2_208_988_800) < 0)
        #expect(since(253_402_300_799) == .max)
        #expect(since(1e300) == .max)
        #expect(since(-1e300) == .min)
        #expect(since(.infinity) == .max)
        #expect(since(-.infinity) == .min)
        #expect(since(.nan) == .max)
    }

    @Test(
        "A number is clamped to the range of Int64, and NaN is zero",
        arguments: [
            (1e300, Int64.max), (-1e300, .min), (.infinity, .max), (-.infinity, .min), (.nan, 0),
            (0x1p63, .max), (-0x1p63, .min), (0x1p63 - 1024, 9_223_372_036_854_774_784), (-0.9, 0), (1.9, 1),
        ] as [(Double, Int64)])
    func saturatedNumbers(_ number: Double, _ expected: Int64) {
        #expect(Int64(saturating: number) == expected)
    }

    @Test(
        "Retry-After never gives a delay out of range, for any digits, date or clock",
        arguments: [
            "0", "000000000000000000000000000001", "999999999", "1000000000", "9223372036854775807",
            "99999999999999999999999999999999", "-1", "1e9", "Fri, 31 Dec 9999 23:59:59 GMT",
            "Thu, 01 Jan 1970 00:00:00 GMT", "Mon, 01 Jan 1900 00:00:00 GMT", "Fri, 99 Dec 9999 99:99:99 GMT",
        ])
    func retryAfter(_ text: String) {
        let clocks = [
            0, -2_208_988_800, 253_402_300_799, -9.3e18, 9.3e18, 1e300, -1e300, .infinity, -.infinity, .nan,
        ]
        for date in [nil, "Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "never"]
            as [String?]
        {
            var fields: HTTPFields = [.retryAfter: text]
            if let date { fields.append(.date, date) }
            for clock in clocks {
                let delay = RetryAfter.delay(in: fields, now: clock)
                if let delay {
                    #expect(delay >= .zero && delay <= .seconds(1_000_000_000), "\(text) \(clock)")
                }
            }
        }
    }

    @Test("A retry budget accepts any number of calls and any percentage")
    func retryBudget() {
        for percentage in [Int.min, -1, 0, 20, .max] {
            for calls in [0, 1, 1000, Int.max] {
                var budget = RetryBudget(floor: 3, percentage: percentage)
                let isAllowed = budget.beginRetry(callsInFlight: calls)
                #expect(isAllowed, "the budget refused a retry below its floor")
            }
        }
    }

    @Test("A call ends even if the scheduler's clock jumps a century back or ahead")
    func jumpingClock() throws {
        for jump in [-3_155_760_000.0, 3_155_760_000, -1e300, 1e300] {
            for total in [Duration.seconds(10), .seconds(Int64.max), .seconds(Int64.min)] {
                let clock = JumpingClock()
                let transport = StubTransport(scheduler: clock)
                transport.answer(by: { _ in
                    clock.jump(by: jump)
                    return .failure(.connectionRefused, after: .seconds(1))
                })
                var policy = CallPolicy()
                policy.totalTimeout = total
                policy.retry.refusedLimit = .seconds(Int64.max)
                let provider = try Provider<Anything>(upstream: "any", transport: transport, policy: policy)
                let probe = Probe(provider.rx.request(Anything()))
                clock.time.advance(by: .seconds(3600))
                #expect(probe.networkError != nil, "\(jump) \(total)")
            }
        }
    }
}

/// A wall clock that can be set.
private final class JumpingClock: SchedulerType {
    let time = VirtualTime()
    private let offset = Lock(0.0)

    func jump(by seconds: Double) { offset.withLock { $0 += seconds } }

    var now: RxTime { time.now.addingTimeInterval(offset.withLock { $0 }) }

    func schedule<State: Sendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        time.schedule(state, action: action)
    }

    func scheduleRelative<State: Sendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        time.scheduleRelative(state, dueTime: dueTime, action: action)
    }

    func setTimer(after dueTime: RxTimeInterval, target: any TimerTarget) -> TimerToken {
        time.setTimer(after: dueTime, target: target)
    }

    func cancelTimer(_ token: TimerToken) { time.cancelTimer(token) }
}
