import Dispatch
import FoundationEssentials
import Rx
import Testing

/// An operator of two streams, each fed by its own thread: one with 0, 1, 2 and so on, the other with 1000,
/// 1001 and so on. Each emitted array lists the source values it was made of.
struct StressCase: Sendable, CustomTestStringConvertible {
    /// The values that must have arrived after both threads have sent everything and completed.
    enum Delivery {
        /// Each value of the first stream, once.
        case first
        /// Each value of both streams, once.
        case both
        /// A final array with the last values of both streams.
        case latest
        /// Depends on the timing.
        case some
    }

    let testDescription: String
    let delivery: Delivery
    /// Only values that are equal modulo this number are in order, since groups with separate gates may
    /// overtake each other.
    let lanes: Int
    let build: @Sendable (Observable<Int>, Observable<Int>) -> Observable<[Int]>

    init(
        _ name: String, _ delivery: Delivery, lanes: Int = 1,
        _ build: @escaping @Sendable (Observable<Int>, Observable<Int>) -> Observable<[Int]>
    ) {
        testDescription = name
        self.delivery = delivery
        self.lanes = lanes
        self.build = build
    }

    /// An operator that emits the source values unchanged.
    fileprivate static func each(
        _ name: String, _ delivery: Delivery,
        _ build: @escaping @Sendable (Observable<Int>, Observable<Int>) -> Observable<Int>
    ) -> StressCase {
        StressCase(name, delivery) { build($0, $1).map { [$0] } }
    }

    /// The number of values that each thread sends.
    static let count = 150

    static let all = joins + inners + others + timed + sharing + hopping
}

private var queue: ConcurrentDispatchQueueScheduler { ConcurrentDispatchQueueScheduler(qos: .default) }

private let joins: [StressCase] = {
    let one = Observable.just(1)
    let many = Observable.from(0..<StressCase.count)
    return [
        StressCase("combineLatest of 2", .latest) { Observable.combineLatest($0, $1) { [$0, $1] } },
        StressCase("combineLatest of 3", .latest) {
            Observable.combineLatest($0, one, $1) { a, _, b in [a, b] }
        },
        StressCase("combineLatest of 4", .latest) {
            Observable.combineLatest(one, $0, $1, one) { _, a, b, _ in [a, b] }
        },
        StressCase("combineLatest of 5", .latest) {
            Observable.combineLatest($0, one, one, one, $1) { a, _, _, _, b in [a, b] }
        },
        StressCase("combineLatest of 6", .latest) {
            Observable.combineLatest($0, one, one, one, one, $1) { a, _, _, _, _, b in [a, b] }
        },
        StressCase("combineLatest of 7", .latest) {
            Observable.combineLatest($0, one, one, one, one, one, $1) { a, _, _, _, _, _, b in [a, b] }
        },
        StressCase("combineLatest of 8", .latest) {
            Observable.combineLatest($0, one, one, one, one, one, one, $1) { a, _, _, _, _, _, _, b in [a, b]
            }
        },
        StressCase("combineLatest of 9", .latest) {
            Observable.combineLatest($0, $1, $0, $1, $0, $1, $0, $1, $0) { a, b, _, _, _, _, _, _, _ in
                [a, b]
            }
        },
        StressCase("combineLatest of a collection", .latest) { Observable.combineLatest([$0, $1]) },
        StressCase("combineLatest of a dictionary", .latest) {
            Observable.combineLatest([0: $0, 1: $1]) { [$0[0] ?? -1, $0[1] ?? -1] }
        },
        StressCase("zip of 2", .both) { Observable.zip($0, $1) { [$0, $1] } },
        StressCase("zip of 3", .both) { Observable.zip($0, many, $1) { a, _, b in [a, b] } },
        StressCase("zip of 4", .both) { Observable.zip(many, $0, $1, many) { _, a, b, _ in [a, b] } },
        StressCase("zip of 5", .both) {
            Observable.zip($0, many, many, many, $1) { a, _, _, _, b in [a, b] }
        },
        StressCase("zip of 6", .both) {
            Observable.zip($0, many, many, many, many, $1) { a, _, _, _, _, b in [a, b] }
        },
        StressCase("zip of 7", .both) {
            Observable.zip($0, many, many, many, many, many, $1) { a, _, _, _, _, _, b in [a, b] }
        },
        StressCase("zip of 8", .both) {
            Observable.zip($0, many, many, many, many, many, many, $1) { a, _, _, _, _, _, _, b in [a, b] }
        },
        StressCase("zip of a collection", .both) { Observable.zip([$0, $1]) },
        StressCase("zip of singles", .some) {
            Single.zip($0.take(1).asSingle(), $1.take(1).asSingle()) { [$0, $1] }.asObservable()
        },
    ]
}()

private let inners: [StressCase] = [
    .each("merge of streams", .both) { Observable.merge($0, $1) },
    .each("merge of a stream of streams", .both) { Observable.of($0, $1).merge() },
    .each("merge(maxConcurrent:)", .both) { Observable.of($0, $1).merge(maxConcurrent: 2) },
    .each("flatMap", .both) { a, b in Observable.of(0, 1).flatMap { $0 == 0 ? a : b } },
    .each("flatMap of values", .some) { a, b in a.flatMap { _ in b.take(3) } },
    .each("flatMap(maxConcurrent:)", .some) { a, b in a.flatMap(maxConcurrent: 2) { _ in b.take(3) } },
    .each("flatMapFirst", .some) { a, b in a.flatMapFirst { _ in b.take(3) } },
    .each("flatMapLatest", .some) { a, b in a.flatMapLatest { _ in b.take(3) } },
    .each("flatMapLatest of one value", .first) { a, _ in a.flatMapLatest { Observable.just($0) } },
    .each("switchLatest", .some) { a, b in a.map { _ in b }.switchLatest() },
    .each("concatMap", .first) { a, b in Observable.of(0, 1).concatMap { $0 == 0 ? a : b } },
    .each("concatMap of values", .some) { a, b in a.concatMap { _ in b.take(1) } },
    .each("concat", .first) { $0.concat($1) },
    .each("groupBy", .first) { a, _ in a.groupBy { $0 % 3 }.flatMap { $0 } },
    StressCase("groupBy, groups joined with the other", .some, lanes: 3) { a, b in
        a.groupBy { $0 % 3 }.flatMap { group in group.withLatestFrom(b) { a, _ in [a] } }
    },
]

