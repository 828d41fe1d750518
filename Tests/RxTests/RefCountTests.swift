import Rx
import RxTesting
import Testing

@Suite("refCount", .noLeaks)
struct RefCountTests {
    private let scheduler = TestScheduler()

    @Test("The first subscriber connects, the last one disconnects, and the next one connects again")
    func counts() {
        let source = Source("-a-b-c-|", scheduler)
        let counted = source.observable.publish().refCount()
        let (log, other) = (Log<String>(), Log<String>())
        let first = log.record(counted)
        scheduler.at(2) { [scheduler] in
            let second = other.record(counted)
            scheduler.at(2) { second.dispose() }
        }
        scheduler.at(3) { first.dispose() }
        scheduler.at(6) { _ = log.record(counted) }
        scheduler.start()
        #expect(log.entries == ["a", "b", "a", "b", "c", "done"])
        #expect(other.entries == ["b"])
        #expect(source.subscriptions == ["^---!", "------^------!"])
    }

    @Test("The first subscriber receives all events of a synchronous source, which restarts after its end")
    func synchronous() {
        let counted = Observable.of(1, 2, 3).publish().refCount()
        #expect(events(counted) == ["1", "2", "3", "done"])
        #expect(events(counted) == ["1", "2", "3", "done"])
        #expect(events(Observable<Int>.error(TestError()).publish().refCount()) == ["error failed"])
        #expect(events(Observable<Int>.empty().replay(1).refCount()) == ["done"])
    }

    @Test("A subscriber that ends early stops a synchronous source")
    func enough() {
        let upstream = PublishSubject<Int>()
        #expect(events(upstream.startWith(7).publish().refCount().take(1)) == ["7", "done"])
        #expect(!upstream.hasObservers)
    }

    @Test("A shared subject that has ended is not connected again")
    func ended() {
        let source = Source("-a|", scheduler)
        let counted = source.observable.multicast(ReplaySubject<String>.create(bufferSize: 1)).refCount()
        #expect(scheduler.marbles(of: counted) == "-a|")
        #expect(scheduler.marbles(of: counted) == "(a|)")
        #expect(source.subscriptions == ["^-!"])
    }

    @Test("A manual connection ends with the last counted subscriber")
    func byHand() {
        let source = PublishSubject<Int>()
        let connectable = source.publish()
        _ = connectable.connect()
        let counted = connectable.refCount()
        let subscriptions = [counted.subscribe(), counted.subscribe()]
        subscriptions[0].dispose()
        #expect(source.hasObservers)
        subscriptions[1].dispose()
        #expect(!source.hasObservers)
    }

    @Test("Concurrent subscribers lose no connection and leave no connection behind")
    func churn() async {
        let source = PublishSubject<Int>()
        let counted = source.startWith(0).multicast { ReplaySubject<Int>.create(bufferSize: 1) }.refCount()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<1_000 { counted.subscribe().dispose() } }
            }
        }
        #expect(!source.hasObservers)
        let log = Log<String>()
        let subscription = log.record(counted)
        source.onNext(1)
        subscription.dispose()
        #expect(log.entries == ["0", "1"])
    }

    @Test("A subscriber that leaves does not disconnect a new one")
    func joinAgainstLeave() async {
        for _ in 0..<2_000 {
            let source = PublishSubject<Int>()
            let counted = source.publish().refCount()
            let first = counted.subscribe()
            let log = Log<Int>()
            let second = Shared<(any Disposable)?>(nil)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { first.dispose() }
                group.addTask {
                    let subscription = counted.subscribe(onNext: { log.add($0) })
                    second.withLock { $0 = subscription }
                }
            }
            source.onNext(1)
            #expect(log.entries == [1])
            second.withLock { $0 }?.dispose()
            #expect(!source.hasObservers)
        }
    }

    @Test("A custom connectable stream can be reference-counted")
    func foreign() async {
        for _ in 0..<500 {
            let foreign = Foreign()
            let counted = foreign.refCount()
            let log = Log<String>()
            let first = log.record(counted)
            let second = log.record(counted)
            #expect(foreign.connections.withLock { $0 } == 1)
            foreign.source.onNext(1)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { first.dispose() }
                group.addTask { second.dispose() }
                group.addTask { counted.subscribe().dispose() }
            }
            #expect(log.entries == ["1", "1"])
            #expect(!foreign.source.hasObservers)
            #expect(foreign.connections.withLock { $0 } == foreign.disconnections.withLock { $0 })
            _ = log.record(counted)
            foreign.source.onError(TestError())
            #expect(log.entries == ["1", "1", "error failed"])
            #expect(foreign.connections.withLock { $0 } == foreign.disconnections.withLock { $0 })
        }
    }

    private final class Foreign: ConnectableObservableType {
        typealias Element = Int

        let source = PublishSubject<Int>()
        let connections = Shared(0)
        let disconnections = Shared(0)

        func connect() -> any Disposable {
            connections.withLock { $0 += 1 }
            return Disposables.create { [self] in disconnections.withLock { $0 += 1 } }
        }

        func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
        where Observer.Element == Int {
            source.subscribe(observer)
        }
    }
}
