import Dispatch
import Rx
import RxTesting
import Testing

/// Tests when and in which order error-handling operators subscribe and dispose, besides their output.
@Suite("Subscriptions of error-handling operators", .noLeaks)
struct RecoveryLifetimeTests {
    private let scheduler = TestScheduler()

    private func cold(_ marbles: String) -> Source {
        Source(marbles, scheduler)
    }

    // MARK: catch

    @Test("catch subscribes to the other stream at the error and passes on that stream's error")
    func catching() {
        let asked = Log<String>()
        let (source, other) = (cold("-a-#"), cold("-x-#{second}"))
        let stream = source.observable.catch { error in
            asked.add("\(error)")
            return other.observable
        }
        scheduler.expect(stream, sends: "-a--x-#{second}")
        #expect(asked.entries == ["failed"])
        #expect(source.subscriptions == ["^--!"])
        #expect(other.subscriptions == ["---^--!"])
        let begin = scheduler.clock
        scheduler.expect(stream, sends: "-a--x", disposedAt: 5)
        #expect(other.subscriptions(from: begin).last == "---^-!")
    }

    @Test("A catch handler that throws fails the stream")
    func catchingThrows() {
        let source = cold("-a-#")
        scheduler.expect(
            source.observable.catch { _ in throw TestError("second") }, sends: "-a-#{second}")
        #expect(source.subscriptions == ["^--!"])
    }

    // MARK: retry(when:)

