import Dispatch
import FoundationEssentials
import Rx
import RxTesting
import Testing

/// Numbers and times at and beyond the edges of what makes sense.
struct Extreme: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let count: Int
    let time: RxTimeInterval
    let number: Double
    let date: RxTime

    static let all = [
        Extreme(
            testDescription: "smallest", count: .min, time: .seconds(.min), number: -.infinity,
            date: .distantPast),
        Extreme(
            testDescription: "negative", count: -1, time: .milliseconds(-1), number: -1,
            date: Date(timeIntervalSince1970: -1)),
        Extreme(
            testDescription: "zero", count: 0, time: .nanoseconds(0), number: 0,
            date: Date(timeIntervalSince1970: 0)),
        Extreme(
            testDescription: "one", count: 1, time: .nanoseconds(1), number: 0.5,
            date: Date(timeIntervalSince1970: 1)),
        Extreme(
            testDescription: "largest", count: .max, time: .seconds(.max), number: .greatestFiniteMagnitude,
            date: .distantFuture),
        Extreme(
            testDescription: "never", count: .max - 1, time: .never, number: .nan,
            date: Date(timeIntervalSince1970: 1e15)),
    ]
}

/// A use of declarations that take a number or a time, by their names. A rule finds those without a case.
struct ExtremeCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let use: @Sendable (Extreme) -> Void

    init(_ names: String..., use: @escaping @Sendable (Extreme) -> Void) {
        testDescription = names.joined(separator: ", ")
        self.use = use
    }
}

/// Runs a stream over three values of its source, in virtual time, and disposes it.
private func run<Element>(_ build: (Observable<Int>, TestScheduler) -> Observable<Element>) {
    let scheduler = TestScheduler(initialClock: 0)
    let source = PublishSubject<Int>()
    let subscription = build(source, scheduler).subscribe(onError: { _ in })
    for value in 1...3 {
        source.onNext(value)
        scheduler.advanceTo(value * 3)
    }
    source.onCompleted()
    scheduler.advanceTo(15)
    subscription.dispose()
}

/// Fails at every attempt, in virtual time.
private func retry(_ policy: RetryPolicy) {
    run { _, scheduler in Observable<Int>.error(TestError()).retry(policy, scheduler: scheduler).take(1) }
}

/// Schedules work that is disposed at once.
private func schedule(on scheduler: some SchedulerType, _ extreme: Extreme) {
    scheduler.scheduleRelative((), dueTime: extreme.time) { Disposables.create() }.dispose()
    scheduler.schedulePeriodic(0, startAfter: extreme.time, period: extreme.time) { $0 }.dispose()
    Observable<Int>.interval(extreme.time, scheduler: scheduler).subscribe().dispose()
    Observable<Int>.timer(.seconds(1), period: extreme.time, scheduler: scheduler).subscribe().dispose()
}

