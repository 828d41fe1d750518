import Dispatch
import Foundation
import Locking
import TestWaiting
import Testing

@Suite("Lock")
struct LockTests {
    private final class Counter: Sendable {
        let value = Lock(0)
    }

    @Test("No increment is lost when threads add under the lock")
    func threadsThatAddUnderTheLockLoseNothing() {
        let counter = Counter()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { counter.value.withLock { $0 += 1 } }
        }
        #expect(counter.value.withLock { $0 } == 80_000)
    }

    @Test("No increment is lost when eight threads contend for an AdaptiveLock while its holder is slow")
    func contendedAdaptiveLock() async throws {
        final class Counter: Sendable {
            let value = AdaptiveLock(0)
        }
        let counter = Counter()
        let (inside, done) = (Signal(), Signal())
        let add: @Sendable () -> Void = {
            for _ in 0..<10_000 { counter.value.withLock { $0 += 1 } }
        }
        Thread.detachNewThread {
            counter.value.withLock { value in
                inside.fire()
                // Long enough for the other threads to give up spinning and sleep.
                for _ in 0..<2_000 { sched_yield() }
                value += 1
            }
            done.fire()
        }
        try await inside.wait()
        for _ in 0..<8 {
            Thread.detachNewThread {
                add()
                done.fire()
            }
        }
        try await done.wait(count: 9)
        #expect(counter.value.withLock { $0 } == 80_001)
    }

    @Test("An error thrown inside withLock releases the lock")
    func anErrorThrownInsideLeavesTheLockFree() {
        struct Failure: Error {}
        let counter = Counter()
        #expect(throws: Failure.self) { try counter.value.withLock { _ in throw Failure() } }
        let adaptive = AdaptiveLock(1)
        #expect(throws: Failure.self) { try adaptive.withLock { _ in throw Failure() } }
        #expect(adaptive.withLock { $0 } == 1)
        #expect(counter.value.withLock { $0 } == 0)
    }

    @Test("A debug build stops the program only if foreign code is called under a lock")
    func foreignCodeUnderALock() async {
        HeldLocks.assertNone()
        let counter = Counter()
        counter.value.withLock { $0 += 1 }
        #expect(throws: CancellationError.self) {
            try counter.value.withLock { _ in throw CancellationError() }
        }
        HeldLocks.assertNone()
        #if DEBUG
            await #expect(processExitsWith: .failure) {
                let lock = Lock(0)
                lock.withLock { _ in HeldLocks.assertNone() }
            }
        #endif
    }
}
