import Dispatch
import Locking
import Rx
import RxTesting
import Testing

extension TestScheduler {
    /// Runs `work` the given number of frames from now.
    func at(_ frame: Int, _ work: @escaping @Sendable () -> Void) {
        _ = scheduleRelative((), dueTime: .milliseconds(frame * RxTests.frame)) {
            work()
            return Disposables.create()
        }
    }
}

@Suite("Connectable streams", .noLeaks)
struct ConnectableTests {
    private let scheduler = TestScheduler()

    /// Returns the events that a subscriber between the frames `start` and `end` receives when `connectable`
    /// is connected in frame 2.
    private func play(
        _ connectable: ConnectableObservable<String>, from start: Int = 0, to end: Int = 40,
        disconnectAt disconnection: Int = 40
    ) -> String {
        scheduler.at(2) { [scheduler] in
            let connection = connectable.connect()
            scheduler.at(disconnection - 2) { connection.dispose() }
        }
        return scheduler.marbles(
            of:
                connectable.delaySubscription(.milliseconds(start * frame), scheduler: scheduler),
            disposedAt: end)
    }

    @Test("The source has no subscription before connect")
    func waits() {
        let source = Source("-a-b-c-|", scheduler)
        #expect(play(source.observable.publish()) == "---a-b-c-|")
        #expect(source.subscriptions == ["--^------!"])
        #expect(source.census.alive == 0)
    }

    @Test("publish does not replay to late subscribers")
    func late() {
        let source = Source("-a-b-c-|", scheduler)
        #expect(play(source.observable.publish(), from: 4) == "-----b-c-|")
    }

    @Test("replay and replayAll replay to late subscribers")
    func lateReplay() {
        for (buffer, expected) in [(1, "------bc-|"), (2, "------(ab)c-|"), (3, "------(ab)c-|")] {
            let scheduler = TestScheduler()
            let source = Source("-a-b-c-|", scheduler)
            let connectable = source.observable.replay(buffer)
            scheduler.at(2) { _ = connectable.connect() }
            let late = connectable.delaySubscription(.milliseconds(6 * frame), scheduler: scheduler)
            #expect(scheduler.marbles(of: late) == expected)
            #expect(source.subscriptions == ["--^------!"])
        }
        let source = Source("-a-b-c-|", scheduler)
        #expect(play(source.observable.replayAll(), from: 8) == "--------(abc)|")
    }

    @Test("An error ends the subscriptions, and the next connection starts over")
    func fails() {
        let source = Source("-a#", scheduler)
        let connectable = source.observable.replayAll()
        #expect(play(connectable) == "---a#")
        #expect(source.subscriptions == ["--^-!"])
        let log = Log<String>()
        let subscription = log.record(connectable)
        #expect(log.entries.isEmpty, "the previous connection is not replayed")
        _ = connectable.connect()
        scheduler.start()
        #expect(log.entries == ["a", "error failed"])
        subscription.dispose()
        #expect(source.census.alive == 1, "the observable is still retained here")
        withExtendedLifetime(connectable) {}
    }

    @Test("Disposing the connection stops the source without an event")
    func disconnects() {
        let source = Source("-a-b-c-|", scheduler)
        #expect(play(source.observable.publish(), disconnectAt: 6) == "---a-b")
        #expect(source.subscriptions == ["--^---!"])
        #expect(source.census.alive == 0)
    }

    @Test("A subscriber that leaves does not end the connection")
    func leaves() {
        let source = Source("-a-b-c-|", scheduler)
        #expect(play(source.observable.publish(), to: 4) == "---a")
        #expect(source.subscriptions == ["--^------!"])
    }

    @Test("Connecting twice returns the same connection, and connecting after its disposal returns a new one")
    func connectsOnce() {
        let source = Source("-a-b-c-|", scheduler)
        let connectable = source.observable.publish()
        let first = connectable.connect()
        let second = connectable.connect()
        #expect(first === second)
        #expect(source.subscriptions.count == 1)
        first.dispose()
        let third = connectable.connect()
        #expect(third !== first)
        second.dispose()
        #expect(source.subscriptions == ["(^!)", "^"], "an ended connection does not end the next one")
        third.dispose()
        #expect(source.subscriptions == ["(^!)", "(^!)"])
    }

