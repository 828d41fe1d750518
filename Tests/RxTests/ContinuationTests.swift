import Dispatch
import Rx
import RxTesting
import Testing

/// The second stream of an operator that continues, and what is expected of it.
private struct Second: Sendable {
    let name: String
    let events: [String]
    let build: @Sendable (ManualScheduler) -> Observable<Int>
}

private let seconds: [Second] = [
    Second(name: "just", events: ["7", "done"]) { _ in .just(7) },
    Second(name: "error", events: ["error failed"]) { _ in .error(TestError()) },
    Second(name: "empty", events: ["done"]) { _ in .empty() },
    Second(name: "a value later", events: ["7", "done"]) { scheduler in
        Observable<Int>.timer(.milliseconds(1), scheduler: scheduler).map { _ in 7 }
    },
    Second(name: "an inner error later", events: ["error failed"]) { scheduler in
        Observable<Int>.timer(.milliseconds(1), scheduler: scheduler)
            .flatMapLatest { _ in Observable<Int>.error(TestError()) }
    },
    Second(name: "inner values later", events: ["7", "8", "done"]) { scheduler in
        Observable<Int>.timer(.milliseconds(1), scheduler: scheduler).flatMap { _ in
            Observable.just(7).concat(
                Observable<Int>.timer(.milliseconds(1), scheduler: scheduler).map { _ in 8 })
        }
    },
    Second(name: "a value, then nothing", events: ["7"]) { _ in .just(7).concat(Observable.never()) },
]

@Suite("Operators that continue with another stream", .noLeaks)
struct ContinuationTests {
    private func endings(_ continuation: ContinuationCase) -> [EndingCase] {
        continuation.followsErrors ? failures : completions
    }

    /// Runs a stream for some time, then disposes it. Returns its events.
    private func run(_ build: (ManualScheduler) -> Observable<Int>) -> [String] {
        let scheduler = ManualScheduler()
        let log = Log<String>()
        let subscription = log.record(build(scheduler))
        scheduler.advance(by: .milliseconds(30))
        subscription.dispose()
        scheduler.start()
        return log.entries
    }

    @Test("Each passes on all events of the second stream, however the first ended", arguments: continuations)
    func alone(_ continuation: ContinuationCase) {
        for ending in endings(continuation) {
            for second in seconds {
                let events = run { scheduler in
                    continuation.build(ending.build(scheduler), second.build(scheduler), scheduler)
                }
                #expect(events == second.events, "\(ending.name), then \(second.name)")
            }
        }
    }

    @Test("Each does so as the second stream of another one", arguments: continuations, continuations)
    func nested(_ outer: ContinuationCase, _ inner: ContinuationCase) {
        // A few of the endings, because there are many pairs.
        for ending in endings(inner).enumerated().filter({ $0.offset % 8 == 5 }).map(\.element) {
            for second in seconds.suffix(3) {
                let events = run { scheduler in
                    let before = endings(outer)[0].build(scheduler)
                    let rest = inner.build(ending.build(scheduler), second.build(scheduler), scheduler)
                    return outer.build(before, rest, scheduler)
                }
                #expect(events == second.events, "\(ending.name), then \(second.name)")
            }
        }
    }

    @Test(
        "A closure that throws disposes its source, although operators below leave the chain",
        arguments: continuations)
    func thrown(_ continuation: ContinuationCase) {
        let catching: [@Sendable (Observable<Int>) -> Observable<Int>] = [
            { $0.catch { _ in Observable.never() } },
            { $0.catch { _ in Observable<Int>.empty() }.ifEmpty(switchTo: .never()) },
            { $0.asResult().filter { _ in false }.map { _ in 0 }.ifEmpty(switchTo: .never()) },
            { $0.materialize().ignoreElements().asCompletable().andThen(Observable<Int>.never()) },
        ]
        for (number, catching) in catching.enumerated() {
            let subject = PublishSubject<Int>()
            let scheduler = ManualScheduler()
            let log = Log<String>()
            let first = endings(continuation)[0].build(scheduler)
            let second = catching(subject.map { _ in throw TestError() })
            let subscription = log.record(continuation.build(first, second, scheduler))
            scheduler.advance(by: .milliseconds(100))
            #expect(subject.hasObservers, "\(number)")
            subject.onNext(1)
            #expect(!subject.hasObservers, "\(number)")
            subject.onNext(2)
            #expect(log.entries == [], "\(number)")
            subscription.dispose()
            scheduler.start()
        }
    }
}

