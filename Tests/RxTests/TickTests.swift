import Dispatch
import Rx
import RxTesting
import Testing

/// With RxSwift's test scheduler a piece of work of now runs a tick later, so that tests tell turns apart.
@Suite("The ticks of turns", .noLeaks)
struct TickTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test("delay and observe(on:) send a single's value and its completion a tick apart")
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

    @Test("Values that come together leave delay and observe(on:) a tick apart, in their order")
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

    @Test("subscribe(on:) leaves its source at its end, and a tick after it is disposed")
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

    @Test("In historical time what is due together comes at one time")
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

    @Test("delay is exact to the microsecond, also for values that come one after the other")
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

    @Test("Values that are fed back without a delay leave turns to other work of the queue")
    func fedBack() async {
        let queue = SerialDispatchQueueScheduler(qos: .default)
        let subject = PublishSubject<Int>()
        let isOver = Log<Int>()
        let subscription = subject.delay(.nanoseconds(0), scheduler: queue).subscribe(onNext: { value in
            if isOver.entries.isEmpty { subject.onNext(value + 1) }
        })
        subject.onNext(0)
        await withCheckedContinuation { done in
            _ = queue.schedule(()) {
                isOver.add(1)
                done.resume()
                return Disposables.create()
            }
        }
        subscription.dispose()
        #expect(isOver.entries == [1])
    }

    @Test("What a subscription has waiting is let go of when it is disposed, also between two turns")
    func letGo() {
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

    @Test("A scheduler that goes lets go of the work that waits, also where its disposable is kept")
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
