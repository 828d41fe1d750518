import Dispatch
import Rx
import RxTesting
import TestWaiting
import Testing

@Suite("scheduleRecursive", .noLeaks)
struct RecursiveWorkTests {
    @Test("Each state runs in its own turn, and a hundred thousand turns do not nest on the current thread")
    func turns() {
        let scheduler = ManualScheduler()
        let log = Log<String>()
        _ = scheduler.scheduleRecursive(3) { state, recurse in
            log.add("\(state)")
            if state > 1 { recurse(state - 1) }
            log.add("left \(state)")
        }
        scheduler.start()
        #expect(log.entries == ["3", "left 3", "2", "left 2", "1", "left 1"])
        let count = Shared(0)
        _ = CurrentThreadScheduler.instance.scheduleRecursive(100_000) { state, recurse in
            count.withLock { $0 += 1 }
            if state > 1 { recurse(state - 1) }
        }
        #expect(count.withLock { $0 } == 100_000)
    }

    @Test("A state may schedule several further states")
    func branches() {
        let scheduler = ManualScheduler()
        let log = Log<Int>()
        _ = scheduler.scheduleRecursive(1) { state, recurse in
            log.add(state)
            if state < 4 {
                recurse(state * 2)
                recurse(state * 2 + 1)
            }
        }
        scheduler.start()
        #expect(log.entries == [1, 2, 3, 4, 5, 6, 7])
        #expect(scheduler.pendingCount == 0)
    }

    @Test("Disposal ends recursive work, even during a turn, and leaves nothing scheduled")
    func disposed() {
        let scheduler = ManualScheduler()
        let log = Log<Int>()
        let work = SingleAssignmentDisposable()
        work.setDisposable(
            scheduler.scheduleRecursive(1) { state, recurse in
                log.add(state)
                if state == 2 { work.dispose() }
                recurse(state + 1)
            })
        scheduler.start()
        #expect(log.entries == [1, 2])
        let waiting = scheduler.scheduleRecursive(1) { state, _ in log.add(state) }
        waiting.dispose()
        #expect(scheduler.pendingCount == 0)
        scheduler.start()
        #expect(log.entries == [1, 2])
    }

    @Test("Concurrent disposal ends running work permanently")
    func raced() async throws {
        for _ in 0..<200 {
            let queue = SerialDispatchQueueScheduler(qos: .default)
            let turns = Shared(0)
            let work = queue.scheduleRecursive(0) { state, recurse in
                turns.withLock { $0 += 1 }
                recurse(state + 1)
            }
            // Uses this thread too: tasks might wait forever for a thread that the endless work occupies.
            DispatchQueue.concurrentPerform(iterations: 2) { _ in work.dispose() }
            // A last turn may still be running or queued, and is counted before the second check.
            let ended = try await count(turns, behind: queue)
            #expect(try await count(turns, behind: queue) == ended)
        }
    }

    /// The value of `turns` after `queue` has run its pending work.
    private func count(_ turns: Shared<Int>, behind queue: SerialDispatchQueueScheduler) async throws -> Int {
        try await withDeadline("\(turns.withLock { $0 }) turns, the queue is busy") { continuation in
            _ = queue.schedule(()) {
                continuation.resume(returning: turns.withLock { $0 })
                return Disposables.create()
            }
        }
    }
}