let extremeOperators: [ExtremeCase] = [
    ExtremeCase("take(_:)") { extreme in run { source, _ in source.take(extreme.count) } },
    ExtremeCase("takeLast(_:)") { extreme in run { source, _ in source.takeLast(extreme.count) } },
    ExtremeCase("skip(_:)") { extreme in run { source, _ in source.skip(extreme.count) } },
    ExtremeCase("element(at:)") { extreme in run { source, _ in source.element(at: extreme.count) } },
    ExtremeCase("retry(_:)") { extreme in
        run { source, _ in source.map { (_: Int) -> Int in throw TestError() }.retry(extreme.count) }
    },
    ExtremeCase("replay(_:)") { extreme in run { source, _ in source.replay(extreme.count).refCount() } },
    ExtremeCase("share(replay:scope:)") { extreme in
        run { source, _ in source.share(replay: extreme.count, scope: .forever) }
    },
    ExtremeCase("share(replay:scope:timeToLive:scheduler:)") { extreme in
        run { source, scheduler in
            source.share(
                replay: extreme.count, scope: .forever, timeToLive: extreme.time, scheduler: scheduler)
        }
    },
    ExtremeCase("create(bufferSize:)") { extreme in
        let subject = ReplaySubject<Int>.create(bufferSize: extreme.count)
        let relay = ReplayRelay<Int>.create(bufferSize: extreme.count)
        for value in 1...3 {
            subject.onNext(value)
            relay.accept(value)
        }
        subject.subscribe(onError: { _ in }).dispose()
        relay.asObservable().subscribe(onError: { _ in }).dispose()
    },
    ExtremeCase("range(start:count:scheduler:)") { extreme in
        _ = Observable<Int>.range(start: extreme.count, count: 2).subscribe(onError: { _ in })
        _ = Observable<Int>.range(start: 1, count: extreme.count).take(2).subscribe(onError: { _ in })
    },
    ExtremeCase("merge(maxConcurrent:)") { extreme in
        run { source, _ in source.map { Observable.just($0) }.merge(maxConcurrent: extreme.count) }
    },
    ExtremeCase("flatMap(maxConcurrent:_:)") { extreme in
        run { source, _ in source.flatMap(maxConcurrent: extreme.count) { Observable.just($0) } }
    },
    ExtremeCase("observe(on:capacity:overflow:)") { extreme in
        for overflow in [OverflowPolicy.error, .dropOldest, .dropNewest] {
            run { source, scheduler in
                source.observe(on: scheduler, capacity: extreme.count, overflow: overflow)
            }
        }
    },
    ExtremeCase("buffer(timeSpan:count:scheduler:)") { extreme in
        run { $0.buffer(timeSpan: extreme.time, count: 2, scheduler: $1) }
        run { $0.buffer(timeSpan: .seconds(2), count: extreme.count, scheduler: $1) }
    },
    ExtremeCase("window(timeSpan:count:scheduler:)") { extreme in
        run { $0.window(timeSpan: extreme.time, count: 2, scheduler: $1).merge() }
        run { $0.window(timeSpan: .seconds(2), count: extreme.count, scheduler: $1).merge() }
    },
    ExtremeCase("debounce(_:scheduler:)") { extreme in run { $0.debounce(extreme.time, scheduler: $1) } },
    ExtremeCase("delay(_:scheduler:)") { extreme in run { $0.delay(extreme.time, scheduler: $1) } },
    ExtremeCase("delaySubscription(_:scheduler:)") { extreme in
        run { $0.delaySubscription(extreme.time, scheduler: $1) }
    },
    ExtremeCase("throttle(_:latest:scheduler:)") { extreme in
        run { $0.throttle(extreme.time, latest: true, scheduler: $1) }
        run { $0.throttle(extreme.time, latest: false, scheduler: $1) }
    },
    ExtremeCase("take(for:scheduler:)") { extreme in run { $0.take(for: extreme.time, scheduler: $1) } },
    ExtremeCase("skip(_:scheduler:)") { extreme in run { $0.skip(extreme.time, scheduler: $1) } },
    ExtremeCase("interval(_:scheduler:)") { extreme in
        run { Observable<Int>.interval(extreme.time, scheduler: $1).take(until: $0.skip(2)) }
    },
    ExtremeCase("timer(_:period:scheduler:)", "timer(_:scheduler:)") { extreme in
        run { _, scheduler in Observable<Int>.timer(extreme.time, scheduler: scheduler) }
        run { _, scheduler in
            Observable<Int>.timer(.seconds(1), period: extreme.time, scheduler: scheduler).take(3)
        }
        run { _, scheduler in Single<Int>.timer(extreme.time, scheduler: scheduler).asObservable() }
    },
    ExtremeCase("timeout(_:scheduler:)", "timeout(_:other:scheduler:)") { extreme in
        run { $0.timeout(extreme.time, scheduler: $1) }
        run { $0.timeout(extreme.time, other: Observable.just(1), scheduler: $1) }
    },
    ExtremeCase("timeout(at:scheduler:)", "timeout(at:other:scheduler:)") { extreme in
        run { $0.timeout(at: extreme.date, scheduler: $1) }
        run { $0.timeout(at: extreme.date, other: Observable.just(1), scheduler: $1) }
    },
]

let extremeSettings: [ExtremeCase] = [
    ExtremeCase("init(maxAttempts:backoff:)", "var maxAttempts") { extreme in
        retry(RetryPolicy(maxAttempts: min(extreme.count, 3), backoff: .constant(.seconds(1))))
        var policy = RetryPolicy(backoff: .constant(.seconds(1)))
        policy.maxAttempts = extreme.count
        retry(policy)
    },
    ExtremeCase("var longestRetryAfter") { extreme in
        var policy = RetryPolicy(backoff: .constant(.seconds(1)))
        policy.retryAfter = { _ in extreme.time }
        retry(policy)
        policy.longestRetryAfter = extreme.time
        retry(policy)
    },
    ExtremeCase(
        "constant(_:jitter:)", "linear(base:cap:jitter:)", "exponential(base:factor:cap:jitter:)",
        "nanoseconds(afterFailures:previous:random:)"
    ) { extreme in
        for jitter in [Backoff.Jitter.none, .full, .equal, .decorrelated] {
            let backoffs: [Backoff] = [
                .constant(extreme.time, jitter: jitter),
                .linear(base: extreme.time, jitter: jitter),
                .linear(base: .seconds(1), cap: extreme.time, jitter: jitter),
                .exponential(base: extreme.time, jitter: jitter),
                .exponential(base: .seconds(1), factor: extreme.number, jitter: jitter),
                .exponential(base: .seconds(1), cap: extreme.time, jitter: jitter),
            ]
            for backoff in backoffs {
                retry(RetryPolicy(maxAttempts: 3, backoff: backoff))
                for failures in [1, 2, extreme.count] {
                    _ = backoff.nanoseconds(
                        afterFailures: failures, previous: Int64(extreme.count), random: { $0 })
                    _ = backoff.nanoseconds(
                        afterFailures: failures, previous: 0, random: { _ in Int64(extreme.count) })
                }
            }
        }
    },
    ExtremeCase("init(capacity:depositPerSuccess:)") { extreme in
        for bucket in [
            RetryTokenBucket(capacity: extreme.count),
            RetryTokenBucket(capacity: extreme.count, depositPerSuccess: extreme.number),
            RetryTokenBucket(depositPerSuccess: extreme.number),
        ] {
            _ = (bucket.takeRetry(), bucket.balance)
            bucket.succeeded()
            bucket.succeeded()
        }
    },
]

