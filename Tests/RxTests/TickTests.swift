import Dispatch
import Rx
import RxTesting
import TestWaiting
import Testing

/// RxSwift's test scheduler runs work that is due now one tick later, so that tests can tell turns apart.
@Suite("Turns in virtual time", .noLeaks)
struct TickTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test("delay and observe(on:) deliver a single's value and completion one tick apart")
    func singles() {
        #expect(
            scheduler.start { Single.just(1).delay(.seconds(2), scheduler: scheduler).asObservable() }.events
                == [.next(202, 1), .completed(203)])
        #expect(
            restarted { scheduler in Single.just(1).observe(on: scheduler).asObservable() }
                == [.next(201, 1), .completed(202)])
        #expect(
            restarted { scheduler in
                Observable.just(1).observe(on: scheduler, capacity: 9, overflow: .error)
            } == [.next(201, 1), .completed(202)])
        #expect(
            restarted { scheduler in Maybe.just(1).delay(.seconds(2), scheduler: scheduler).asObservable() }
                == [.next(202, 1), .completed(203)])
        #expect(
            restarted { scheduler in Maybe.just(1).observe(on: scheduler).asObservable() }
                == [.next(201, 1), .completed(202)])
        #expect(
            restarted { scheduler in Maybe<Int>.empty().observe(on: scheduler).asObservable() }
                == [.completed(201)])
        #expect(
            restarted { scheduler in
                Single<Int>.error(TestError()).delay(.seconds(2), scheduler: scheduler).asObservable()
            } == [.error(200, TestError())])
    }

    @Test("delay and observe(on:) deliver simultaneous values one tick apart, in order")
    func together() {
        let expected: [Recorded<Event<Int>>] = [
            .next(212, 1), .next(213, 2), .next(214, 3), .next(220, 4), .completed(221),
        ]
        let play = { (build: (Observable<Int>, TestScheduler) -> Observable<Int>) in
            restarted { scheduler in
                let source = scheduler.createHotObservable([
                    .next(210, 1), .next(210, 2), .next(211, 3), .next(218, 4), .completed(218),
                ])
                return build(source.asObservable(), scheduler)
            }
        }
        #expect(play { $0.delay(.seconds(2), scheduler: $1) } == expected)
        #expect(
            play { $0.observe(on: $1) } == [
                .next(211, 1), .next(212, 2), .next(213, 3), .next(219, 4), .completed(220),
            ])
    }

    @Test("subscribe(on:) releases its source at once when it ends, and a tick after a disposal")
    func subscribing() {
        for (end, tick): (Recorded<Event<Int>>, TestTime) in [
            (.completed(220), 220), (.error(220, TestError()), 220), (.next(220, 2), 1001),
        ] {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createHotObservable([.next(210, 1), end])
            let result = scheduler.start { source.subscribe(on: scheduler) }
            #expect(result.events == [.next(210, 1), end])
            #expect(source.subscriptions == [Subscription(201, tick)])
        }
    }

    @Test("A HistoricalScheduler delivers simultaneous events at the same time")
    func historical() {
        let scheduler = HistoricalScheduler()
        let log = Log<Int>()
        let subscription = Observable.range(start: 1, count: 3).delay(.seconds(1), scheduler: scheduler)
            .observe(on: scheduler).subscribe(onNext: { log.add($0) }, onCompleted: { log.add(0) })
        scheduler.advance(by: .seconds(1))
        #expect(log.entries == [1, 2, 3, 0])
        subscription.dispose()
    }

    private func restarted(_ build: (TestScheduler) -> Observable<Int>) -> [Recorded<Event<Int>>] {
        let scheduler = TestScheduler(initialClock: 0)
        return scheduler.start { build(scheduler) }.events
    }

    @Test("delay is exact to the microsecond for each of several values")
    func exact() {
        let scheduler = ManualScheduler()
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        let subscription = subject.delay(.milliseconds(10), scheduler: scheduler).subscribe(onNext: {
            log.add("\($0) at \(scheduler.clock / 1_000)")
        })
        for value in 1...5 {
            subject.onNext(value)
            scheduler.advance(by: .microseconds(1_000 * value + 1))
        }
        scheduler.advance(by: .seconds(1))
        #expect(
            log.entries == ["1 at 10000", "2 at 11001", "3 at 13002", "4 at 16003", "5 at 20004"])
        subscription.dispose()
    }

    @Test("Values fed back with a delay of 0 let other work on the queue run")
    func fedBack() async throws {
        let queue = SerialDispatchQueueScheduler(qos: .default)
        let subject = PublishSubject<Int>()
        let isOver = Log<Int>()
        let subscription = subject.delay(.nanoseconds(0), scheduler: queue).subscribe(onNext: { value in
            if isOver.entries.isEmpty { subject.onNext(value + 1) }
        })
        subject.onNext(0)
        try await withDeadline("no other work ran") { done in
            _ = queue.schedule(()) {
                isOver.add(1)
                done.resume()
                return Disposables.create()
            }
        }
        subscription.dispose()
        #expect(isOver.entries == [1])
    }

    @Test("Disposal releases pending values, even between two turns")
    func disposalReleasesPendingValues() {
        final class Value: Sendable {}
        let scheduler = TestScheduler(initialClock: 0)
        let subject = PublishSubject<Value>()
        weak var last: Value?
        let subscription = subject.observe(on: scheduler).subscribe()
        do {
            let value = Value()
            last = value
            for _ in 0..<3 { subject.onNext(Value()) }
            subject.onNext(value)
        }
        scheduler.advanceTo(1)
        #expect(last != nil)
        subscription.dispose()
        #expect(last == nil)
        withExtendedLifetime(subject) {}
    }

    @Test("A deallocated scheduler releases its pending work, even if the disposable is kept")
    func schedulerGoes() {
        final class Value: Sendable {}
        weak var kept: Value?
        let work = SerialDisposable()
        do {
            let scheduler = ManualScheduler()
            let value = Value()
            kept = value
            work.disposable = scheduler.scheduleRelative((), dueTime: .seconds(1)) {
                withExtendedLifetime(value) { work.dispose() }
                return Disposables.create()
            }
        }
        #expect(kept == nil)
    }
}
