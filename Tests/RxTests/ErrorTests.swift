import Dispatch
import Rx
import RxTesting
import Testing

@Suite("Errors, retries and timeouts", .noLeaks)
struct ErrorTests {
    @Test("catch handles only the first error")
    func catchOnce() {
        #expect(
            events(Observable<Int>.error(RxError.unknown).catch { _ in .error(TestError()) }) == [
                "error failed"
            ])
        #expect(
            events(Observable<Int>.error(RxError.unknown).catch { _ in throw TestError() }) == [
                "error failed"
            ])
    }

    @Test("catch disposes a running source when a closure in between throws")
    func catchStopsTheSource() {
        let scheduler = TestScheduler()
        let source = Source("-a-b-c-|", scheduler)
        let other = Source("--x-|", scheduler)
        let result = source.observable.map { _ -> String in throw TestError() }.catch { _ in other.observable
        }
        #expect(scheduler.marbles(of: result) == "---x-|")
        #expect(source.subscriptions == ["^!"])
    }

    @Test("retry(n) makes n attempts in total, one after the other")
    func retryCount() {
        let scheduler = TestScheduler()
        let source = Source("-a#", scheduler)
        #expect(scheduler.marbles(of: source.observable.retry(3)) == "-a-a-a#")
        #expect(source.subscriptions == ["^-!", "--^-!", "----^-!"])
    }

    @Test("retry(0) completes without subscribing, and retry(1) subscribes once")
    func retryEdges() {
        let count = Shared(0)
        let source = Observable<Int>.deferred {
            count.withLock { $0 += 1 }
            return .error(TestError())
        }
        #expect(events(source.retry(0)) == ["done"])
        #expect(count.withLock { $0 } == 0)
        #expect(events(source.retry(1)) == ["error failed"])
        #expect(count.withLock { $0 } == 1)
        #expect(events(source.retry(4)) == ["error failed"])
        #expect(count.withLock { $0 } == 5)
    }

    @Test("retry() repeats until an attempt succeeds or is disposed")
    func retryForever() {
        let count = Shared(0)
        let source = Observable<Int>.create { observer in
            let attempt = count.withLock { count in
                count += 1
                return count
            }
            if attempt < 100_001 { observer.onError(TestError()) } else { observer.onNext(attempt) }
            return Disposables.create()
        }
        let log = Log<String>()
        log.record(source.retry()).dispose()
        #expect(log.entries == ["100001"])
    }

    @Test("A late event of a failed attempt is ignored")
    func lateAnswer() {
        let observers = Shared<[AnyObserver<Int>]>([])
        let source = Observable<Int>.create { observer in
            observers.withLock { $0.append(observer) }
            return Disposables.create()
        }
        let log = Log<String>()
        let subscription = log.record(source.retry(3))
        observers.withLock { $0 }[0].onError(TestError())
        observers.withLock { $0 }[0].onNext(1)
        observers.withLock { $0 }[1].onNext(2)
        observers.withLock { $0 }[0].onCompleted()
        subscription.dispose()
        #expect(log.entries == ["2"])
        #expect(observers.withLock { $0.count } == 2)
        observers.withLock { $0 = [] }
    }

    @Test("retry(when:) calls its handler once and disposes each failed attempt before waiting")
    func retryWhen() {
        let scheduler = TestScheduler()
        let source = Source("-a#", scheduler)
        let handlers = Shared(0)
        let result = source.observable.retry { (errors: Observable<any Error>) in
            handlers.withLock { $0 += 1 }
            return errors.flatMap { _ in Observable<Int>.timer(.milliseconds(2 * frame), scheduler: scheduler)
            }.take(2)
        }
        // The notification stream completes right after its second value, so the third attempt is the last.
        #expect(scheduler.marbles(of: result) == "-a---a---a|")
        #expect(source.subscriptions == ["^-!", "----^-!", "--------^-!"])
        #expect(handlers.withLock { $0 } == 1)
    }

    @Test("retry(when:) with an error type passes on other errors")
    func retryWhenTyped() {
        let attempts = Shared(0)
        let source = Observable<Int>.deferred {
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            return .error(attempt < 3 ? TestError() : RxError.unknown)
        }
        #expect(
            events(source.retry { (errors: Observable<TestError>) in errors.map { _ in () } })
                == ["error Unknown error occurred."])
        #expect(attempts.withLock { $0 } == 3)
    }

    @Test("retry(when:) retries 100,000 times synchronously without deepening the stack")
    func retryWhenDeep() {
        let attempts = Shared(0)
        let source = Observable<Int>.deferred {
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            return attempt > 100_000 ? .just(attempt) : .error(TestError())
        }
        let result = onSmallStack {
            events(source.retry { (errors: Observable<any Error>) in errors.map { _ in () } })
        }
        #expect(result == ["100001", "done"])
    }

    @Test("timeout measures each gap from the subscription or the last delivery")
    func timeoutGap() {
        let scheduler = TestScheduler()
        let source = Source("--a--b-----c-|", scheduler)
        let result = source.observable.timeout(.milliseconds(3 * frame), scheduler: scheduler)
            .catchAndReturn("late")
        #expect(scheduler.marbles(of: result) == "--a--b--({late}|)")
        #expect(source.subscriptions == ["^-------!"])
        #expect(scheduler.pendingCount == 0)
    }

    @Test("timeout switches to the other stream and disposes the source")
    func timeoutOther() {
        let scheduler = TestScheduler()
        let source = Source("--a-----b-|", scheduler)
        let other = Source("-x-|", scheduler)
        #expect(
            scheduler.marbles(
                of:
                    source.observable.timeout(
                        .milliseconds(3 * frame), other: other.observable, scheduler: scheduler))
                == "--a---x-|")
        #expect(source.subscriptions == ["^----!"])
        #expect(source.census.alive == 0)
    }

    @Test("timeout leaves no timer behind, however the stream ends")
    func timeoutTimers() {
        for marbles in ["-a-|", "-a-#", "-a------"] {
            let scheduler = TestScheduler()
            let source = Source(marbles, scheduler)
            let subscription = source.observable.timeout(.seconds(10), scheduler: scheduler).subscribe()
            scheduler.advance(by: .milliseconds(5 * frame))
            subscription.dispose()
            #expect(scheduler.pendingCount == 0)
            #expect(source.census.alive == 0)
        }
    }

    @Test("delay shifts values, and passes an error on at once")
    func delayed() {
        let scheduler = TestScheduler()
        let source = Source("ab-c-#", scheduler)
        #expect(
            scheduler.marbles(of: source.observable.delay(.milliseconds(3 * frame), scheduler: scheduler))
                == "---ab#")
        #expect(scheduler.pendingCount == 0)
    }
}
