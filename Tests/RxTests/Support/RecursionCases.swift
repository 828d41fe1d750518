import Dispatch
import FoundationEssentials
import Rx
import RxTesting
import Testing

/// A stream that continues with itself: one round, and where the next one comes from.
struct RecursionCase: Sendable, CustomTestStringConvertible {
    /// What a round is built from.
    struct Round: Sendable {
        /// Emits one value and completes.
        let source: Observable<Int>
        let scheduler: ManualScheduler
        let next: @Sendable () -> Observable<Int>

        /// Fails when `source` emits.
        var failing: Observable<Int> { source.map { _ in throw TestError() } }
        var rest: Observable<Int> { .deferred(next) }
    }

    let testDescription: String
    /// The files of Sources/Rx whose operators it covers.
    let files: [String]
    /// Whether a round finally only passes on the events of the next one, so that the stream can go on for
    /// ever.
    let endsWithNext: Bool
    let build: @Sendable (Round) -> Observable<Int>

    init(
        _ name: String, _ files: [String], endsWithNext: Bool = false,
        build: @escaping @Sendable (Round) -> Observable<Int>
    ) {
        testDescription = name
        self.files = files
        self.endsWithNext = endsWithNext
        self.build = build
    }

    /// Builds a stream of `rounds` rounds and then `end`.
    func stream(
        _ rounds: Int, _ source: RecursionSource, _ scheduler: ManualScheduler, end: Observable<Int>
    ) -> Observable<Int> {
        guard rounds > 0 else { return end }
        return build(
            Round(source: source.make(scheduler), scheduler: scheduler) {
                stream(rounds - 1, source, scheduler, end: end)
            })
    }
}

/// How a round's source sends its value and its completion.
struct RecursionSource: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (ManualScheduler) -> Observable<Int>

    /// The value and the completion as one event.
    static let just = RecursionSource(testDescription: "just") { _ in .just(1) }
    /// The value, and the completion after it.
    static let create = RecursionSource(testDescription: "create") { _ in
        .create { observer in
            observer.onNext(1)
            observer.onCompleted()
            return Disposables.create()
        }
    }
    /// In turns of the current thread.
    static let from = RecursionSource(testDescription: "from") { _ in .from([1]) }
    /// In turns of another scheduler.
    static let observed = RecursionSource(testDescription: "observe(on:)") { scheduler in
        Observable.just(1).observe(on: scheduler)
    }
}

/// Operators that continue with a stream that a closure or an argument provides.
let continuingCases: [RecursionCase] = [
    RecursionCase("flatMap", ["FlatMap"], endsWithNext: true) { round in
        round.source.flatMap { _ in round.next() }
    },
    RecursionCase("flatMap(maxConcurrent:)", ["MergeLimited"], endsWithNext: true) { round in
        round.source.flatMap(maxConcurrent: 2) { _ in round.next() }
    },
    RecursionCase("concatMap", ["MergeLimited"], endsWithNext: true) { round in
        round.source.concatMap { _ in round.next() }
    },
    RecursionCase("flatMapLatest", ["FlatMapLatestOrFirst"], endsWithNext: true) { round in
        round.source.flatMapLatest { _ in round.next() }
    },
    RecursionCase("flatMapFirst", ["FlatMapLatestOrFirst"], endsWithNext: true) { round in
        round.source.flatMapFirst { _ in round.next() }
    },
    RecursionCase("merge", ["Merge"], endsWithNext: true) { round in
        .merge(Observable.empty(), round.rest)
    },
    RecursionCase("concat", ["Concat"], endsWithNext: true) { round in
        round.source.concat(round.rest)
    },
    RecursionCase("deferred", ["Deferred"], endsWithNext: true) { round in round.rest },
    RecursionCase("catch", ["Catch"], endsWithNext: true) { round in
        round.failing.catch { _ in round.next() }
    },
    RecursionCase("catch(sequence:)", ["CatchSequence"], endsWithNext: true) { round in
        Observable.catch(sequence: [round.failing, round.rest])
    },
    RecursionCase("retry", ["Retry"], endsWithNext: true) { round in
        let attempts = Shared(0)
        return Observable.deferred {
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            return attempt == 1 ? round.failing : round.next()
        }.retry(2)
    },
    RecursionCase("ifEmpty(switchTo:)", ["IfEmpty"], endsWithNext: true) { round in
        round.source.filter { _ in false }.ifEmpty(switchTo: round.rest)
    },
    RecursionCase("andThen", ["Completable", "PostponedStart"], endsWithNext: true) { round in
        round.source.ignoreElements().asCompletable().andThen(round.rest)
    },
    RecursionCase("amb", ["Amb"], endsWithNext: true) { round in
        round.source.concat(round.rest).amb(Observable.never())
    },
    RecursionCase("delaySubscription", ["DelaySubscription"], endsWithNext: true) { round in
        round.rest.delaySubscription(.nanoseconds(1), scheduler: round.scheduler)
    },
    RecursionCase("timeout(_:other:)", ["Timeout", "ReplacementStep"], endsWithNext: true) { round in
        Observable.never().timeout(.nanoseconds(1), other: round.rest, scheduler: round.scheduler)
    },
    RecursionCase("timeout(at:other:)", ["Deadline", "ReplacementStep"], endsWithNext: true) { round in
        // A date is exact to a tenth of a microsecond.
        let deadline = round.scheduler.now.addingTimeInterval(0.000_001)
        return Observable.never().timeout(at: deadline, other: round.rest, scheduler: round.scheduler)
    },
]

