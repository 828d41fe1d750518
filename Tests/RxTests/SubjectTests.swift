import Rx
import RxTesting
import Testing

@Suite("Subjects", .noLeaks)
struct SubjectTests {
    @Test("A publish subject sends to those subscribed at that moment")
    func publish() {
        let subject = PublishSubject<Int>()
        let (early, late) = (Log<String>(), Log<String>())
        let first = early.record(subject)
        subject.onNext(1)
        let second = late.record(subject)
        subject.onNext(2)
        first.dispose()
        subject.onNext(3)
        #expect(subject.hasObservers)
        second.dispose()
        #expect(!subject.hasObservers)
        #expect(early.entries == ["1", "2"])
        #expect(late.entries == ["2", "3"])
    }

    @Test("After its end a publish subject sends the end only, and after disposal RxError.disposed")
    func publishEnd() {
        let failed = PublishSubject<Int>()
        failed.onError(TestError())
        failed.onNext(1)
        failed.onCompleted()
        #expect(events(failed) == ["error failed"])
        let disposed = PublishSubject<Int>()
        disposed.dispose()
        #expect(disposed.isDisposed)
        let log = Log<Bool>()
        _ = disposed.subscribe(onError: { if case RxError.disposed = $0 { log.add(true) } })
        #expect(log.entries == [true])
        // The end wins over the disposal.
        failed.dispose()
        #expect(events(failed) == ["error failed"])
    }

    @Test("A subject is an observer of other streams")
    func observer() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        _ = log.record(subject.map { $0 * 2 })
        _ = Observable.of(1, 2).subscribe(subject)
        #expect(log.entries == ["2", "4", "done"])
    }

    @Test("A behaviour subject starts with its value, and only ends after its end")
    func behaviour() throws {
        let subject = BehaviorSubject(value: 1)
        let log = Log<String>()
        let subscription = log.record(subject)
        subject.onNext(2)
        #expect(try subject.value() == 2)
        subject.onCompleted()
        #expect(try subject.value() == 2)
        #expect(events(subject) == ["done"])
        #expect(log.entries == ["1", "2", "done"])
        subscription.dispose()
        let failed = BehaviorSubject(value: 1)
        failed.onError(TestError())
        #expect(throws: TestError.self) { try failed.value() }
        #expect(events(failed) == ["error failed"])
        let disposed = BehaviorSubject(value: 1)
        disposed.dispose()
        #expect(throws: RxError.self) { try disposed.value() }
    }

    @Test("A replay subject replays the last values, also after its end", arguments: [0, 1, 2, 5])
    func replay(bufferSize: Int) {
        let subject = ReplaySubject<Int>.create(bufferSize: bufferSize)
        for value in 1...4 { subject.onNext(value) }
        subject.onError(TestError())
        #expect(events(subject) == (1...4).suffix(bufferSize).map { "\($0)" } + ["error failed"])
    }

    @Test("A replay subject lets go of the values that are too many, and of all when it is disposed")
    func replayReleases() {
        let census = Census()
        let subject = ReplaySubject<Tracked>.create(bufferSize: 2)
        for _ in 0..<5 { subject.onNext(Tracked(census)) }
        #expect(census.alive == 2)
        subject.dispose()
        #expect(census.alive == 0)
    }

    @Test("What ends with a value that a subject lets go of may come back to that subject")
    func reentrantRelease() {
        final class Returning: Sendable {
            let act: @Sendable () -> Void

            init(_ act: @escaping @Sendable () -> Void) { self.act = act }

            deinit { act() }
        }
        let ended = Shared(0)
        let behaviour = BehaviorSubject<Returning?>(value: nil)
        let replay = ReplaySubject<Returning?>.create(bufferSize: 1)
        let last = AsyncSubject<Returning?>()
        let act: @Sendable () -> Void = {
            ended.withLock { $0 += 1 }
            for subject in [behaviour, replay, last] as [Observable<Returning?>] {
                subject.subscribe(onError: { _ in }).dispose()
            }
        }
        for _ in 0..<2 {
            behaviour.onNext(Returning(act))
            replay.onNext(Returning(act))
            last.onNext(Returning(act))
        }
        #expect(ended.withLock { $0 } == 3)
        behaviour.onNext(nil)
        for subject in [behaviour, replay, last] as [any Cancelable] { subject.dispose() }
        #expect(ended.withLock { $0 } == 6)
    }

    @Test("An unbounded replay subject keeps everything, in order, for each subscriber")
    func replayAll() {
        let subject = ReplaySubject<Int>.createUnbounded()
        for value in 0..<1_000 { subject.onNext(value) }
        subject.onCompleted()
        for _ in 0..<2 { #expect(events(subject) == (0..<1_000).map { "\($0)" } + ["done"]) }
    }

    @Test("Live values do not overtake the replay")
    func replayOrder() async {
        for _ in 0..<200 {
            let subject = ReplaySubject<Int>.createUnbounded()
            for value in 0..<50 { subject.onNext(value) }
            let log = Log<Int>()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for value in 50..<100 { subject.onNext(value) } }
                group.addTask { _ = subject.subscribe(onNext: { log.add($0) }) }
            }
            subject.onCompleted()
            #expect(log.entries == Array(0..<100))
        }
    }

    @Test("Subscribing and disposing while another thread sends loses no subscriber and leaks none")
    func subscribersCome() async {
        let subject = PublishSubject<Int>()
        let census = Census()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for value in 0..<20_000 { subject.onNext(value) } }
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<2_000 {
                        let tracked = Tracked(census)
                        let subscription = subject.subscribe(onNext: { _ in withExtendedLifetime(tracked) {} }
                        )
                        subscription.dispose()
                    }
                }
            }
        }
        #expect(!subject.hasObservers)
        #expect(census.alive == 0)
    }
}

@Suite("Sharing a subscription", .noLeaks)
struct ShareTests {
    /// A source that counts its subscriptions and is fed by a subject.
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

    @Test("The first subscriber connects, the last one disconnects, the next one connects anew")
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
        // The buffer is gone with the connection.
        let third = log.record(shared)
        #expect(log.entries == ["1", "1"])
        #expect(source.counts == [2, 1])
        third.dispose()
    }

    @Test("A completed source is subscribed to again by the next subscriber while connected")
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

    @Test("For ever: a later subscriber gets the stale value and a new connection, after the end only those")
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

    @Test("A synchronous source reaches its first subscriber whole")
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

    @Test("For ever: who comes while the source ends does not start it again")
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

    @Test("Subscribers that come and go on several threads leave no connection behind")
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
