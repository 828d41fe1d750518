import Dispatch
import FoundationEssentials
import Rx
import RxTesting
import Testing

/// What a deadline does beyond what each operator is asked.
@Suite("Deadlines", .noLeaks)
struct DeadlineTests {
    private let scheduler = TestScheduler()

    @Test("The whole stream is bounded, however often it sends, and its source is disposed at the deadline")
    func bounds() {
        let source = Source("aaaaaaaaaaaaaa|", scheduler)
        let output = scheduler.marbles(
            of: source.observable.timeout(at: scheduler.frames(3), scheduler: scheduler))
        // The timer was set before the source was subscribed to.
        #expect(output == "aaa#{Sequence timeout.}")
        #expect(source.subscriptions == ["^--!"])
        #expect(scheduler.pendingCount == 0)
    }

    @Test("A deadline that has passed fails without subscribing, or subscribes to the other alone")
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

    @Test("What goes on after the deadline is not bounded by it, and is stopped with the subscription")
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

    @Test("Its end and its disposal cancel the timer, and one for ever is none")
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

    @Test("A deadline that comes while a single's value is delivered does not come between that and the end")
    func whileDelivered() {
        let stream = Single.just("a").timeout(at: scheduler.frames(2), scheduler: scheduler)
            .map { [scheduler] value in
                scheduler.advance(by: .milliseconds(3 * frame))
                return value
            }
        #expect(events(stream.asObservable()) == ["a", "done"])
        #expect(scheduler.pendingCount == 0)
    }

    @Test("Attempts share one deadline, where a timeout is each one's own")
    func attempts() {
        let source = Source("--#", scheduler)
        let stream = source.observable.retry().timeout(at: scheduler.frames(5), scheduler: scheduler)
        #expect(scheduler.marbles(of: stream) == "-----#{Sequence timeout.}")
        #expect(source.subscriptions == ["^-!", "--^-!", "----^!"])
    }

    @Test("Traits and infallible streams have deadlines too")
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

    @Test("A single's value and its deadline at once: one result", .timeLimit(.minutes(1)))
    func race() async {
        let queue = ConcurrentDispatchQueueScheduler(qos: .default)
        for _ in 0..<500 {
            let results = Shared(0)
            await withCheckedContinuation { continuation in
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