/// Streams whose sources emit while they are subscribed to.
@Suite("Streams that start inside many others", .noLeaks)
struct NestedStartTests {
    struct Nested: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let build: @Sendable () -> Observable<Int>
    }

    private static func create(_ values: Int...) -> Observable<Int> {
        .create { observer in
            for value in values { observer.onNext(value) }
            observer.onCompleted()
            return Disposables.create()
        }
    }

    private static let cases = [
        Nested(testDescription: "withLatestFrom") {
            Observable.just(1).withLatestFrom(Observable.just(2))
        },
        Nested(testDescription: "withLatestFrom a deferred stream") {
            Observable.just(1).withLatestFrom(Observable.deferred { .just(2) })
        },
        Nested(testDescription: "withLatestFrom a flatMap") {
            Observable.just(1).withLatestFrom(create(1).flatMap { create($0 + 1) })
        },
        Nested(testDescription: "flatMapLatest") { create(1, 2, 3).flatMapLatest { create($0, 10 * $0) } },
        Nested(testDescription: "flatMapFirst") { create(1, 2, 3).flatMapFirst { create($0, 10 * $0) } },
        Nested(testDescription: "flatMap") { create(1, 2, 3).flatMap { create($0, 10 * $0) } },
        Nested(testDescription: "concatMap") { create(1, 2, 3).concatMap { create($0, 10 * $0) } },
        Nested(testDescription: "retry(when:)") {
            let attempts = Shared(0)
            return Observable.deferred {
                attempts.withLock { $0 += 1 }
                return attempts.withLock { $0 } == 1 ? .error(TestError()) : .just(1)
            }.retry { (errors: Observable<any Error>) in
                Observable.deferred { errors }.flatMap { _ in create(1) }
            }
        },
        Nested(testDescription: "amb") { Observable.deferred { create(1, 2) }.amb(create(3)) },
        Nested(testDescription: "take(until:)") { create(1, 2).take(until: create(3)) },
        Nested(testDescription: "skip(until:)") {
            create(1, 2).skip(until: create(3)).take(until: create(4))
        },
        Nested(testDescription: "share") { create(1, 2).share() },
        Nested(testDescription: "share with a replay") { create(1, 2).share(replay: 1) },
        Nested(testDescription: "concat") { create(1, 2).concat(create(3)) },
        Nested(testDescription: "startWith") { create(1, 2).startWith(0) },
        Nested(testDescription: "catch") {
            create(1).concat(Observable.error(TestError())).catch { _ in create(2) }
        },
        Nested(testDescription: "combineLatest") {
            .combineLatest(create(1), create(2, 3)) { 10 * $0 + $1 }
        },
        Nested(testDescription: "zip") {
            .zip(Observable.deferred { create(1, 2) }, create(3, 4)) { $0 * $1 }
        },
        Nested(testDescription: "merge") { .merge(create(1, 2), create(3, 4)) },
    ]

    /// Starts a stream inside `depth` others.
    @Sendable private static func inside(_ depth: Int, _ nested: Nested) -> Observable<Int> {
        depth == 0 ? nested.build() : create(1).flatMap { _ in inside(depth - 1, nested) }
    }

    @Test("A stream emits the same at every depth", arguments: cases)
    func depth(_ nested: Nested) {
        let expected = events(nested.build())
        for depth in 0...100 {
            #expect(events(Self.inside(depth, nested)) == expected, "depth \(depth)")
        }
    }
}
