import Dispatch
import Rx
import RxTesting
import TestWaiting
import Testing

/// Runs every operator that depends on other streams, timers or threads on several threads. `HeldLocks` stops
/// debug builds that call an observer, `subscribe` or `dispose` while holding a lock.
@Suite("Operators used by several threads", .noLeaks)
struct StressTests {
    /// The events that one subscriber has received.
    private struct Seen {
        var values: [Int] = []
        var last: [Int] = []
        var inside = 0
        var overlaps = 0
        var ends = 0
        var late = 0
        var failed = false

        mutating func enter() {
            inside += 1
            if inside > 1 { overlaps += 1 }
            if ends > 0 { late += 1 }
        }

        /// The values of the first (0) or second (1) stream.
        func values(of stream: Int) -> [Int] { values.filter { $0 / 1_000 == stream } }
    }

    private func subscribe(
        _ source: Observable<[Int]>, _ seen: Shared<Seen>, within body: @escaping @Sendable () -> Void = {}
    ) -> any Disposable {
        let end: @Sendable (Bool) -> Void = { failed in
            seen.withLock { seen in
                seen.enter()
                seen.ends += 1
                seen.failed = failed
            }
            seen.withLock { $0.inside -= 1 }
        }
        return source.subscribe(
            onNext: { values in
                seen.withLock { seen in
                    seen.enter()
                    seen.values += values
                    seen.last = values
                }
                body()
                seen.withLock { $0.inside -= 1 }
            }, onError: { _ in end(true) }, onCompleted: { end(false) })
    }

    @Test(
        "An operator fed by two threads delivers one at a time and in order, ends at most once, and disposes its sources",
        .timeLimit(.minutes(1)), arguments: StressCase.all)
    func threads(_ operation: StressCase) async throws {
        var values = 0
        for round in 0..<12 { values += try await self.round(round, operation) }
        // Some cases depend on timing and may not have emitted yet. Run them again with the threads taking
        // turns.
        var further = 0
        while values == 0, further < 200 {
            values += try await round(2, operation, takingTurns: true)
            further += 1
        }
        #expect(values > 0)
    }