private let others: [StressCase] = [
    StressCase("withLatestFrom", .some) { $0.withLatestFrom($1) { [$0, $1] } },
    .each("amb", .some) { $0.amb($1) },
    .each("sample", .some) { $0.sample($1) },
    .each("take(until:)", .some) { a, b in a.take(until: b.filter { $0 == 1_020 }) },
    .each("skip(until:)", .some) { a, b in a.skip(until: b.filter { $0 == 1_020 }) },
    .each("catch", .some) { a, b in failing(a).catch { _ in b } },
    .each("catch(sequence:)", .some) { Observable.catch(sequence: [failing($0), $1]) },
    .each("retry", .some) { failing(Observable.merge($0, $1)).retry(20) },
    .each("retry(when:)", .some) { a, b in
        failing(a).retry { (errors: Observable<any Error>) in errors.flatMap { _ in b.take(1) } }
    },
]

/// Fails at the last of every ten values.
private func failing(_ source: Observable<Int>) -> Observable<Int> {
    source.map { value in
        guard value % 10 < 9 else { throw RxError.unknown }
        return value
    }
}

private let timed: [StressCase] = [
    StressCase("buffer", .first) { a, _ in a.buffer(timeSpan: .microseconds(5), count: 7, scheduler: queue) },
    .each("window", .first) { a, _ in a.window(timeSpan: .microseconds(5), count: 7, scheduler: queue).merge()
    },
    .each("debounce", .some) { a, _ in a.debounce(.microseconds(1), scheduler: queue) },
    .each("throttle", .some) { a, _ in a.throttle(.microseconds(5), scheduler: queue) },
    .each("delay", .first) { a, _ in a.delay(.microseconds(20), scheduler: queue) },
    .each("delaySubscription", .some) { a, _ in a.delaySubscription(.microseconds(20), scheduler: queue) },
    .each("timeout", .some) { a, _ in a.timeout(.microseconds(20), scheduler: queue) },
    .each("timeout(other:)", .some) { $0.timeout(.microseconds(20), other: $1, scheduler: queue) },
    StressCase("timeout(at:other:)", .some) { a, b in
        .deferred {
            a.timeout(at: Date(timeIntervalSinceNow: 100e-6), other: b, scheduler: queue).map { [$0] }
        }
    },
    .each("take(for:)", .some) { a, _ in a.take(for: .microseconds(100), scheduler: queue) },
    .each("skip(_:scheduler:)", .some) { a, _ in a.skip(.microseconds(50), scheduler: queue) },
]

/// Zips two subscriptions to a shared stream, which must receive the same values.
private func twice(_ shared: Observable<Int>) -> Observable<[Int]> {
    Observable.zip(shared, shared) { $0 == $1 ? [$0] : [-1] }
}

private let sharing: [StressCase] = [
    StressCase("share", .both) { twice(Observable.merge($0, $1).share()) },
    StressCase("share(replay:)", .both) { twice(Observable.merge($0, $1).share(replay: 1)) },
    StressCase("share forever", .both) { twice(Observable.merge($0, $1).share(replay: 1, scope: .forever)) },
    StressCase("share with a time to live", .both) {
        twice(Observable.merge($0, $1).share(replay: 2, timeToLive: .milliseconds(1), scheduler: queue))
    },
    StressCase("share forever with a time to live", .both) {
        twice(
            Observable.merge($0, $1).share(
                replay: 2, scope: .forever, timeToLive: .milliseconds(1), scheduler: queue))
    },
    StressCase("publish, refCount", .both) { twice(Observable.merge($0, $1).publish().refCount()) },
    StressCase("replay, refCount", .both) { twice(Observable.merge($0, $1).replay(1).refCount()) },
    StressCase("publish, connect", .both) { a, b in
        .create { observer in
            let connectable = Observable.merge(a, b).publish()
            let subscription = twice(connectable).subscribe(observer)
            return Disposables.create(subscription, connectable.connect())
        }
    },
    StressCase("multicast with a selector", .both) {
        Observable.merge($0, $1).multicast({ PublishSubject<Int>() }, selector: { twice($0) })
    },
    StressCase("multicast through a serialized subject", .both) {
        twice(Observable.merge($0, $1).multicast { PublishSubject<Int>().serialized() }.refCount())
    },
]

private let hopping: [StressCase] = [
    .each("observe(on:) with a concurrent queue", .both) { Observable.merge($0, $1).observe(on: queue) },
    .each("observe(on:) with a serial queue", .both) {
        Observable.merge($0, $1).observe(on: SerialDispatchQueueScheduler(qos: .default))
    },
    .each("observe(on:) with a large capacity", .both) {
        Observable.merge($0, $1).observe(on: queue, capacity: 2 * StressCase.count, overflow: .error)
    },
    .each("observe(on:) with a small capacity", .some) {
        Observable.merge($0, $1).observe(on: queue, capacity: 4, overflow: .dropOldest)
    },
    .each("subscribe(on:)", .some) { Observable.merge($0, $1).subscribe(on: queue) },
]