/// Operators with another step, resource or stream for each round, which a round has to stop.
let nestingCases: [RecursionCase] = [
    RecursionCase("flatMap into map", ["FlatMap"]) { round in
        round.source.flatMap { _ in round.next() }.map { $0 + 1 }
    },
    RecursionCase("flatMap of an endless source", ["FlatMap"]) { round in
        round.source.concat(Observable.never()).flatMap { _ in round.next() }
    },
    RecursionCase("flatMapLatest of an endless source", ["FlatMapLatestOrFirst"]) { round in
        round.source.concat(Observable.never()).flatMapLatest { _ in round.next() }
    },
    RecursionCase("concatMap of an endless source", ["MergeLimited"]) { round in
        round.source.concat(Observable.never()).concatMap { _ in round.next() }
    },
    RecursionCase("merge with an endless stream", ["Merge"]) { round in .merge(round.rest, .never()) },
    RecursionCase("amb without a winner", ["Amb"]) { round in round.rest.amb(Observable.never()) },
    RecursionCase("catch into do", ["Catch", "Do"]) { round in
        round.failing.catch { _ in round.next() }.do(onDispose: {})
    },
    RecursionCase("a first attempt", ["Retry"]) { round in round.rest.retry() },
    RecursionCase("retry(when:)", ["RetryWhen"]) { round in
        round.rest.retry(when: { (errors: Observable<any Error>) in errors })
    },
    RecursionCase("the stream of retry(when:)", ["RetryWhen", "Notifier"]) { round in
        Observable<Int>.never().retry(when: { (_: Observable<any Error>) in round.next() })
    },
    RecursionCase("retry with a policy", ["ObservableType+RetryPolicy"]) { round in
        round.rest.retry(RetryPolicy(maxAttempts: 2), scheduler: round.scheduler)
    },
    RecursionCase("using", ["Using"]) { round in
        .using({ BooleanDisposable() }, observableFactory: { _ in round.next() })
    },
    RecursionCase("do", ["Do"]) { round in round.rest.do(onDispose: {}) },
    RecursionCase("debug", ["Debug"]) { round in
        round.rest.debug("", trimOutput: false, file: "", line: 0, function: "", write: { _ in })
    },
    RecursionCase("create", ["Create"]) { round in
        round.source.observe(on: round.scheduler).flatMap { _ in
            Observable.create { observer in
                Disposables.create(round.next().subscribe(observer), Disposables.create())
            }
        }
    },
    RecursionCase("timeout", ["Timeout"]) { round in
        round.rest.timeout(.seconds(9), scheduler: round.scheduler)
    },
    RecursionCase("timeout(at:)", ["Deadline"]) { round in
        let deadline = round.scheduler.now.addingTimeInterval(9)
        return round.rest.timeout(at: deadline, scheduler: round.scheduler)
    },
    RecursionCase("delay", ["Delay"]) { round in round.rest.delay(.seconds(1), scheduler: round.scheduler) },
    RecursionCase("observe(on:)", ["ObserveOn", "ScheduledDelivery"]) { round in
        round.rest.observe(on: round.scheduler)
    },
    RecursionCase("observe(on:capacity:overflow:)", ["ObserveOnBounded"]) { round in
        round.rest.observe(on: round.scheduler, capacity: 1, overflow: .error)
    },
    RecursionCase("subscribe(on:)", ["SubscribeOn"]) { round in round.rest.subscribe(on: round.scheduler) },
    RecursionCase("combineLatest", ["Join", "JoinSlot"]) { round in
        .combineLatest(round.rest, Observable<Int>.never()) { $0 + $1 }
    },
    RecursionCase("combineLatest of a collection", ["JoinCollection"]) { round in
        .combineLatest([round.rest, .never()]) { $0[0] }
    },
    RecursionCase("zip", ["Join", "JoinSlot"]) { round in
        .zip(Observable<Int>.never(), round.rest) { $0 + $1 }
    },
    RecursionCase("withLatestFrom", ["WithLatestFrom"]) { round in
        round.rest.withLatestFrom(Observable.just(1))
    },
    RecursionCase("the other stream of withLatestFrom", ["WithLatestFrom"]) { round in
        Observable<Int>.never().withLatestFrom(round.rest)
    },
    RecursionCase("take(until:)", ["TakeUntil"]) { round in
        Observable<Int>.never().take(until: round.rest)
    },
    RecursionCase("skip(until:)", ["SkipUntil"]) { round in
        Observable<Int>.never().skip(until: round.rest)
    },
    RecursionCase("sample", ["Sample"]) { round in round.rest.sample(Observable<Int>.never()) },
    RecursionCase("debounce", ["GatedOperator"]) { round in
        round.rest.debounce(.seconds(1), scheduler: round.scheduler)
    },
    RecursionCase("buffer", ["GatedOperator"]) { round in
        round.rest.buffer(timeSpan: .seconds(1), count: 2, scheduler: round.scheduler).map { $0.count }
    },
    RecursionCase("window", ["Window", "SourceRetainCount"]) { round in
        round.rest.window(timeSpan: .seconds(1), count: 2, scheduler: round.scheduler).flatMap { $0 }
    },
    RecursionCase("groupBy", ["GroupBy", "SourceRetainCount"]) { round in
        round.rest.groupBy { $0 }.flatMap { $0 }
    },
    RecursionCase("share", ["Share"]) { round in round.rest.share() },
    RecursionCase("publish and refCount", ["Multicast", "RefCount"]) { round in
        round.rest.publish().refCount()
    },
    RecursionCase("multicast with a selector", ["MulticastSelector"]) { round in
        round.rest.multicast({ PublishSubject<Int>() }, selector: { $0 })
    },
    RecursionCase("take", ["StatefulOperator"]) { round in round.rest.take(1_000_000) },
]