    /// Runs one round with two threads. Returns the number of values that arrived.
    private func round(
        _ round: Int, _ operation: StressCase, takingTurns: Bool = false
    ) async throws -> Int {
        let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
        let seen = Shared(Seen())
        let subscription = subscribe(operation.build(first.asObservable(), second.asObservable()), seen)
        if takingTurns {
            // The operator may subscribe to its sources asynchronously.
            try await poll(
                while: !first.hasObservers && !second.hasObservers && seen.withLock { $0.ends == 0 }
            ) { "no subscription" }
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 0..<StressCase.count {
                    first.onNext(number)
                    if takingTurns { await Task.yield() }
                }
                if round % 2 == 0 { first.onCompleted() }
            }
            group.addTask {
                for number in 0..<StressCase.count {
                    second.onNext(1_000 + number)
                    if takingTurns { await Task.yield() }
                }
                if round % 4 == 0 { second.onError(TestError()) } else { second.onCompleted() }
            }
            if round % 4 == 3 { group.addTask { subscription.dispose() } }
        }
        if round % 4 == 2, operation.delivery != .some {
            // Another thread may still be in the last delivery.
            try await poll(while: seen.withLock { $0.ends == 0 }) { "\(seen.withLock { $0 })" }
            check(operation.delivery, seen.withLock { $0 })
        }
        subscription.dispose()
        // A timer's thread may dispose the source last.
        try await poll(while: first.hasObservers || second.hasObservers) {
            "first \(first.hasObservers), second \(second.hasObservers), \(seen.withLock { $0 })"
        }
        let result = seen.withLock { $0 }
        #expect(result.overlaps == 0)
        #expect(result.ends <= 1)
        #expect(result.late == 0)
        for stream in 0...1 {
            for lane in 0..<operation.lanes {
                let values = result.values(of: stream).filter { $0 % operation.lanes == lane }
                #expect(values == values.sorted())
            }
        }
        #expect(result.values.allSatisfy { $0 >= 0 })
        return result.values.count
    }

    private func check(_ delivery: StressCase.Delivery, _ seen: Seen) {
        let (first, second) = (0..<StressCase.count, 1_000..<1_000 + StressCase.count)
        #expect(!seen.failed)
        switch delivery {
        case .first: #expect(seen.values(of: 0) == Array(first))
        case .both:
            #expect(seen.values(of: 0) == Array(first))
            #expect(seen.values(of: 1) == Array(second))
        case .latest: #expect(seen.last == [StressCase.count - 1, 999 + StressCase.count])
        case .some: break
        }
    }

    @Test(
        "Observers that send, subscribe and dispose during a delivery on two threads do not deadlock",
        .timeLimit(.minutes(1)), arguments: StressCase.all)
    func reentrance(_ operation: StressCase) async throws {
        for round in 0..<4 {
            let sources = [PublishSubject<Int>().serialized(), PublishSubject<Int>().serialized()]
            let stream = operation.build(sources[0].asObservable(), sources[1].asObservable())
            let seen = Shared(Seen())
            let inner = CompositeDisposable()
            // The remaining calls from inside the observer, and the number of calls to disposed observers.
            let (budget, called) = (Shared(20), Shared(0))
            let outer = SerialDisposable()
            outer.disposable = subscribe(stream, seen) {
                let left = budget.withLock { budget in
                    budget -= 1
                    return budget
                }
                guard left >= 0 else { return }
                _ = inner.insert(Self.once(stream, called))
                for source in sources { source.onNext(left) }
                stream.subscribe(onError: { _ in }).dispose()
                if left == 0, round % 2 == 0 { outer.dispose() }
            }
            try await Self.run { thread in
                for number in 0..<40 {
                    sources[thread].onNext(thread * 1_000 + number)
                    if number % 10 == 0 { _ = inner.insert(Self.once(stream, called)) }
                }
                if round % 4 == 3 { sources[thread].onCompleted() }
            }
            outer.dispose()
            inner.dispose()
            try await poll(while: sources.contains { $0.subject.hasObservers }) {
                "observed: \(sources.map(\.subject.hasObservers))"
            }
            let result = seen.withLock { $0 }
            #expect(result.overlaps == 0)
            #expect(result.ends <= 1)
            #expect(result.late == 0)
            #expect(called.withLock { $0 } == 0)
        }
    }

    /// A subscription that disposes itself at its first value. `called` counts later values, except a replay
    /// that arrived before it could dispose itself.
    private static func once(_ stream: Observable<[Int]>, _ called: Shared<Int>) -> any Disposable {
        // The subscription itself: a disposable around it does nothing while another thread is disposing it.
        let own = Shared((subscription: (any Disposable)?.none, wasCalled: false, hasLeft: false))
        let subscription = stream.subscribe(
            onNext: { _ in
                let known = own.withLock { own in
                    own.wasCalled = true
                    return own.subscription
                }
                known?.dispose()
                let isLate = own.withLock { own in
                    defer { own.hasLeft = own.hasLeft || known != nil }
                    return own.hasLeft
                }
                if isLate { called.withLock { $0 += 1 } }
            }, onError: { _ in })
        let wasCalled = own.withLock { own in
            own.subscription = subscription
            return own.wasCalled
        }
        if wasCalled { subscription.dispose() }
        return subscription
    }

    /// Runs `work` on two threads.
    private static func run(_ work: @escaping @Sendable (Int) -> Void) async throws {
        let (ended, ledger) = (Signal(), Resources.ledger)
        for thread in 0..<2 {
            DispatchQueue(label: "thread \(thread)").async {
                Resources.$ledger.withValue(ledger) { work(thread) }
                ended.fire()
            }
        }
        // Only a deadlock keeps them from ending.
        try await ended.wait(count: 2)
    }
}
