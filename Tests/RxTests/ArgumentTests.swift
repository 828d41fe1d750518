import Dispatch
import Rx
import RxTesting
import Testing

/// Numbers may come from untrusted input, so an invalid one must not stop the program.
@Suite("Invalid and extreme numbers", .noLeaks)
struct ArgumentTests {
    @Test("A negative count or a limit below 1 fails the stream without subscribing")
    func outOfRange() throws {
        let scheduler = TestScheduler()
        let source = try scheduler.createColdObservable("-a|")
        var policy = RetryPolicy(maxAttempts: 0)
        policy.backoff = .none
        let streams: [Observable<String>] = [
            source.take(-1), source.takeLast(-1), source.retry(-1), source.element(at: -1),
            source.retry(policy, scheduler: scheduler), source.share(replay: -1),
            source.share(replay: -1, timeToLive: .seconds(1), scheduler: scheduler),
            source.flatMap(maxConcurrent: 0) { Observable.just($0) },
            source.map { Observable.just($0) }.merge(maxConcurrent: 0),
            source.observe(on: scheduler, capacity: 0, overflow: .error),
            Observable.range(start: 0, count: -1).map { "\($0)" },
        ]
        for stream in streams {
            scheduler.expect(stream, sends: "#{\(RxError.argumentOutOfRange)}")
        }
        #expect(source.subscriptions == [])
    }

    @Test("A replay subject with a negative buffer size fails")
    func replays() {
        let subject = ReplaySubject<Int>.create(bufferSize: -1)
        subject.onNext(1)
        #expect(events(subject) == ["error \(RxError.argumentOutOfRange)"])
    }

    @Test("A count of 0 is valid for take, retry, takeLast and share")
    func none() throws {
        let scheduler = TestScheduler()
        let source = try scheduler.createColdObservable("-a|")
        for stream in [source.take(0), source.retry(0)] { scheduler.expect(stream, sends: "|") }
        #expect(source.subscriptions == [])
        scheduler.expect(source.takeLast(0), sends: "--|")
        scheduler.expect(source.share(replay: 0), sends: "-a|")
    }

    @Test("An infinite backoff plus an infinite Retry-After waits forever")
    func waits() {
        let scheduler = TestScheduler()
        var policy = RetryPolicy(maxAttempts: 2, backoff: .constant(.never))
        policy.retryAfter = { _ in .never }
        policy.longestRetryAfter = .never
        scheduler.expect(Observable<Int>.error(TestError()).retry(policy, scheduler: scheduler), sends: "")
    }

    @Test("Disposing scheduled work may dispose other scheduled work")
    func lastReference() {
        let scheduler = TestScheduler()
        let work = SerialDisposable()
        do {
            let bag = DisposeBag()
            scheduler.scheduleRelative((), dueTime: .seconds(1)) { Disposables.create() }.disposed(by: bag)
            work.disposable = scheduler.scheduleRelative((), dueTime: .seconds(1)) {
                withExtendedLifetime(bag) {}
                return Disposables.create()
            }
        }
        #expect(scheduler.pendingCount == 2)
        work.dispose()
        #expect(scheduler.pendingCount == 0)
    }
}
