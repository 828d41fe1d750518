import Dispatch
import Locking
import Rx
import RxTesting
import Testing

/// Runs the tests of `OperatorTests` that apply to a factory: never, empty, values, error, disposal, a
/// closure that throws, and a second subscription.
@Suite("Factories", .noLeaks)
struct CreationTests {
    /// The marbles of two subscriptions to the same observable.
    private func twice(_ source: Observable<String>, disposedAt: Int = 40) -> [String] {
        let scheduler = TestScheduler()
        return [
            scheduler.marbles(of: source, disposedAt: disposedAt, frames: 40),
            scheduler.marbles(of: source, disposedAt: disposedAt, frames: 40),
        ]
    }

    /// The values that arrive if the observer disposes its subscription at the second one.
    private func valuesUntilDisposal(_ source: Observable<String>) -> [String] {
        let log = Log<String>()
        let subscription = SerialDisposable()
        // Inside a turn of the trampoline, so that the subscription is set before the first value arrives.
        _ = CurrentThreadScheduler.instance.schedule(()) {
            subscription.disposable = source.subscribe(
                onNext: { value in
                    log.add(value)
                    if log.entries.count == 2 { subscription.dispose() }
                }, onError: { log.add("error \($0)") }, onCompleted: { log.add("done") })
            return Disposables.create()
        }
        return log.entries
    }

    // MARK: create

