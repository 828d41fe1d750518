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
}
