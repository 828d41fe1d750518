import Dispatch
import Rx
import RxTesting
import Testing

/// Tests `share(replay:scope:timeToLive:scheduler:)`.
@Suite("share with a time to live", .noLeaks)
struct ShareLifetimeTests {
    private let scheduler = TestScheduler()

    private func share(
        _ source: Observable<String>, _ replay: Int, _ scope: SubjectLifetimeScope, frames: Int
    ) -> Observable<String> {
        source.share(
            replay: replay, scope: scope, timeToLive: .milliseconds(frames * frame), scheduler: scheduler)
    }

    /// Returns the events that subscribers of the given frames receive until the end.
    private func play(_ stream: Observable<String>, at frames: [Int]) -> [String] {
        let logs = frames.map { _ in Log<String>() }
        for (frame, log) in zip(frames, logs) {
            scheduler.at(frame) { _ = log.record(stream) }
        }
        scheduler.start()
        return logs.map { $0.entries.joined(separator: " ") }
    }

    @Test("With scope whileConnected, values are replayed until they reach the time to live")
    func whileConnected() {
        let source = Source("-a-b-----c|", scheduler)
        let shared = share(source.observable, 2, .whileConnected, frames: 3)
        #expect(
            play(shared, at: [0, 3, 4, 5, 6])
                == ["a b c done", "a b c done", "b c done", "b c done", "c done"])
        #expect(source.subscriptions == ["^---------!"])
    }

    @Test("With scope whileConnected, a subscriber after the end restarts the source")
    func connectedAnew() {
        let source = Source("a-|", scheduler)
        let shared = share(source.observable, 1, .whileConnected, frames: 9)
        #expect(play(shared, at: [0, 1, 5]) == ["a done", "a done", "a done"])
        #expect(source.subscriptions == ["^-!", "-----^-!"])
    }

    @Test("With scope forever, a result is replayed until it expires, and is then requested again once")
    func cache() {
        let source = Source("--(a|)", scheduler)
        let shared = share(source.observable, 1, .forever, frames: 5)
        #expect(
            play(shared, at: [0, 1, 3, 6, 7, 8, 13, 14])
                == Array(repeating: "a done", count: 8))
        #expect(source.subscriptions == ["^-!", "-------^-!", "--------------^-!"])
    }

    @Test(
        "With scope forever, an empty end expires by its own age, and any other end by the age of the last value"
    )
    func ends() {
        let empty = Source("-|", scheduler)
        #expect(
            play(share(empty.observable, 1, .forever, frames: 3), at: [0, 3, 4]) == ["done", "done", "done"])
        #expect(empty.subscriptions == ["^!", "----^!"])
        let second = TestScheduler()
        let failing = Source("a--#", second)
        let shared = failing.observable.share(
            replay: 1, scope: .forever, timeToLive: .milliseconds(5 * frame), scheduler: second)
        let log = Log<String>()
        for frame in [0, 4, 5] { second.at(frame) { _ = log.record(shared) } }
        second.start()
        #expect(log.entries == ["a", "error failed", "a", "error failed", "a", "error failed"])
        #expect(failing.subscriptions == ["^--!", "-----^--!"])
    }

    @Test(
        "With scope forever, a subscriber after all others left receives the unexpired values and reconnects")
    func left() {
        let source = Source("-a---b---c|", scheduler)
        let shared = share(source.observable, 1, .forever, frames: 4)
        let logs = (0..<3).map { _ in Log<String>() }
        for (index, span) in [(0, 2), (4, 1), (12, 2)].enumerated() {
            scheduler.at(span.0) { [scheduler] in
                let subscription = logs[index].record(shared)
                scheduler.at(span.1) { subscription.dispose() }
            }
        }
        scheduler.start()
        #expect(logs.map(\.entries) == [["a"], ["a", "a"], ["a"]])
        #expect(source.subscriptions == ["^-!", "----^!", "------------^-!"])
    }

    @Test("The next subscriber releases expired values")
    func nextSubscriberReleasesExpiredValues() {
        let census = Census()
        let subject = PublishSubject<Tracked>()
        let shared = subject.share(
            replay: 3, scope: .forever, timeToLive: .milliseconds(frame), scheduler: scheduler)
        let first = shared.subscribe()
        for _ in 0..<5 { subject.onNext(Tracked(census)) }
        first.dispose()
        #expect(census.alive == 3)
        scheduler.advance(by: .milliseconds(frame))
        let log = Log<Int>()
        let second = shared.subscribe(onNext: { _ in log.add(1) })
        #expect(census.alive == 0)
        #expect(log.entries == [])
        subject.onNext(Tracked(census))
        #expect(log.entries == [1])
        second.dispose()
        #expect(!subject.hasObservers)
    }

    @Test("The ring buffer drops expired values and stays in order")
    func ring() {
        let source = Source("abc--d-ef------|", scheduler)
        let shared = share(source.observable, 2, .whileConnected, frames: 3)
        #expect(
            play(shared, at: [0, 2, 4, 5, 6, 8, 9, 10, 11])
                == [
                    "a b c d e f done", "a b c d e f done", "c d e f done", "d e f done", "d e f done",
                    "e f done", "e f done", "f done", "done",
                ])
    }

    @Test("Infallibles can be shared with a time to live")
    func infallible() {
        let count = Shared(0)
        let shared = Infallible<Int>.deferred {
            count.withLock { $0 += 1 }
            return .just(1)
        }.share(replay: 1, scope: .forever, timeToLive: .seconds(1), scheduler: scheduler).asObservable()
        for _ in 0..<3 { #expect(events(shared) == ["1", "done"]) }
        #expect(count.withLock { $0 } == 1)
        scheduler.advance(by: .seconds(1))
        #expect(events(shared) == ["1", "done"])
        #expect(count.withLock { $0 } == 2)
    }

    @Test("Concurrent subscribers leave no subscription behind while values expire")
    func churn() async {
        let queue = ConcurrentDispatchQueueScheduler(qos: .default)
        for scope in [SubjectLifetimeScope.whileConnected, .forever] {
            let source = PublishSubject<Int>()
            let shared = source.startWith(0).share(
                replay: 2, scope: scope, timeToLive: .microseconds(20), scheduler: queue)
            let state = Shared(0)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        for _ in 0..<500 {
                            shared.subscribe(onNext: { _ in state.withLock { $0 += 1 } }).dispose()
                        }
                    }
                }
                group.addTask { for number in 0..<500 { source.onNext(number) } }
            }
            #expect(!source.hasObservers)
            #expect(state.withLock { $0 } > 0)
            source.onCompleted()
            #expect(events(shared.take(1)).last == "done")
        }
    }
}