    @Test(
        "retry(when:) subscribes to its trigger first, and notifies it after disposing the attempt")
    func triggerOrder() {
        let log = Log<String>()
        let attempt = cold("-a#")
        let source = Observable<String>.create { observer in
            log.add("source")
            let subscription = attempt.observable.subscribe(observer)
            return Disposables.create {
                log.add("disposed")
                subscription.dispose()
            }
        }
        let stream = source.retry { (errors: Observable<any Error>) in
            log.add("handler")
            return errors.do(onNext: { _ in log.add("asked") }, onSubscribe: { log.add("trigger") }).take(2)
                .map { _ in () }
        }
        // The trigger completes with its second value, which still starts an attempt.
        scheduler.expect(stream, sends: "-a-a-a|")
        #expect(
            log.entries == [
                "handler", "trigger", "source", "disposed", "asked", "source", "disposed", "asked", "source",
                "disposed",
            ])
    }

    @Test(
        "The end of a retry(when:) trigger does not interrupt an attempt, and applies to the next failure"
    )
    func triggerEnds() {
        for (attempt, trigger, output) in [
            ("-a------#", "---|", "-a------|"), ("-a------#", "---#{second}", "-a------#{second}"),
            ("-a------|", "---|", "-a------|"), ("-a------|", "---#{second}", "-a------|"),
        ] {
            let begin = scheduler.clock
            let (source, other) = (cold(attempt), cold(trigger))
            scheduler.expect(
                source.observable.retry { (_: Observable<any Error>) in other.observable }, sends: output)
            #expect(source.subscriptions(from: begin) == ["^-------!"])
            #expect(other.subscriptions(from: begin) == ["^--!"])
        }
        let begin = scheduler.clock
        let (source, other) = (cold("-a-|"), cold(""))
        scheduler.expect(
            source.observable.retry { (_: Observable<any Error>) in other.observable }, sends: "-a-|")
        #expect(source.subscriptions(from: begin) == ["^--!"])
        #expect(other.subscriptions(from: begin) == ["^--!"], "the trigger is disposed with the source")
    }

    @Test("retry(when:) drops trigger values while an attempt is running")
    func triggerIsEarly() {
        let (source, other) = (cold("-a-b---#"), cold("--x-x------x"))
        scheduler.expect(
            source.observable.retry { (_: Observable<any Error>) in other.observable },
            sends: "-a-b--------a-b---", disposedAt: 17)
        #expect(source.subscriptions == ["^------!", "-----------^-----!"])
    }

    @Test("retry(when:) emits the value of the last attempt that its trigger allows")
    func lastAttempt() {
        let log = Log<Int>()
        let source = Observable<Int>.create { observer in
            log.add(1)
            observer.on(log.entries.count < 4 ? .error(TestError("again")) : .next(42))
            return Disposables.create()
        }
        let heard = Log<Int>()
        _ = source.take(1).retry { (errors: Observable<any Error>) in errors.take(3) }.subscribe(
            onNext: { heard.add($0) }, onError: { _ in heard.add(-1) })
        #expect(heard.entries == [42])
        #expect(log.entries.count == 4)
    }

    @Test("retry(when:) has no subscription to its source while waiting, and disposal ends the wait")
    func triggerWaits() {
        let source = cold("-#")
        let stream = source.observable.retry { (errors: Observable<any Error>) in
            errors.flatMap { [scheduler] error -> Observable<Int> in
                .timer(.milliseconds(3 * frame), scheduler: scheduler)
            }
        }
        scheduler.expect(stream, sends: "", disposedAt: 6)
        #expect(source.subscriptions == ["^!", "----^!"])
        #expect(scheduler.pendingCount == 0)
    }

    @Test("retry(when:) with an error type passes on other errors and disposes its trigger")
    func triggerOfAType() {
        let (source, trigger) = (cold("-a#"), cold(""))
        let stream = source.observable.catch { _ in .error(RxError.unknown) }
            .retry { (_: Observable<TestError>) in trigger.observable }
        scheduler.expect(stream, sends: "-a#{Unknown error occurred.}")
        #expect(source.subscriptions == ["^-!"])
        #expect(trigger.subscriptions == ["^-!"])
    }

    // MARK: timeout

    @Test("timeout sets its timer before subscribing")
    func timeoutBegins() {
        let pending = Log<Int>()
        let stream = Observable<Int>.create { [scheduler] _ in
            pending.add(scheduler.pendingCount)
            return Disposables.create()
        }.timeout(.milliseconds(frame), scheduler: scheduler)
        scheduler.expect(stream, sends: "-#{Sequence timeout.}")
        #expect(pending.entries == [1])
    }

    @Test("timeout restarts after a delivery, so a slow subscriber extends it")
    func timeoutAfterDelivery() {
        let scheduler = ManualScheduler()
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        let subscription = subject.timeout(.milliseconds(10), scheduler: scheduler).subscribe(
            onNext: { value in
                log.add("\(value)")
                scheduler.advance(by: .milliseconds(8))
            }, onError: { log.add("\($0)") })
        scheduler.advance(by: .milliseconds(9))
        subject.onNext(1)
        // It is 17 ms now, so the next value is due by 27 ms.
        scheduler.advance(by: .milliseconds(9))
        subject.onNext(2)
        scheduler.advance(by: .milliseconds(9))
        #expect(log.entries == ["1", "2"])
        scheduler.advance(by: .milliseconds(1))
        #expect(log.entries == ["1", "2", "Sequence timeout."])
        #expect(!subject.hasObservers)
        subscription.dispose()
    }

    @Test("timeout subscribes to the other stream before disposing the source")
    func timeoutOrder() {
        let log = Log<String>()
        let source = cold("-a").observable.do(onDispose: { log.add("source disposed") })
        let other = cold("-x|").observable.do(onSubscribe: { log.add("other") })
        scheduler.expect(
            source.timeout(.milliseconds(2 * frame), other: other, scheduler: scheduler), sends: "-a--x|")
        #expect(log.entries == ["other", "source disposed"])
        #expect(scheduler.pendingCount == 0)
    }

    @Test(
        "Disposing timeout disposes its timer and the current stream")
    func timeoutDisposed() {
        let (source, other) = (cold("-a"), cold("-x"))
        let stream = source.observable.timeout(
            .milliseconds(3 * frame), other: other.observable, scheduler: scheduler)
        scheduler.expect(stream, sends: "-a", disposedAt: 2)
        #expect(source.subscriptions == ["^-!"])
        #expect(other.subscriptions == [])
        #expect(scheduler.pendingCount == 0)
        let begin = scheduler.clock
        scheduler.expect(stream, sends: "-a---x", disposedAt: 7)
        #expect(source.subscriptions(from: begin).last == "^---!")
        #expect(other.subscriptions(from: begin) == ["----^--!"])
        #expect(scheduler.pendingCount == 0)
    }

    @Test("timeout of a single limits the time until its value")
    func singleTimeout() {
        let (late, early) = (cold("---a|"), cold("-a|"))
        let bounded: (Source) -> Observable<String> = { [scheduler] in
            $0.observable.asSingle().timeout(.milliseconds(3 * frame), scheduler: scheduler).asObservable()
        }
        scheduler.expect(bounded(late), sends: "---#{Sequence timeout.}")
        #expect(late.subscriptions == ["^--!"])
        let begin = scheduler.clock
        scheduler.expect(bounded(early), sends: "--(a|)")
        #expect(early.subscriptions(from: begin) == ["^-!"])
        #expect(scheduler.pendingCount == 0)
    }
}
