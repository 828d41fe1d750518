import Dispatch
import FoundationEssentials
import Rx
import RxTesting

/// The value, or the error in angle brackets.
func text<Failure: Error>(_ result: Result<String, Failure>) -> String {
    switch result {
    case .success(let value): value
    case .failure(let error): "<\(error)>"
    }
}

private func policy(isRetried: @escaping @Sendable (any Error, Int) throws -> Bool) -> RetryPolicy {
    var policy = RetryPolicy(maxAttempts: 2, backoff: .constant(.milliseconds(2 * frame)))
    policy.isRetried = isRetried
    return policy
}

/// Operators that take a policy, a limit or a deadline.
let policyOperators: [OperatorCase] = [
    OperatorCase(
        name: "retry with a policy", values: "-a-b-c-|", error: "-a-b----a-b-#", disposed: "-a-b",
        throwing: (
            "-#",
            { source, scheduler in
                source.map { _ in throw RxError.unknown }
                    .retry(policy { _, _ in throw TestError() }, scheduler: scheduler)
            }
        ),
        build: { source, scheduler in source.retry(policy { _, _ in true }, scheduler: scheduler) }),
    OperatorCase(
        name: "timeout(at:)", never: "------#{Sequence timeout.}", values: "-a-b-c#{Sequence timeout.}",
        error: "-a-b-#", disposed: "-a-b",
        build: { source, scheduler in
            .deferred { source.timeout(at: scheduler.frames(6), scheduler: scheduler) }
        }),
    OperatorCase(
        name: "timeout(at:other:)", never: "------(xy|)", values: "-a-b-c(xy|)", error: "-a-b-#",
        disposed: "-a-b",
        build: { source, scheduler in
            .deferred {
                source.timeout(at: scheduler.frames(6), other: Observable.of("x", "y"), scheduler: scheduler)
            }
        }),
    OperatorCase(
        name: "flatMap(maxConcurrent: 1)", values: "----a--b--(c|)", error: "----a#", disposed: "----a",
        throwing: (
            "-#",
            { source, _ in source.flatMap(maxConcurrent: 1) { _ -> Observable<String> in throw TestError() } }
        ),
        build: { source, scheduler in
            source.flatMap(maxConcurrent: 1) {
                Observable.just($0).delay(.milliseconds(3 * frame), scheduler: scheduler)
            }
        }),
    OperatorCase(
        name: "combineLatest of a dictionary", values: "-{a1}-{b1}-{c1}-|", error: "-{a1}-{b1}-#",
        disposed: "-{a1}-{b1}",
        throwing: (
            "-#",
            { source, _ in
                Observable.combineLatest(["x": source, "y": .just("1")]) { _ in throw TestError() }
            }
        ),
        build: { source, _ in
            Observable.combineLatest(["x": source, "y": .just("1")]).map {
                $0.sorted { $0.key < $1.key }.map(\.value).joined()
            }
        }),
    OperatorCase(
        name: "combineLatest of nine", values: "-{a12345678}-{b12345678}-{c12345678}-|",
        error: "-{a12345678}-{b12345678}-#", disposed: "-{a12345678}-{b12345678}",
        throwing: (
            "-#",
            { source, _ in
                let one = Observable.just(1)
                return Observable.combineLatest(source, one, one, one, one, one, one, one, one) {
                    _, _, _, _, _, _, _, _, _ in throw TestError()
                }
            }
        ),
        build: { source, _ in
            let numbers = (1...8).map { Observable.just($0) }
            return Observable.combineLatest(
                source, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6],
                numbers[7]
            ) { "\($0)\($1)\($2)\($3)\($4)\($5)\($6)\($7)\($8)" }
        }),
    OperatorCase(
        name: "share with a time to live", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
        build: { source, scheduler in
            source.share(replay: 1, timeToLive: .milliseconds(frame), scheduler: scheduler)
        }),
    OperatorCase(
        name: "multicast through a serialized subject, refCount", values: "-a-b-c-|", error: "-a-b-#",
        disposed: "-a-b",
        build: { source, _ in source.multicast { PublishSubject<String>().serialized() }.refCount() }),
    OperatorCase(
        name: "observe(on:capacity:overflow:)", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
        build: { source, scheduler in source.observe(on: scheduler, capacity: 1, overflow: .error) }),
    OperatorCase(
        name: "observe(on:capacity:overflow:) on a slow scheduler", empty: "---|", values: "----b---(c|)",
        error: "----b---#",
        disposed: "----b",
        build: { source, scheduler in
            source.observe(on: Late(scheduler, frames: 3), capacity: 1, overflow: .dropOldest)
        }),
    OperatorCase(
        name: "asResult", values: "-a-b-c-|", error: "-a-b-({<failed>}|)", disposed: "-a-b",
        build: { source, _ in source.asResult().map(text) }),
    OperatorCase(
        name: "asResult(catching:)", values: "-a-b-c-|", error: "-a-b-({<failed>}|)", disposed: "-a-b",
        build: { source, _ in source.asResult(catching: TestError.self).map(text) }),
    OperatorCase(
        name: "asResult(catching:) of other errors", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
        build: { source, _ in source.asResult(catching: RxError.self).map(text) }),
]

extension TestScheduler {
    /// The time the given number of frames from now.
    func frames(_ count: Int) -> RxTime {
        now.addingTimeInterval(Double(count * RxTests.frame) / 1000)
    }
}

/// Runs work a number of frames after it is scheduled.
final class Late: ImmediateSchedulerType {
    private let scheduler: TestScheduler
    private let frames: Int

    init(_ scheduler: TestScheduler, frames: Int) {
        self.scheduler = scheduler
        self.frames = frames
    }

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduler.scheduleRelative(state, dueTime: .milliseconds(frames * frame), action: action)
    }
}
