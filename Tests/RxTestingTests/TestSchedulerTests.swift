import Dispatch
import FoundationEssentials
import Locking
import Rx
import RxTesting
import Testing

@Suite("TestScheduler", .noLeaks)
struct TestSchedulerTests {
    @Test("By default, start creates at 100, subscribes at 200 and disposes at 1000")
    func defaults() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([
            .next(199, 0), .next(200, 1), .next(201, 2), .next(1_000, 3), .next(1_001, 4),
        ])
        let created = Lock(0)
        let result = scheduler.start {
            created.withLock { $0 = scheduler.clock }
            return source.map { $0 * 10 }
        }
        #expect(created.withLock { $0 } == 100)
        #expect(result.events == [.next(201, 20), .next(1_000, 30)])
        #expect(source.subscriptions == [Subscription(200, 1_000)])
    }

    @Test("start creates, subscribes and disposes at the given ticks")
    func times() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable(
            Recorded.events(.next(5, "a"), .next(10, "b"), .completed(20)))
        let result = scheduler.start(created: 3, subscribed: 4, disposed: 14) { source }
        #expect(result.events == [.next(9, "a")], "the disposal precedes other events of its tick")
        #expect(source.subscriptions == [Subscription(4, 14)])
        let whole = scheduler.start(created: 100, subscribed: 110, disposed: 200) { source }
        #expect(whole.events == [.next(115, "a"), .next(120, "b"), .completed(130)])
        #expect(source.subscriptions == [Subscription(4, 14), Subscription(110, 130)])
    }

    @Test("An error is recorded, and equals an error with the same description")
    func errors() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createColdObservable([.error(10, RxError.timeout, Int.self)])
        let result = scheduler.start { source }
        #expect(result.events == [.error(210, RxError.timeout)])
        #expect(result.events != [.error(210, RxError.unknown)])
        #expect(result.events != [.completed(210)])
        #expect(result.events != [.error(211, RxError.timeout)])
    }

    @Test("Work scheduled for the current tick runs a tick later unless the delay is switched off")
    func processingDelay() {
        for (simulates, tick) in [(true, 201), (false, 200)] {
            let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: simulates)
            let result = scheduler.start { Observable.just(1, scheduler: scheduler) }
            #expect(result.events.first == .next(tick, 1))
        }
    }

    @Test(
        "Absolute times are exact, including tick 0"
    )
    func absoluteTimes() {
        let scheduler = TestScheduler(initialClock: 0)
        let ticks = Lock<[Int]>([])
        scheduler.scheduleAt(0) { ticks.withLock { $0.append(scheduler.clock) } }
        let hot = scheduler.createHotObservable([.next(0, 1), .next(3, 2), .completed(5)])
        let heard = scheduler.createObserver(Int.self)
        let subscription = hot.asObservable().subscribe(heard)
        let cold = scheduler.createColdObservable([.next(0, 1), .completed(2)])
        let result = scheduler.start(created: 0, subscribed: 0, disposed: 10) { cold }
        #expect(ticks.withLock { $0 } == [0])
        #expect(heard.events == [.next(0, 1), .next(3, 2), .completed(5)])
        #expect(result.events == [.next(0, 1), .completed(2)])
        #expect(cold.subscriptions == [Subscription(0, 2)])
        subscription.dispose()
    }

    @Test("A periodic action runs before work that it scheduled for the same tick, as in RxSwift")
    func periodicTies() {
        let scheduler = TestScheduler(initialClock: 0)
        let result = scheduler.start(disposed: 215) {
            Observable<Int>.interval(.seconds(3), scheduler: scheduler)
                .debounce(.seconds(3), scheduler: scheduler)
        }
        #expect(result.events == [], "each value arrives before the previous one is due")
        let finite = TestScheduler(initialClock: 0)
        let last = finite.start {
            Observable<Int>.interval(.seconds(3), scheduler: finite).take(3)
                .debounce(.seconds(3), scheduler: finite)
        }
        #expect(last.events == [.next(209, 2), .completed(209)])
    }

    @Test("resolution sets the length of a tick, and frame sets the length of a frame of marbles")
    func resolution() {
        let tenths = TestScheduler(initialClock: 0, resolution: 0.1)
        let result = tenths.start { Observable<Int>.timer(.seconds(2), scheduler: tenths) }
        #expect(result.events == [.next(220, 0), .completed(220)])
        let frames = TestScheduler(frame: .milliseconds(5))
        frames.expect(Observable<Int>.timer(.milliseconds(20), scheduler: frames), sends: "----(0|)")
        #expect(frames.now.timeIntervalSince1970 == 0.5, "100 frames of 5 ms")
    }

    @Test("A timer that never fires does not overflow the clock")
    func never() {
        let scheduler = TestScheduler(initialClock: 0)
        let result = scheduler.record(Observable<Int>.timer(.never, scheduler: scheduler))
        #expect(result.events == [])
        #expect(scheduler.pendingCount == 0)
        #expect(scheduler.clock == 100)
    }

    @Test("A hot stream sends each event to its current observers")
    func hot() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(10, 1), .next(20, 2), .next(30, 3), .completed(40)])
        let first = scheduler.createObserver(Int.self)
        let second = scheduler.createObserver(Int.self)
        let bag = CompositeDisposable()
        scheduler.scheduleAt(15) { _ = bag.insert(source.asObservable().subscribe(first)) }
        scheduler.scheduleAt(25) { _ = bag.insert(source.asObservable().subscribe(second)) }
        scheduler.start()
        #expect(first.events == [.next(20, 2), .next(30, 3), .completed(40)])
        #expect(second.events == [.next(30, 3), .completed(40)])
        #expect(source.subscriptions == [Subscription(15, 40), Subscription(25, 40)])
        #expect(source.recordedEvents.count == 4)
    }

    @Test("A running subscription has no end")
    func lasting() throws {
        let scheduler = TestScheduler(frame: .milliseconds(1))
        let source = try scheduler.createColdObservable("-a")
        let subscription = source.asObservable().subscribe(scheduler.createObserver(String.self))
        #expect(source.subscriptions == [Subscription(0)])
        #expect(source.subscriptionMarbles == ["^"])
        #expect("\(source.subscriptions)" == "[(0 : Infinity)]")
        subscription.dispose()
        #expect(source.subscriptionMarbles == ["(^!)"])
        #expect(scheduler.pendingCount == 0)
    }

    @Test("elements lists the values without their ticks")
    func elements() {
        let scheduler = TestScheduler(initialClock: 0)
        let result = scheduler.start { Observable.of(1, 2, 3) }
        #expect(result.elements == [1, 2, 3])
        #expect("\(result.events)" == "[next(1) @ 200, next(2) @ 200, next(3) @ 200, completed @ 200]")
    }

    @Test("Events of Maybe and Completable can be compared")
    func traits() {
        #expect(MaybeEvent.success(1) == .success(1))
        #expect(MaybeEvent<Int>.completed != .error(TestError()))
        #expect(MaybeEvent<Int>.error(TestError("a")) != .error(TestError("b")))
        #expect(CompletableEvent.completed == .completed)
        #expect(CompletableEvent.error(TestError("a")) == .error(TestError("a")))
        #expect(CompletableEvent.error(TestError("a")) != .completed)
    }
}