    @Test("Subscribing and connecting during the completion makes a new connection")
    func reconnectsInTheEnd() {
        let log = Log<String>()
        let connectable = Observable.of(1).do(onDispose: { log.add("disposed") }).publish()
        _ = connectable.subscribe(onCompleted: {
            log.add("done")
            _ = log.record(connectable)
            log.add("again")
            _ = connectable.connect()
        })
        _ = connectable.connect()
        #expect(log.entries == ["done", "again", "disposed", "1", "done", "disposed"])
    }

    @Test("A shared subject that has ended only repeats its terminal event")
    func sharedSubject() {
        let source = Source("-a|", scheduler)
        let connectable = source.observable.multicast(PublishSubject<String>())
        #expect(play(connectable) == "---a|")
        let again = scheduler.clock
        #expect(play(connectable) == "|")
        #expect(source.subscriptions.first == "--^-!")
        #expect(source.subscriptions(from: again).last == "--^-!")
    }

    @Test("A subject is made for each connection, or earlier for the first waiting subscriber")
    func makesSubjects() {
        let made = Shared(0)
        let source = PublishSubject<Int>()
        let connectable = source.multicast { () -> PublishSubject<Int> in
            made.withLock { $0 += 1 }
            return PublishSubject()
        }
        #expect(made.withLock { $0 } == 0)
        let log = Log<String>()
        let subscriptions = [log.record(connectable), log.record(connectable)]
        #expect(made.withLock { $0 } == 1)
        let connection = connectable.connect()
        source.onNext(1)
        connection.dispose()
        #expect(!source.hasObservers)
        _ = connectable.connect()
        source.onNext(2)
        #expect(made.withLock { $0 } == 2)
        #expect(log.entries == ["1", "1"])
        for subscription in subscriptions { subscription.dispose() }
        source.onCompleted()
    }

    @Test("multicast works with a subject of another element type")
    func otherElement() {
        let connectable = Observable.of(1, 2).multicast { Doubler() }
        let log = Log<String>()
        _ = log.record(connectable)
        _ = connectable.connect()
        #expect(log.entries == ["1.1", "2.2", "done"])
    }

    @Test("Connecting from several threads subscribes to the source once")
    func threads() async {
        for _ in 0..<300 {
            let subject = PublishSubject<Int>()
            let started = Shared(0)
            let connectable = subject.do(onSubscribe: { started.withLock { $0 += 1 } }).publish()
            let logs = (0..<3).map { _ in Log<Int>() }
            let subscriptions = await withTaskGroup(of: (any Disposable).self) { group in
                for log in logs {
                    group.addTask {
                        let subscription = connectable.subscribe(onNext: { log.add($0) })
                        _ = connectable.connect()
                        return subscription
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(started.withLock { $0 } == 1)
            for value in 0..<10 { subject.onNext(value) }
            for log in logs { #expect(log.entries == Array(0..<10)) }
            connectable.connect().dispose()
            #expect(!subject.hasObservers)
            for subscription in subscriptions { subscription.dispose() }
        }
    }

    @Test("Nothing arrives after another thread has disposed the connection")
    func disposeOnAnotherThread() async {
        for _ in 0..<200 {
            let subject = PublishSubject<Int>()
            let connectable = subject.replay(2)
            let isOver = Shared(false)
            let late = Shared(0)
            let subscription = connectable.subscribe(onNext: { _ in
                if isOver.withLock({ $0 }) { late.withLock { $0 += 1 } }
            })
            let connection = connectable.connect()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for value in 0..<200 { subject.onNext(value) } }
                group.addTask { connection.dispose() }
            }
            isOver.withLock { $0 = true }
            subject.onNext(1)
            #expect(late.withLock { $0 } == 0)
            #expect(!subject.hasObservers)
            subscription.dispose()
        }
    }
}

/// A subject whose observer and observable sides have different element types.
private final class Doubler: SubjectType {
    typealias Element = String

    private let subject = PublishSubject<String>()

    func asObserver() -> AnyObserver<Int> {
        subject.mapObserver { "\($0).\($0)" }
    }

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == String {
        subject.subscribe(observer)
    }
}
