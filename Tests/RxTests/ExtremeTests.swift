import Dispatch
@_spi(Demand) import Rx
import RxTesting
import TestWaiting
import Testing

/// A trap would end the process of these tests.
@Suite("No number and no time stops the program", .noLeaks)
struct ExtremeTests {
    @Test("Operators accept every number and time", arguments: extremeOperators, Extreme.all)
    func operators(_ use: ExtremeCase, _ extreme: Extreme) {
        use.use(extreme)
    }

    @Test("Retries accept every number and time", arguments: extremeSettings, Extreme.all)
    func settings(_ use: ExtremeCase, _ extreme: Extreme) {
        use.use(extreme)
    }

    @Test("Schedulers accept every number and time", arguments: extremeSchedulers, Extreme.all)
    func schedulers(_ use: ExtremeCase, _ extreme: Extreme) {
        use.use(extreme)
    }

    @Test("A negative period on a queue counts as 0")
    func negativePeriod() async throws {
        let ticked = Signal()
        let scheduler = SerialDispatchQueueScheduler(qos: .default, leeway: .milliseconds(-1))
        let subscription = Observable<Int>.interval(.milliseconds(-1), scheduler: scheduler)
            .filter { $0 == 2 }.take(1).subscribe(onCompleted: { ticked.fire() })
        try await ticked.wait()
        subscription.dispose()
    }

    @Test("A factor below 1 keeps the backoff constant, and a full bucket of tokens stays within its bounds")
    func clamped() {
        for factor in [0.5, 0, -1, -.infinity, .nan] {
            let backoff = Backoff.exponential(base: .nanoseconds(100), factor: factor, jitter: .none)
            #expect(backoff.nanoseconds(afterFailures: 5, previous: 0, random: { $0 }) == 100)
            #expect(backoff.nanoseconds(afterFailures: -5, previous: 0, random: { $0 }) == 100)
        }
        #expect(RetryTokenBucket(capacity: -1).balance == 0)
        #expect(RetryTokenBucket(capacity: .max).balance == 1_000_000_000)
        let none = RetryTokenBucket(capacity: 1, depositPerSuccess: .nan)
        #expect(none.takeRetry())
        none.succeeded()
        #expect(none.balance == 0)
    }

    @Test("If two tasks wait for a value at once, the second one's read fails and the first one's goes on")
    func twoReaders() async throws {
        let buffer = ValuesBuffer<Int>(highWatermark: 16, lowWatermark: 4)
        let values = try await withThrowingTaskGroup(of: Result<Int?, any Error>.self) { tasks in
            for _ in 0..<2 {
                tasks.addTask {
                    do { return .success(try await buffer.next()) } catch { return .failure(error) }
                }
            }
            let refused = try await tasks.next()
            #expect(throws: ConcurrentReadError()) { _ = try refused?.get() }
            buffer.send(7)
            return try await tasks.next()
        }
        #expect(try values?.get() == 7)
        buffer.send(8)
        #expect(try await buffer.next() == 8)
    }
}
