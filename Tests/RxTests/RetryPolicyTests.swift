import Dispatch
import FoundationEssentials
import Rx
import RxTesting
import TestWaiting
import Testing

/// The behavior of `retry(_:scheduler:)` beyond the common tests of `OperatorTests`. A frame is 10 ms.
@Suite("retry with a policy", .noLeaks)
struct RetryPolicyTests {
    private let scheduler = TestScheduler()

    private func policy(_ attempts: Int, _ backoff: Backoff = .none) -> RetryPolicy {
        var policy = RetryPolicy(maxAttempts: attempts, backoff: backoff)
        policy.random = { $0 }
        return policy
    }

    @Test("Each failed attempt is disposed before its wait, and the last error is passed on")
    func waits() {
        let source = Source("-a#", scheduler)
        let retried = source.observable.retry(
            policy(4, .exponential(base: .milliseconds(frame))), scheduler: scheduler)
        #expect(scheduler.marbles(of: retried) == "-a--a---a-----a#")
        #expect(
            source.subscriptions == ["^-!", "---^-!", "-------^-!", "-------------^-!"])
        #expect(scheduler.pendingCount == 0)
    }

    @Test("A limit of one attempt allows no retry, and a completed stream is not retried")
    func one() {
        let source = Source("a#", scheduler)
        #expect(scheduler.marbles(of: source.observable.retry(policy(1), scheduler: scheduler)) == "a#")
        #expect(events(Observable.of(1).retry(policy(3), scheduler: scheduler)) == ["1", "done"])
    }

    @Test(
        "The predicate receives the error and the attempt number while attempts are left")
    func predicate() {
        let asked = Log<String>()
        var policy = policy(4)
        policy.isRetried = { error, attempt in
            asked.add("\(error) \(attempt)")
            return attempt < 2
        }
        #expect(
            events(Observable<Int>.error(TestError()).retry(policy, scheduler: scheduler)) == ["error failed"]
        )
        #expect(asked.entries == ["failed 1", "failed 2"])
        policy.maxAttempts = 1
        #expect(
            events(Observable<Int>.error(TestError()).retry(policy, scheduler: scheduler)) == ["error failed"]
        )
        #expect(asked.entries.count == 2)
        policy.maxAttempts = 2
        policy.isRetried = { _, _ in throw RxError.noElements }
        #expect(
            events(Observable<Int>.error(TestError()).retry(policy, scheduler: scheduler))
                == ["error Sequence doesn't contain any elements."])
    }

    @Test("A Retry-After wait is added to the backoff and may exceed its cap")
    func hint() {
        let source = Source("#", scheduler)
        var policy = policy(
            3, .constant(.milliseconds(frame), jitter: .full))
        policy.retryAfter = { $0 is TestError ? .milliseconds(3 * frame) : nil }
        #expect(scheduler.marbles(of: source.observable.retry(policy, scheduler: scheduler)) == "--------#")
        #expect(source.subscriptions == ["(^!)", "----(^!)", "--------(^!)"])
    }

    @Test("An error with a Retry-After wait above the limit is not retried")
    func longHint() {
        let source = Source("#", scheduler)
        var policy = policy(3)
        policy.retryAfter = { _ in .seconds(61) }
        #expect(scheduler.marbles(of: source.observable.retry(policy, scheduler: scheduler)) == "#")
        policy.retryAfter = { _ in .never }
        #expect(scheduler.marbles(of: source.observable.retry(policy, scheduler: scheduler)) == "#")
        policy.retryAfter = { _ in .milliseconds(2 * frame) }
        policy.longestRetryAfter = .milliseconds(2 * frame)
        #expect(scheduler.marbles(of: source.observable.retry(policy, scheduler: scheduler)) == "----#")
    }

    @Test("Disposal ends a wait and releases everything")
    func disposedInTheWait() {
        let source = Source("-#", scheduler)
        let retried = source.observable.retry(
            policy(9, .constant(.milliseconds(5 * frame))), scheduler: scheduler)
        #expect(scheduler.marbles(of: retried, disposedAt: 3) == "")
        #expect(source.subscriptions == ["^!"])
        #expect(scheduler.pendingCount == 0)
        let census = Census()
        do {
            let tracked = Tracked(census)
            let subscription = Observable<Int>.deferred {
                withExtendedLifetime(tracked) {}
                throw TestError()
            }.retry(policy(9, .constant(.seconds(1))), scheduler: scheduler).subscribe()
            #expect(scheduler.pendingCount == 1)
            subscription.dispose()
        }
        #expect(scheduler.pendingCount == 0)
        #expect(census.alive == 0)
    }

    @Test("A hundred thousand retries without a wait do not deepen the stack")
    func deep() {
        let attempts = Shared(0)
        let source = Observable<Int>.deferred {
            attempts.withLock { $0 += 1 }
            throw TestError()
        }
        #expect(events(source.retry(policy(100_000), scheduler: scheduler)) == ["error failed"])
        #expect(attempts.withLock { $0 } == 100_000)
        #expect(scheduler.pendingCount == 0)
    }

    @Test("A late event of a failed attempt is ignored")
    func lateAnswer() {
        let observers = Shared<[AnyObserver<Int>]>([])
        let source = Observable<Int>.create { observer in
            observers.withLock { $0.append(observer) }
            return Disposables.create()
        }
        let log = Log<String>()
        _ = log.record(source.retry(policy(3), scheduler: scheduler))
        let first = observers.withLock { $0[0] }
        first.onError(TestError())
        first.onNext(1)
        first.onCompleted()
        observers.withLock { $0[1] }.onNext(2)
        observers.withLock { $0[1] }.onCompleted()
        #expect(log.entries == ["2", "done"])
        observers.withLock { $0 = [] }
    }

    @Test("Singles, maybes and completables can be retried")
    func traits() {
        let attempts = Shared(0)
        let source = Observable<Int>.deferred {
            attempts.withLock { $0 += 1 }
            guard attempts.withLock({ $0 % 3 == 0 }) else { throw TestError() }
            return .just(7)
        }
        let policy = policy(3)
        #expect(
            events(source.asSingle().retry(policy, scheduler: scheduler).asObservable()) == ["7", "done"])
        #expect(events(source.asMaybe().retry(policy, scheduler: scheduler).asObservable()) == ["7", "done"])
        let completable = source.ignoreElements().asCompletable().retry(policy, scheduler: scheduler)
        let ends = Log<String>()
        _ = completable.subscribe(onCompleted: { ends.add("done") })
        #expect(ends.entries == ["done"])
        #expect(attempts.withLock { $0 } == 9)
    }

    // MARK: Budget

    @Test("A budget starts full, gives each retry a whole token, and is refilled by successes")
    func budget() {
        let budget = RetryTokenBucket(capacity: 2, depositPerSuccess: 0.4)
        #expect(budget.balance == 2)
        budget.succeeded()
        #expect(budget.balance == 2, "the balance never exceeds the capacity")
        #expect(budget.takeRetry())
        #expect(budget.takeRetry())
        #expect(!budget.takeRetry())
        budget.succeeded()
        budget.succeeded()
        #expect(abs(budget.balance - 0.8) < 1e-9)
        #expect(!budget.takeRetry())
        budget.succeeded()
        #expect(budget.takeRetry())
        #expect(abs(budget.balance - 0.2) < 1e-9)
        let defaults = RetryTokenBucket()
        #expect(defaults.balance == 10)
        #expect(defaults.takeRetry())
        defaults.succeeded()
        #expect(abs(defaults.balance - 9.2) < 1e-9)
        #expect(!RetryTokenBucket(capacity: 0).takeRetry())
    }

    @Test("Streams that share a budget share its retries and deposits")
    func sharedBudget() {
        var policy = policy(10)
        let budget = RetryTokenBucket(capacity: 4, depositPerSuccess: 0.5)
        policy.budget = budget
        let attempts = Shared(0)
        let failing = Observable<Int>.deferred {
            attempts.withLock { $0 += 1 }
            throw TestError()
        }.retry(policy, scheduler: scheduler)
        #expect(events(failing) == ["error failed"])
        #expect(attempts.withLock { $0 } == 5)
        #expect(events(failing) == ["error failed"])
        #expect(attempts.withLock { $0 } == 6, "first attempts take no token")
        for _ in 0..<2 {
            #expect(events(Observable.of(1, 2).retry(policy, scheduler: scheduler)) == ["1", "2", "done"])
            #expect(
                events(Observable.just(1).asSingle().retry(policy, scheduler: scheduler).asObservable()) == [
                    "1", "done",
                ])
        }
        #expect(budget.balance == 2)
        #expect(events(failing) == ["error failed"])
        #expect(attempts.withLock { $0 } == 9)
        Observable<Int>.never().retry(policy, scheduler: scheduler).subscribe().dispose()
        #expect(budget.balance == 0, "a disposed stream has not succeeded")
    }

    @Test("An error that is not retried takes no token")
    func budgetUntouched() {
        var policy = policy(2)
        let budget = RetryTokenBucket()
        policy.budget = budget
        policy.isRetried = { _, _ in false }
        _ = events(Observable<Int>.error(TestError()).retry(policy, scheduler: scheduler))
        policy.isRetried = { _, _ in true }
        policy.retryAfter = { _ in .never }
        _ = events(Observable<Int>.error(TestError()).retry(policy, scheduler: scheduler))
        policy.maxAttempts = 1
        _ = events(Observable<Int>.error(TestError()).retry(policy, scheduler: scheduler))
        #expect(budget.balance == 10)
    }

    @Test(
        "Threads that share a budget take exactly as many tokens as were deposited", .timeLimit(.minutes(1)))
    func budgetThreads() async {
        let budget = RetryTokenBucket(capacity: 100_000, depositPerSuccess: 0.25)
        while budget.takeRetry() {}
        let taken = Shared(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<4_000 {
                        budget.succeeded()
                        if budget.takeRetry() { taken.withLock { $0 += 1 } }
                    }
                }
            }
        }
        while budget.takeRetry() { taken.withLock { $0 += 1 } }
        #expect(taken.withLock { $0 } == 4_000)
        #expect(budget.balance == 0)
    }

    @Test("With concurrent attempts, waits and disposals, events arrive one at a time and nothing is leaked")
    func threads() async throws {
        let queue = ConcurrentDispatchQueueScheduler(qos: .default)
        for round in 0..<200 {
            let census = Census()
            let state = Shared((inside: 0, overlaps: 0, ends: 0))
            do {
                let tracked = Tracked(census)
                var policy = RetryPolicy(
                    maxAttempts: 5, backoff: .constant(.microseconds(round % 3 * 20), jitter: .full))
                policy.budget = RetryTokenBucket(capacity: 3)
                let source = Observable<Int>.create { observer in
                    withExtendedLifetime(tracked) {}
                    return queue.schedule(()) {
                        observer.onNext(1)
                        observer.onError(TestError())
                        return Disposables.create()
                    }
                }
                let enter: @Sendable (Int) -> Void = { ends in
                    state.withLock { state in
                        state.inside += 1
                        if state.inside > 1 { state.overlaps += 1 }
                        state.ends += ends
                    }
                    state.withLock { $0.inside -= 1 }
                }
                try await withDeadline("round \(round) has not ended") { continuation in
                    let subscription = source.retry(policy, scheduler: queue).subscribe(
                        onNext: { _ in enter(0) }, onError: { _ in enter(1) },
                        onDisposed: { continuation.resume() })
                    if round % 4 == 3 { subscription.dispose() }
                }
            }
            #expect(state.withLock { $0.overlaps } == 0)
            #expect(state.withLock { $0.ends } == 1 || round % 4 == 3)
            // The queue's thread may release the source last.
            try await poll(while: census.alive > 0) { "\(census.alive) alive" }
        }
    }
}
