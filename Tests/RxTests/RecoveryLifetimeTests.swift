import Dispatch
import Rx
import RxTesting
import Testing

/// When operators that recover subscribe and dispose, and in which order, beside what they send.
@Suite("The lifetimes of attempts", .noLeaks)
struct RecoveryLifetimeTests {
    private let scheduler = TestScheduler()

    private func cold(_ marbles: String) -> Source {
        Source(marbles, scheduler)
    }

    // MARK: catch

    @Test("catch subscribes to the other stream where the error came, and lets that one's error pass")
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

    @Test("What catch's handler throws is the error, and nothing is subscribed to")
    func catchingThrows() {
        let source = cold("-a-#")
        scheduler.expect(
            source.observable.catch { _ in throw TestError("second") }, sends: "-a-#{second}")
        #expect(source.subscriptions == ["^--!"])
    }

    // MARK: retry(when:)

    @Test(
        "retry(when:) subscribes to its trigger before its source, and asks it once the attempt is disposed")
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
        "retry(when:) leaves an attempt alone whose trigger ends: its end is the stream's at the next failure"
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
        #expect(other.subscriptions(from: begin) == ["^--!"], "the end of the source is the trigger's")
    }

    @Test("retry(when:) drops what its trigger sends while no failure waits, and waits for its next value")
    func triggerIsEarly() {
        let (source, other) = (cold("-a-b---#"), cold("--x-x------x"))
        scheduler.expect(
            source.observable.retry { (_: Observable<any Error>) in other.observable },
            sends: "-a-b--------a-b---", disposedAt: 17)
        #expect(source.subscriptions == ["^------!", "-----------^-----!"])
    }

    @Test("retry(when:) gives the value of the last attempt that its trigger allows")
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

    @Test("retry(when:) waits for its trigger with nothing subscribed to, and disposal ends that wait")
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

    @Test("retry(when:) of an error type passes others at once, and disposes its trigger")
    func triggerOfAType() {
        let (source, trigger) = (cold("-a#"), cold(""))
        let stream = source.observable.catch { _ in .error(RxError.unknown) }
            .retry { (_: Observable<TestError>) in trigger.observable }
        scheduler.expect(stream, sends: "-a#{Unknown error occurred.}")
        #expect(source.subscriptions == ["^-!"])
        #expect(trigger.subscriptions == ["^-!"])
    }

    // MARK: timeout

    @Test("timeout sets its timer before it subscribes, so that the time it takes to subscribe counts")
    func timeoutBegins() {
        let pending = Log<Int>()
        let stream = Observable<Int>.create { [scheduler] _ in
            pending.add(scheduler.pendingCount)
            return Disposables.create()
        }.timeout(.milliseconds(frame), scheduler: scheduler)
        scheduler.expect(stream, sends: "-#{Sequence timeout.}")
        #expect(pending.entries == [1])
    }

    @Test("timeout's time counts from the end of a delivery: a slow consumer extends it")
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
        // 17 ms now: the next is due by 27.
        scheduler.advance(by: .milliseconds(9))
        subject.onNext(2)
        scheduler.advance(by: .milliseconds(9))
        #expect(log.entries == ["1", "2"])
        scheduler.advance(by: .milliseconds(1))
        #expect(log.entries == ["1", "2", "Sequence timeout."])
        #expect(!subject.hasObservers)
        subscription.dispose()
    }

    @Test("timeout subscribes to the other stream before it disposes the source")
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
        "Disposing a timeout's subscription disposes the source at once, or the other stream, and the timer")
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

    @Test("A Single's timeout bounds the time to its value, which its delivery does not extend")
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
