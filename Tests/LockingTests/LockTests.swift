import Dispatch
import Locking
import Testing

@Suite("Lock")
struct LockTests {
    private final class Counter: Sendable {
        let value = Lock(0)
    }

    @Test("Threads that add under the lock lose nothing")
    func threadsThatAddUnderTheLockLoseNothing() {
        let counter = Counter()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { counter.value.withLock { $0 += 1 } }
        }
        #expect(counter.value.withLock { $0 } == 80_000)
    }

    @Test("An error thrown inside leaves the lock free")
    func anErrorThrownInsideLeavesTheLockFree() {
        struct Failure: Error {}
        let counter = Counter()
        #expect(throws: Failure.self) { try counter.value.withLock { _ in throw Failure() } }
        #expect(counter.value.withLock { $0 } == 0)
    }

    @Test("A debug build stops where foreign code is called under a lock, and nowhere else")
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
