import Dispatch
import Rx
import RxTesting
import TestWaiting
import Testing

/// A bounded queue between two threads.
@Suite("observe(on:capacity:overflow:)", .noLeaks)
struct ObserveOnBoundedTests {
    private let scheduler = TestScheduler()

    /// Plays marbles through a queue with a capacity of two, on a scheduler that is 5 frames late.
    private func play(_ marbles: String, _ overflow: OverflowPolicy) -> (output: String, source: [String]) {
        let scheduler = TestScheduler()
        let source = Source(marbles, scheduler)
        let output = scheduler.marbles(
            of:
                source.observable.observe(on: Late(scheduler, frames: 5), capacity: 2, overflow: overflow))
        #expect(source.census.alive == 0)
        return (output, source.subscriptions)
    }

    @Test("On an overflow, the oldest or the newest value is dropped")
    func drops() {
        #expect(play("abcd|", .dropOldest) == ("-----(cd|)", ["^---!"]))
        #expect(play("abcd|", .dropNewest) == ("-----(ab|)", ["^---!"]))
    }

    @Test("An overflow error disposes the source at once and is delivered after the queued values")
    func fails() {
        let (output, source) = play("abcd-|", .error)
        #expect(output == "-----(ab#{Arithmetic overflow occurred.})")
        #expect(source == ["^-!"])
    }

    @Test(
        "A terminal event needs no capacity and does not overtake queued values",
        arguments: [OverflowPolicy.error, .dropOldest, .dropNewest])
    func error(_ overflow: OverflowPolicy) {
        #expect(play("ab#", overflow).output == "-----(ab#)")
        #expect(play("ab|", overflow).output == "-----(ab|)")
    }

    @Test("The value being delivered does not count towards the capacity")
    func capacity() {
        for (overflow, expected) in [
            (OverflowPolicy.dropNewest, ["1", "2", "3", "done"]), (.dropOldest, ["1", "3", "4", "done"]),
            (.error, ["1", "2", "3", "error Arithmetic overflow occurred."]),
        ] {
            let subject = PublishSubject<Int>()
            let log = Log<String>()
            _ = log.record(
                subject.observe(on: scheduler, capacity: 2, overflow: overflow).do(onNext: { value in
                    guard value == 1 else { return }
                    for number in 2...4 { subject.onNext(number) }
                    subject.onCompleted()
                }))
            subject.onNext(1)
            scheduler.start()
            #expect(log.entries == expected)
            #expect(!subject.hasObservers)
        }
    }

    @Test("Capacity is reused, and the order is kept")
    func roomAgain() {
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        let subscription = subject.observe(on: scheduler, capacity: 3, overflow: .error)
            .subscribe(onNext: { log.add($0) })
        for round in 0..<50 {
            for number in 0..<(round % 4) { subject.onNext(round * 10 + number) }
            scheduler.start()
        }
        #expect(log.entries == (0..<50).flatMap { round in (0..<(round % 4)).map { round * 10 + $0 } })
        subscription.dispose()
    }

    @Test("Disposal releases queued values and delivers nothing more")
    func disposed() {
        let census = Census()
        let subject = PublishSubject<Tracked>()
        let log = Log<Int>()
        let subscription = subject.observe(on: scheduler, capacity: 5, overflow: .dropOldest)
            .subscribe(onNext: { _ in log.add(1) })
        for _ in 0..<9 { subject.onNext(Tracked(census)) }
        #expect(census.alive == 5, "dropped values are released")
        subscription.dispose()
        #expect(census.alive == 0)
        #expect(scheduler.pendingCount == 0)
        scheduler.start()
        #expect(log.entries == [])
        #expect(!subject.hasObservers)
    }

    @Test("A subscriber that disposes during a delivery receives no more queued values")
    func disposedInside() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        _ = log.record(subject.observe(on: scheduler, capacity: 9, overflow: .error).take(2))
        for number in 1...5 { subject.onNext(number) }
        scheduler.start()
        #expect(log.entries == ["1", "2", "done"])
        #expect(!subject.hasObservers)
    }

    @Test("Deliveries on an immediate scheduler do not nest")
    func immediate() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        let subscription = log.record(
            subject.observe(on: ImmediateScheduler.instance, capacity: 1, overflow: .error).do(
                onNext: { value in if value < 4 { subject.onNext(value + 1) } },
                afterNext: { log.add("after \($0)") }))
        subject.onNext(1)
        #expect(
            log.entries == ["1", "after 1", "2", "after 2", "3", "after 3", "4", "after 4"])
        subscription.dispose()
    }

    @Test(
        "Between threads, values arrive serially and in order", .timeLimit(.minutes(1)))
    func threads() async throws {
        let queue = ConcurrentDispatchQueueScheduler(qos: .default)
        for round in 0..<60 {
            let overflow: OverflowPolicy = [.error, .dropOldest, .dropNewest][round % 3]
            let log = Log<Int>()
            let state = Shared((inside: 0, overlaps: 0, failed: false))
            let subject = PublishSubject<Int>()
            try await withDeadline("round \(round): \(log.entries.count) values, no end") { continuation in
                _ = subject.observe(on: queue, capacity: 8, overflow: overflow).subscribe(
                    onNext: { value in
                        state.withLock { state in
                            state.inside += 1
                            if state.inside > 1 { state.overlaps += 1 }
                        }
                        log.add(value)
                        state.withLock { $0.inside -= 1 }
                    },
                    onError: { _ in state.withLock { $0.failed = true } },
                    onDisposed: { continuation.resume() })
                for number in 0..<300 { subject.onNext(number) }
                subject.onCompleted()
            }
            let seen = log.entries
            #expect(state.withLock { $0.overlaps } == 0)
            #expect(seen == seen.sorted())
            #expect(Set(seen).count == seen.count)
            switch overflow {
            case .error:
                #expect(seen == Array(0..<seen.count), "no value is missing before the error")
                #expect(state.withLock { $0.failed } == (seen.count < 300))
            case .dropOldest: #expect(Array(seen.suffix(8)) == Array(292..<300))
            case .dropNewest: #expect(Array(seen.prefix(8)) == Array(0..<8))
            }
            #expect(!subject.hasObservers)
        }
    }
}