let extremeSchedulers: [ExtremeCase] = [
    ExtremeCase(
        "advance(by:)", "scheduleRelative(_:dueTime:action:)",
        "schedulePeriodic(_:startAfter:period:action:)"
    ) { extreme in
        func moved(_ scheduler: some SchedulerType, _ advance: (RxTimeInterval) -> Void) {
            schedule(on: scheduler, extreme)
            let work = scheduler.scheduleRelative((), dueTime: extreme.time) { Disposables.create() }
            advance(.seconds(1))
            advance(extreme.time)
            advance(.seconds(1))
            work.dispose()
        }
        let manual = ManualScheduler()
        moved(manual) { manual.advance(by: $0) }
        let historical = HistoricalScheduler()
        moved(historical) { historical.advance(by: $0) }
        let test = TestScheduler(initialClock: extreme.count)
        moved(test) { test.advance(by: $0) }
    },
    ExtremeCase("init(initialClock:)") { extreme in
        let scheduler = HistoricalScheduler(initialClock: extreme.date)
        schedule(on: scheduler, extreme)
        scheduler.advance(by: extreme.time)
    },
    ExtremeCase(
        "convert(_:)", "convertFromVirtualTime(_:)", "convertFromVirtualTimeInterval(_:)",
        "convertToVirtualTime(_:)", "convertToVirtualTimeInterval(_:)", "offsetVirtualTime(_:offset:)",
        "compareVirtualTime(_:_:)"
    ) { extreme in
        let exact = NanosecondConverter()
        _ = exact.convert(extreme.time)
        _ = exact.convertFromVirtualTime(extreme.count)
        _ = exact.convertFromVirtualTimeInterval(extreme.count)
        _ = exact.convertToVirtualTime(extreme.date)
        _ = exact.convertToVirtualTimeInterval(extreme.number)
        _ = exact.offsetVirtualTime(extreme.count, offset: extreme.count)
        _ = exact.compareVirtualTime(extreme.count, 0)
        let dates = HistoricalSchedulerTimeConverter()
        _ = dates.convert(extreme.time)
        _ = dates.convertFromVirtualTime(extreme.date)
        _ = dates.convertFromVirtualTimeInterval(extreme.number)
        _ = dates.convertToVirtualTime(extreme.date)
        _ = dates.convertToVirtualTimeInterval(extreme.number)
        _ = dates.offsetVirtualTime(extreme.date, offset: extreme.number)
        _ = dates.compareVirtualTime(extreme.date, .distantFuture)
    },
    ExtremeCase("setTimer(after:target:)", "init(index:generation:)", "var index", "var generation") {
        extreme in
        let scheduler = TestScheduler(initialClock: 0)
        var token = scheduler.setTimer(after: extreme.time, target: IdleTarget())
        scheduler.cancelTimer(token)
        token.index = .max
        token.generation = .max
        scheduler.cancelTimer(token)
        scheduler.cancelTimer(TimerToken(index: 0, generation: .max))
    },
    ExtremeCase(
        "init(qos:leeway:)", "init(queue:leeway:)", "init(qos:internalSerialQueueName:leeway:)",
        "init(queue:internalSerialQueueName:leeway:)",
        "init(internalSerialQueueName:qos:serialQueueConfiguration:leeway:)"
    ) { extreme in
        let schedulers: [DispatchQueueScheduler] = [
            ConcurrentDispatchQueueScheduler(qos: .default, leeway: extreme.time),
            ConcurrentDispatchQueueScheduler(queue: .global(), leeway: extreme.time),
            SerialDispatchQueueScheduler(qos: .default, leeway: extreme.time),
            SerialDispatchQueueScheduler(
                queue: .global(), internalSerialQueueName: "extreme", leeway: extreme.time),
            SerialDispatchQueueScheduler(internalSerialQueueName: "extreme", leeway: extreme.time),
        ]
        for scheduler in schedulers { schedule(on: scheduler, extreme) }
    },
]

private final class IdleTarget: TimerTarget {
    func timerFired(_ token: TimerToken) {}
}