    @Test("create delivers the events of its closure to each subscription")
    func create() {
        let begun = Shared(0)
        func made(_ send: @escaping @Sendable (AnyObserver<String>) -> Void) -> Observable<String> {
            .create { observer in
                begun.withLock { $0 += 1 }
                send(observer)
                return Disposables.create()
            }
        }
        #expect(twice(made { _ in }) == ["", ""])
        #expect(twice(made { $0.onCompleted() }) == ["|", "|"])
        #expect(
            twice(
                made { observer in
                    observer.onNext("a")
                    observer.onNext("b")
                    observer.onCompleted()
                }) == ["(ab|)", "(ab|)"])
        #expect(
            twice(
                made { observer in
                    observer.onNext("a")
                    observer.onError(TestError())
                }) == ["(a#)", "(a#)"])
        #expect(begun.withLock { $0 } == 8)
    }

    @Test("create ignores events after the terminal event")
    func createAfterItsEnd() {
        let source = Observable<String>.create { observer in
            observer.onNext("a")
            observer.onCompleted()
            observer.onNext("b")
            observer.onError(TestError())
            observer.onCompleted()
            return Disposables.create()
        }
        #expect(events(source) == ["a", "done"])
    }

    @Test("create disposes the closure's disposable once, on completion, error or disposal")
    func createDisposes() {
        for (event, expected) in [("|", "done"), ("#", "error failed"), ("!", "")] {
            let disposals = Shared(0)
            let census = Census()
            let kept = Log<AnyObserver<String>>()
            let log = Log<String>()
            let subscription: any Disposable
            do {
                let tracked = Tracked(census)
                subscription = log.record(
                    .create { observer in
                        kept.add(observer)
                        return Disposables.create {
                            withExtendedLifetime(tracked) {}
                            disposals.withLock { $0 += 1 }
                        }
                    })
            }
            #expect(census.alive == 1)
            switch event {
            case "|": kept.entries[0].onCompleted()
            case "#": kept.entries[0].onError(TestError())
            default: subscription.dispose()
            }
            subscription.dispose()
            kept.entries[0].onNext("late")
            #expect(log.entries == (expected.isEmpty ? [] : [expected]))
            #expect(disposals.withLock { $0 } == 1)
        }
    }

    @Test("create releases its closure with the subscription")
    func createFrees() {
        let census = Census()
        do {
            let tracked = Tracked(census)
            let subscription = Observable<String>.create { _ in
                withExtendedLifetime(tracked) {}
                return Disposables.create()
            }.subscribe()
            subscription.dispose()
        }
        #expect(census.alive == 0)
    }

    @Test("create leaves no retain cycle if its closure stores the observer")
    func createKeepsNoCircle() {
        final class Keeper: Sendable {
            let observers = Log<AnyObserver<String>>()
            let tracked: Tracked
            init(_ census: Census) { tracked = Tracked(census) }
        }
        let census = Census()
        do {
            let keeper = Keeper(census)
            let subscription = Observable<String>.create { observer in
                keeper.observers.add(observer)
                return Disposables.create()
            }.subscribe()
            #expect(census.alive == 1)
            subscription.dispose()
        }
        #expect(census.alive == 0)
    }

    // MARK: Other factories

    @Test("just(_:) emits its value and completes, and releases the value")
    func just() {
        #expect(twice(.just("a")) == ["(a|)", "(a|)"])
        let census = Census()
        _ = Observable.just(Tracked(census)).subscribe()
        #expect(census.alive == 0)
    }

    @Test("just(_:scheduler:) emits in a turn of the scheduler, and emits nothing after disposal")
    func justOnAScheduler() {
        let scheduler = TestScheduler()
        let source = Observable.just("a", scheduler: scheduler)
        let log = Log<String>()
        let first = log.record(source)
        #expect(log.entries.isEmpty)
        scheduler.advance(by: .milliseconds(frame))
        #expect(log.entries == ["a", "done"])
        first.dispose()
        log.record(source).dispose()
        scheduler.advance(by: .milliseconds(frame))
        #expect(log.entries == ["a", "done"])
    }

    @Test("empty() only completes")
    func empty() {
        #expect(twice(.empty()) == ["|", "|"])
    }

    @Test("never() emits nothing, and disposal releases its subscriber")
    func never() {
        #expect(twice(.never()) == ["", ""])
        let census = Census()
        do {
            let tracked = Tracked(census)
            let subscription = Observable<String>.never().subscribe(onCompleted: {
                withExtendedLifetime(tracked) {}
            })
            #expect(census.alive == 1)
            subscription.dispose()
        }
        #expect(census.alive == 0)
    }

    @Test("error(_:) sends only its error")
    func error() {
        #expect(twice(.error(TestError())) == ["#", "#"])
    }

    @Test("of(_:) emits its values and completes, and stops when disposed")
    func of() {
        #expect(twice(.of("a", "b", "c")) == ["(abc|)", "(abc|)"])
        #expect(valuesUntilDisposal(.of("a", "b", "c")) == ["a", "b"])
        let census = Census()
        _ = Observable.of(Tracked(census), Tracked(census)).subscribe()
        #expect(census.alive == 0)
    }

    @Test("from(array) emits its elements and completes")
    func fromAnArray() {
        #expect(twice(.from(["a", "b", "c"])) == ["(abc|)", "(abc|)"])
        #expect(twice(.from([String]())) == ["|", "|"])
        #expect(valuesUntilDisposal(.from(["a", "b", "c"])) == ["a", "b"])
        let census = Census()
        _ = Observable.from([Tracked(census)]).subscribe()
        #expect(census.alive == 0)
    }

    @Test("from(sequence) iterates anew for each subscription, and only as far as needed")
    func fromASequence() {
        #expect(twice(Observable<String>.from(Set(["a"]))) == ["(a|)", "(a|)"])
        #expect(twice(Observable<String>.from(Counting())) == ["(123|)", "(123|)"])
        #expect(valuesUntilDisposal(.from(Counting(upTo: .max))) == ["1", "2"])
    }

    /// Emits "1", "2" and so on.
    private struct Counting: Sequence, Sendable {
        var upTo = 3

        func makeIterator() -> AnyIterator<String> {
            var next = 0
            return AnyIterator {
                guard next < upTo else { return nil }
                next += 1
                return "\(next)"
            }
        }
    }

    @Test("from(optional:) emits the value, if any, and completes")
    func fromAnOptional() {
        #expect(twice(.from(optional: "a")) == ["(a|)", "(a|)"])
        #expect(twice(.from(optional: nil)) == ["|", "|"])
        let scheduler = ManualScheduler()
        let log = Log<String>()
        _ = log.record(Observable.from(optional: "a", scheduler: scheduler))
        #expect(log.entries == [])
        scheduler.start()
        #expect(log.entries == ["a", "done"])
    }

    @Test(
        "of(_:scheduler:) and from(_:scheduler:) emit in turns of the scheduler, and emit nothing after disposal"
    )
    func onAScheduler() {
        let scheduler = TestScheduler()
        for source in [
            Observable.of("a", "b", scheduler: scheduler), .from(["a", "b"], scheduler: scheduler),
        ] {
            let log = Log<String>()
            let subscription = log.record(source)
            #expect(log.entries.isEmpty)
            scheduler.advance(by: .milliseconds(frame))
            #expect(log.entries == ["a", "b", "done"])
            subscription.dispose()
            let second = log.record(source)
            second.dispose()
            scheduler.advance(by: .milliseconds(frame))
            #expect(log.entries == ["a", "b", "done"])
        }
    }
}
