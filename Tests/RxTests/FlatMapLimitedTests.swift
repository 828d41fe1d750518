import Dispatch
import Rx
import RxTesting
import TestWaiting
import Testing

/// The behavior of `flatMap(maxConcurrent:)` beyond the common tests of `OperatorTests`.
@Suite("flatMap(maxConcurrent:)", .noLeaks)
struct FlatMapLimitedTests {
    private let scheduler = TestScheduler()

    @Test("The selector is called when there is room, while concatMap calls its selector at once")
    func inTurn() {
        let source = Source("(abc)---|", scheduler)
        let inner = Source("--x-|", scheduler)
        let asked = Log<String>()
        let select: @Sendable (String) -> Observable<String> = { [scheduler] value in
            asked.add("\(value)\(scheduler.clock)")
            return inner.observable.map { value + $0 }
        }
        #expect(
            scheduler.marbles(of: source.observable.flatMap(maxConcurrent: 1, select))
                == "--{ax}---{bx}---{cx}-|")
        #expect(asked.entries == ["a0", "b4", "c8"])
        #expect(inner.subscriptions == ["^---!", "----^---!", "--------^---!"])
        #expect(source.subscriptions == ["^---!"])
        let start = scheduler.clock
        _ = scheduler.marbles(of: source.observable.concatMap(select))
        #expect(asked.entries.suffix(3) == ["a", "b", "c"].map { "\($0)\(start)" })
    }

    @Test("Only as many inner streams as the limit run at once, and the end of one starts the next")
    func room() {
        let source = Source("abcd|", scheduler)
        let inner = Source("---x|", scheduler)
        #expect(
            scheduler.marbles(
                of:
                    source.observable.flatMap(maxConcurrent: 2) { value in inner.observable.map { _ in value }
                    })
                == "---ab--cd|")
        #expect(inner.subscriptions == ["^---!", "-^---!", "----^---!", "-----^---!"])
    }

    @Test("An inner error disposes the other streams and releases waiting values")
    func innerError() {
        let source = Source("abc------|", scheduler)
        let inner = Source("---#", scheduler)
        let census = Census()
        let asked = Log<String>()
        let output = scheduler.marbles(
            of:
                source.observable.map { ($0, Tracked(census)) }.flatMap(maxConcurrent: 2) { value in
                    asked.add(value.0)
                    return inner.observable
                })
        #expect(output == "---#")
        #expect(asked.entries == ["a", "b"])
        #expect(inner.subscriptions == ["^--!", "-^-!"])
        #expect(source.subscriptions == ["^--!"])
        #expect(census.alive == 0)
    }

    @Test("A selector that throws for a waiting value ends the stream and is not called again")
    func throwsInTurn() {
        let source = Source("(abc)---|", scheduler)
        let asked = Log<String>()
        let output = scheduler.marbles(
            of:
                source.observable.flatMap(maxConcurrent: 1) { [scheduler] value -> Observable<String> in
                    asked.add(value)
                    guard value == "a" else { throw TestError() }
                    return Observable.just(value).delay(.milliseconds(2 * frame), scheduler: scheduler)
                })
        #expect(output == "--(a#)")
        #expect(asked.entries == ["a", "b"])
        #expect(source.subscriptions == ["^-!"])
    }

    @Test("Disposal releases waiting values and subscriptions")
    func disposed() {
        let census = Census()
        let subject = PublishSubject<Tracked>()
        let inner = PublishSubject<Int>()
        let subscription = subject.flatMap(maxConcurrent: 1) { _ in inner }.subscribe()
        for _ in 0..<3 { subject.onNext(Tracked(census)) }
        #expect(census.alive > 0)
        subscription.dispose()
        #expect(census.alive == 0)
        #expect(!subject.hasObservers)
        #expect(!inner.hasObservers)
    }

    @Test("A hundred thousand synchronous streams keep their order without deepening the stack")
    func deep() {
        let count = 100_000
        let sum = Observable.range(start: 0, count: count)
            .flatMap(maxConcurrent: 1) { Observable.of($0, $0) }
            .scan((last: -1, ok: true)) { ($1, $0.ok && $1 >= $0.last) }.takeLast(1).map { "\($0)" }
        #expect(onSmallStack { events(sum) } == ["(last: 99999, ok: true)", "done"])
    }

    @Test("A value sent during a delivery waits its turn without deepening the stack")
    func reentrant() {
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        let subscription = subject.flatMap(maxConcurrent: 1) { Observable.just($0) }.subscribe(onNext: {
            value in
            if value < 50_000 { subject.onNext(value + 1) }
            log.add(value)
        })
        subject.onNext(0)
        subscription.dispose()
        #expect(log.entries == Array(0...50_000))
    }

    @Test("flatMap(maxConcurrent:) works on infallibles")
    func infallible() {
        let stream = Infallible.of(1, 2, 3).flatMap(maxConcurrent: 2) { Infallible.of($0, $0 * 10) }
        #expect(events(stream.asObservable()).sorted() == ["1", "10", "2", "20", "3", "30", "done"])
    }

    @Test("Concurrent inner streams stay within the limit and lose no values")
    func threads() async throws {
        let queue = ConcurrentDispatchQueueScheduler(qos: .default)
        for _ in 0..<20 {
            let state = Shared((running: 0, most: 0, inside: 0, overlaps: 0, count: 0))
            try await withDeadline("\(state.withLock { $0.count }) of 200 values, no end") { continuation in
                _ = Observable.range(start: 0, count: 200).flatMap(maxConcurrent: 3) { number in
                    Observable<Int>.create { observer in
                        state.withLock { state in
                            state.running += 1
                            state.most = max(state.most, state.running)
                        }
                        return queue.schedule(()) {
                            observer.onNext(number)
                            state.withLock { $0.running -= 1 }
                            observer.onCompleted()
                            return Disposables.create()
                        }
                    }
                }.subscribe(
                    onNext: { _ in
                        state.withLock { state in
                            state.inside += 1
                            if state.inside > 1 { state.overlaps += 1 }
                            state.count += 1
                        }
                        state.withLock { $0.inside -= 1 }
                    }, onDisposed: { continuation.resume() })
            }
            let (_, most, _, overlaps, count) = state.withLock { $0 }
            #expect(most <= 3)
            #expect(overlaps == 0)
            #expect(count == 200)
        }
    }
}
