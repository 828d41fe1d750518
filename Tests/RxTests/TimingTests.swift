import Dispatch
import Rx
import RxTesting
import Testing

/// The behavior of operators that depend on time or another stream, beyond the common tests of
/// `OperatorTests`.
@Suite("Timing operators", .noLeaks)
struct TimingTests {
    @Test("flatMapFirst does not call its selector for dropped values")
    func flatMapFirstAsksOnce() {
        let scheduler = TestScheduler()
        let source = Source("abc---d-|", scheduler)
        let inner = Source("--x-|", scheduler)
        let asked = Log<String>()
        let output = scheduler.marbles(
            of:
                source.observable.flatMapFirst { value in
                    asked.add(value)
                    return inner.observable.map { value + $0 }
                })
        #expect(asked.entries == ["a", "d"])
        #expect(output == "--{ax}-----{dx}-|")
        #expect(inner.subscriptions == ["^---!", "------^---!"])
        #expect(source.subscriptions == ["^-------!"])
    }

    @Test("flatMapFirst can be cut short during an endless synchronous inner stream")
    func flatMapFirstEndless() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        let subscription = log.record(
            subject.flatMapFirst { Observable.repeatElement($0, scheduler: ImmediateScheduler.instance) }
                .take(3))
        subject.onNext(1)
        #expect(log.entries == ["1", "1", "1", "done"])
        #expect(!subject.hasObservers)
        subscription.dispose()
    }

    @Test("flatMapFirst passes on an inner error and disposes the source")
    func flatMapFirstFails() {
        let scheduler = TestScheduler()
        let source = Source("a----|", scheduler)
        let inner = Source("-x#", scheduler)
        #expect(scheduler.marbles(of: source.observable.flatMapFirst { _ in inner.observable }) == "-x#")
        #expect(source.subscriptions == ["^-!"])
    }

    @Test("amb mirrors the first stream to emit any event and disposes the other")
    func ambFollowsTheFirst() {
        for (left, right, expected, leftEnd, rightEnd) in [
            ("---a-|", "-b--#", "-b--#", "^!", "^---!"), ("-a-|", "--b|", "-a-|", "^--!", "^!"),
            ("--a", "-|", "-|", "^!", "^!"), ("--a", "-#", "-#", "^!", "^!"),
        ] {
            let scheduler = TestScheduler()
            let one = Source(left, scheduler)
            let other = Source(right, scheduler)
            #expect(scheduler.marbles(of: one.observable.amb(other.observable)) == expected)
            #expect(one.subscriptions == [leftEnd])
            #expect(other.subscriptions == [rightEnd])
            #expect(one.census.alive + other.census.alive == 0)
        }
    }

    @Test(
        "amb of many streams stops subscribing once one emits synchronously, and amb of no streams never ends"
    )
    func ambOfMany() {
        let scheduler = TestScheduler()
        let sources = ["---a|", "--b|", "-c--|"].map { Source($0, scheduler) }
        #expect(scheduler.marbles(of: Observable.amb(sources.map(\.observable))) == "-c--|")
        #expect(sources.map(\.subscriptions) == [["^!"], ["^!"], ["^---!"]])
        #expect(TestScheduler().marbles(of: Observable<Int>.amb([])) == "")
        let late = Source("-x|", scheduler)
        #expect(scheduler.marbles(of: Observable.amb([.just("now"), late.observable])) == "({now}|)")
        #expect(late.subscriptions == [])
    }

    @Test(
        "withLatestFrom drops values until the other stream sends one, and ignores its completion")
    func withLatestFromWaits() {
        let scheduler = TestScheduler()
        let source = Source("a--b-c--d-|", scheduler)
        let other = Source("--x-y-|", scheduler)
        #expect(
            scheduler.marbles(of: source.observable.withLatestFrom(other.observable) { $0 + $1 })
                == "---{bx}-{cy}--{dy}-|")
        #expect(source.subscriptions == ["^---------!"])
        #expect(other.subscriptions == ["^-----!"])
    }

    @Test(
        "withLatestFrom subscribes to the other stream first and fails with its error"
    )
    func withLatestFromOrder() {
        let log = Log<String>()
        let other = Observable.just("x").do(onSubscribe: { log.add("other") })
        let source = Observable.just("a").do(onSubscribe: { log.add("source") })
        #expect(events(source.withLatestFrom(other)) == ["x", "done"])
        #expect(log.entries == ["other", "source"])
        let scheduler = TestScheduler()
        let endless = Source("a-a-a-a", scheduler)
        #expect(
            scheduler.marbles(of: endless.observable.withLatestFrom(Source("x-#", scheduler).observable))
                == "x-#")
        #expect(endless.subscriptions == ["^-!"])
    }

    @Test("skip(until:) never completes if the trigger did not emit, and disposes both streams")
    func skipUntilSilent() {
        let scheduler = TestScheduler()
        let source = Source("-a-b|", scheduler)
        let trigger = Source("--|", scheduler)
        #expect(scheduler.marbles(of: source.observable.skip(until: trigger.observable)) == "")
        #expect(source.subscriptions == ["^---!"])
        #expect(trigger.subscriptions == ["^-!"])
        let another = TestScheduler()
        let late = Source("------x", another)
        #expect(another.marbles(of: Source("-a|", another).observable.skip(until: late.observable)) == "")
        #expect(late.subscriptions == ["^-!"], "the trigger is disposed with the source")
        let failing = Source("-#", another)
        #expect(
            another.marbles(of: Source("--a|", another).observable.skip(until: failing.observable)) == "-#")
    }

    @Test("sample emits its default if no new value arrived, and the latest value when the sampler completes")
    func sampleDefault() {
        let scheduler = TestScheduler()
        let source = Source("a-----b--|", scheduler)
        let sampler = Source("--t-t--|", scheduler)
        #expect(
            scheduler.marbles(of: source.observable.sample(sampler.observable, defaultValue: "0"))
                == "--a-0--b")
        let failing = Source("-#", scheduler)
        #expect(scheduler.marbles(of: Source("a", scheduler).observable.sample(failing.observable)) == "-#")
    }

    @Test("debounce waits until values stop, and disposal cancels its timer")
    func debounceRestarts() {
        let scheduler = TestScheduler()
        let source = Source("abcd---e-|", scheduler)
        #expect(
            scheduler.marbles(of: source.observable.debounce(.milliseconds(2 * frame), scheduler: scheduler))
                == "-----d---(e|)")
        let census = Census()
        do {
            let tracked = Tracked(census)
            let subject = PublishSubject<Int>()
            let subscription = subject.debounce(.seconds(1), scheduler: scheduler)
                .subscribe(onNext: { _ in withExtendedLifetime(tracked) {} })
            subject.onNext(1)
            subscription.dispose()
        }
        #expect(census.alive == 0, "the scheduler has released the timer")
    }

    @Test("The interval of throttle starts when a delivery ends")
    func throttleCountsFromDelivery() {
        let scheduler = ManualScheduler()
        let subject = PublishSubject<Int>()
        let seen = Log<String>()
        let throttled = subject.throttle(.milliseconds(10), latest: false, scheduler: scheduler)
        let subscription = throttled.subscribe(onNext: { value in
            seen.add("\(value)")
            // Simulates a slow subscriber.
            scheduler.advance(by: .milliseconds(8))
        })
        defer { subscription.dispose() }
        subject.onNext(1)
        scheduler.advance(by: .milliseconds(9))
        subject.onNext(2)
        scheduler.advance(by: .milliseconds(1))
        subject.onNext(3)
        #expect(seen.entries == ["1", "3"])
    }

    @Test("throttle with an infinite interval emits only the first value")
    func throttleNever() {
        let scheduler = TestScheduler()
        let source = Source("-a-b-#", scheduler)
        #expect(scheduler.marbles(of: source.observable.throttle(.never, scheduler: scheduler)) == "-a---#")
    }

    @Test("delaySubscription never subscribes if it is disposed before its delay has passed")
    func delayedSubscriptionDisposed() {
        let scheduler = TestScheduler()
        let source = Source("-a|", scheduler)
        let subscription = source.observable.delaySubscription(.seconds(1), scheduler: scheduler).subscribe()
        subscription.dispose()
        scheduler.advance(by: .seconds(2))
        #expect(source.subscriptions == [])
        #expect(source.census.alive == 0)
    }
}
