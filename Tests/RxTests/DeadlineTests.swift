import Dispatch
import FoundationEssentials
import Rx
import RxTesting
import TestWaiting
import Testing

/// The behavior of `timeout(at:)` beyond the common tests of `OperatorTests`.
@Suite("Deadlines", .noLeaks)
struct DeadlineTests {
    private let scheduler = TestScheduler()

    @Test("The deadline limits the whole stream, and disposes the source")
    func bounds() {
        let source = Source("aaaaaaaaaaaaaa|", scheduler)
        let output = scheduler.marbles(
            of: source.observable.timeout(at: scheduler.frames(3), scheduler: scheduler))
        // The deadline's timer was set first, so it precedes the source's event in the same frame.
        #expect(output == "aaa#{Sequence timeout.}")
        #expect(source.subscriptions == ["^--!"])
        #expect(scheduler.pendingCount == 0)
    }

    @Test("After the deadline, a subscriber receives only the other stream, or a timeout error")
    func passed() {
        scheduler.advance(by: .milliseconds(5 * frame))
        let source = Source("a|", scheduler)
        for past in [scheduler.frames(0), scheduler.frames(-5), Date.distantPast] {
            #expect(
                events(source.observable.timeout(at: past, scheduler: scheduler)) == [
                    "error Sequence timeout."
                ])
            #expect(
                events(
                    source.observable.timeout(at: past, other: Observable.of("x", "y"), scheduler: scheduler))
                    == ["x", "y", "done"])
        }
        #expect(source.subscriptions == [])
        #expect(scheduler.pendingCount == 0)
    }

    @Test("The other stream has no deadline, and is disposed with the subscription")
    func other() {
        let source = Source("-a------b|", scheduler)
        let other = Source("---x---y|", scheduler)
        let stream = source.observable.timeout(
            at: scheduler.frames(4), other: other.observable, scheduler: scheduler)
        #expect(scheduler.marbles(of: stream) == "-a-----x---y|")
        #expect(source.subscriptions == ["^---!"])
        #expect(other.subscriptions == ["----^-------!"])
        let second = TestScheduler()
        let late = Source("------z", second)
        let never = Observable<String>.never().timeout(
            at: second.frames(1), other: late.observable, scheduler: second)
        #expect(second.marbles(of: never, disposedAt: 3) == "")
        #expect(late.subscriptions == ["-^-!"])
    }

    @Test("The end of the stream or its disposal cancels the timer, and a distant deadline never fires")
    func cancelled() {
        for marbles in ["a|", "a#", "-|"] {
            let source = Source(marbles, scheduler)
            _ = scheduler.marbles(
                of:
                    source.observable.timeout(at: scheduler.frames(9), scheduler: scheduler), disposedAt: 2)
            #expect(scheduler.pendingCount == 0)
        }
        let subscription = Observable<Int>.never().timeout(at: scheduler.frames(9), scheduler: scheduler)
            .subscribe()
        #expect(scheduler.pendingCount == 1)
        subscription.dispose()
        #expect(scheduler.pendingCount == 0)
        let far = Source("-a|", scheduler)
        #expect(
            scheduler.marbles(of: far.observable.timeout(at: .distantFuture, scheduler: scheduler)) == "-a|")
    }

    @Test("A deadline that passes while a single's value is delivered does not suppress the completion")
    func whileDelivered() {
        let stream = Single.just("a").timeout(at: scheduler.frames(2), scheduler: scheduler)
            .map { [scheduler] value in
                scheduler.advance(by: .milliseconds(3 * frame))
                return value
            }
        #expect(events(stream.asObservable()) == ["a", "done"])
        #expect(scheduler.pendingCount == 0)
    }

    @Test("Retries share one deadline")
    func attempts() {
        let source = Source("--#", scheduler)
        let stream = source.observable.retry().timeout(at: scheduler.frames(5), scheduler: scheduler)
        #expect(scheduler.marbles(of: stream) == "-----#{Sequence timeout.}")
        #expect(source.subscriptions == ["^-!", "--^-!", "----^!"])
    }

    @Test("Traits and infallibles can have deadlines")
    func traits() {
        let forms: [@Sendable (TestScheduler) -> Observable<String>] = [
            { Observable.never().asSingle().timeout(at: $0.frames(2), scheduler: $0).asObservable() },
            { Observable.never().asMaybe().timeout(at: $0.frames(2), scheduler: $0).asObservable() },
            {
                Completable.never().timeout(at: $0.frames(2), scheduler: $0).asObservable().map {
                    _ -> String in
                }
            },
        ]
        for form in forms {
            let scheduler = TestScheduler()
            #expect(scheduler.marbles(of: form(scheduler)) == "--#{Sequence timeout.}")
        }
        let others: [@Sendable (TestScheduler) -> Observable<String>] = [
            { Single.never().timeout(at: $0.frames(2), other: .just("x"), scheduler: $0).asObservable() },
            { Maybe.never().timeout(at: $0.frames(2), other: .just("x"), scheduler: $0).asObservable() },
            {
                Infallible.never().timeout(at: $0.frames(2), other: Infallible.just("x"), scheduler: $0)
                    .asObservable()
            },
        ]
        for form in others {
            let scheduler = TestScheduler()
            #expect(scheduler.marbles(of: form(scheduler)) == "--(x|)")
        }
    }

    @Test("A race between a single's value and its deadline gives one result", .timeLimit(.minutes(1)))
    func race() async throws {
        let queue = ConcurrentDispatchQueueScheduler(qos: .default)
        for _ in 0..<500 {
            let results = Shared(0)
            try await withDeadline("\(results.withLock { $0 }) results, not disposed") { continuation in
                _ = Single<Int>.create { observer in
                    queue.scheduleRelative((), dueTime: .microseconds(50)) {
                        observer(.success(1))
                        return Disposables.create()
                    }
                }
                .timeout(at: queue.now.addingTimeInterval(50e-6), scheduler: queue)
                .subscribe(
                    onSuccess: { _ in results.withLock { $0 += 1 } },
                    onFailure: { _ in results.withLock { $0 += 1 } }, onDisposed: { continuation.resume() })
            }
            #expect(results.withLock { $0 } == 1)
        }
    }
}
