import Rx
import RxTesting
import Testing

@Suite("share", .noLeaks)
struct ShareTests {
    /// A source that is fed by a subject and counts its subscriptions.
    final class Counted: Sendable {
        let subject = PublishSubject<Int>()
        let subscribed = Shared(0)
        let disposed = Shared(0)

        var observable: Observable<Int> {
            .create { [self] observer in
                subscribed.withLock { $0 += 1 }
                let inner = subject.subscribe(observer)
                return Disposables.create(
                    inner, Disposables.create { [self] in disposed.withLock { $0 += 1 } })
            }
        }

        var counts: [Int] { [subscribed.withLock { $0 }, disposed.withLock { $0 }] }
    }

    @Test("The first subscriber connects, the last one disconnects, and the next one connects again")
    func whileConnected() {
        let source = Counted()
        let shared = source.observable.share(replay: 1)
        let log = Log<String>()
        let first = log.record(shared)
        source.subject.onNext(1)
        let second = log.record(shared)
        #expect(source.counts == [1, 0])
        first.dispose()
        #expect(source.counts == [1, 0])
        second.dispose()
        #expect(source.counts == [1, 1])
        // The connection's buffer has been dropped.
        let third = log.record(shared)
        #expect(log.entries == ["1", "1"])
        #expect(source.counts == [2, 1])
        third.dispose()
    }

    @Test("With scope whileConnected, the next subscriber restarts a completed source")
    func afterCompletion() {
        let count = Shared(0)
        let shared = Observable<Int>.create { observer in
            observer.onNext(
                count.withLock { count in
                    count += 1
                    return count
                })
            observer.onCompleted()
            return Disposables.create()
        }.share(replay: 1)
        #expect(events(shared) == ["1", "done"])
        #expect(events(shared) == ["2", "done"])
    }

    @Test("With scope forever, a late subscriber receives the replay, and reconnects only before the end")
    func forever() {
        let source = Counted()
        let shared = source.observable.share(replay: 1, scope: .forever)
        let log = Log<String>()
        let first = log.record(shared)
        source.subject.onNext(1)
        first.dispose()
        #expect(source.counts == [1, 1])
        let second = log.record(shared)
        #expect(source.counts == [2, 1])
        source.subject.onNext(2)
        source.subject.onCompleted()
        second.dispose()
        #expect(log.entries == ["1", "1", "2", "done"])
        #expect(events(shared) == ["2", "done"])
        #expect(source.counts == [2, 2])
    }

    /// Subscribes to `stream` from one frame to another.
    private func observe(
        _ stream: Observable<String>, _ scheduler: TestScheduler, from start: Int, to end: Int
    ) -> Log<TestableObserver<String>> {
        let observers = Log<TestableObserver<String>>()
        scheduler.at(start) {
            let observer = scheduler.createObserver(String.self)
            observers.add(observer)
            let subscription = stream.subscribe(observer)
            scheduler.at(end - start) { subscription.dispose() }
        }
        return observers
    }

    @Test(
        "The scope and the buffer size define which values are replayed and when the source restarts",
        arguments: [
            // The first two subscribers overlap, the third comes after them, and the last one after the end.
            (SubjectLifetimeScope.whileConnected, 0, ["-a-b", "-b", "-a-b-c-|", "-a-b-c-|"]),
            (.whileConnected, 1, ["-a-b", "ab", "-a-b-c-|", "-a-b-c-|"]),
            (.whileConnected, 2, ["-a-b", "ab", "-a-b-c-|", "-a-b-c-|"]),
            (.forever, 0, ["-a-b", "-b", "-a-b-c-|", "|"]),
            (.forever, 1, ["-a-b", "ab", "ba-b-c-|", "(c|)"]),
            (.forever, 2, ["-a-b", "ab", "(ab)a-b-c-|", "(bc|)"]),
        ])
    func inTime(_ scope: SubjectLifetimeScope, _ replay: Int, _ expected: [String]) {
        let scheduler = TestScheduler()
        let source = Source("-a-b-c-|", scheduler)
        let shared = source.observable.share(replay: replay, scope: scope)
        let observers = [(0, 4), (2, 4), (6, 40), (20, 40)].map { start, end in
            observe(shared, scheduler, from: start, to: end)
        }
        scheduler.start()
        for (observer, marbles) in zip(observers, expected) { observer.entries[0].expect(marbles) }
        let subscriptions = ["^---!", "------^------!", "--------------------^------!"]
        #expect(source.subscriptions == Array(subscriptions.prefix(scope == .forever ? 2 : 3)))
    }

    @Test("The first subscriber receives all events of a synchronous source")
    func synchronous() {
        #expect(events(Observable.of(1, 2, 3).share()) == ["1", "2", "3", "done"])
    }

    @Test("Concurrent first subscribers connect once")
    func concurrent() async {
        for _ in 0..<200 {
            let source = Counted()
            let shared = source.observable.share(replay: 1)
            let bag = DisposeBag()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { shared.subscribe().disposed(by: bag) } }
            }
            #expect(source.counts == [1, 0])
            withExtendedLifetime(bag) {}
        }
    }

    @Test("With scope forever, a subscriber that races with the end does not restart the source")
    func foreverEnds() async {
        for _ in 0..<1_000 {
            let source = Counted()
            let shared = source.observable.share(replay: 1, scope: .forever)
            let log = Log<String>()
            _ = log.record(shared)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { source.subject.onError(TestError()) }
                for _ in 0..<2 { group.addTask { _ = log.record(shared) } }
            }
            #expect(log.entries == Array(repeating: "error failed", count: 3))
            #expect(source.counts == [1, 1])
        }
    }

    @Test("Concurrent subscribers leave no connection behind")
    func churn() async {
        let source = Counted()
        let shared = source.observable.share(replay: 1)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<1_000 { shared.subscribe().dispose() } }
            }
            group.addTask { for value in 0..<5_000 { source.subject.onNext(value) } }
        }
        let counts = source.counts
        #expect(counts[0] == counts[1])
        #expect(!source.subject.hasObservers)
    }
}
