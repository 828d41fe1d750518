import Glibc
import Synchronization

/// Guards what an operator keeps from one event to the next, for sources that break the grammar: threads that feed one subject
/// at once come to it one at a time, and nothing that they share is torn.
///
///     guard state.enter() else { return }
///     change what is kept
///     state.leave()
///     send
///
/// It is left before anything is sent, so that the subscribers may feed the same subject again. Not a lock of the kind that
/// sleeps: it is held for as long as a closure of the operator runs, and nobody else comes in a program that keeps the grammar.
struct StateGuard: ~Copyable {
    private let owner = Atomic<UInt>(0)

    init() {}

    /// Waits until nobody else is inside. False where this thread is: a closure that changes what is kept has sent to the
    /// stream that it is called for. Its value is dropped then, since what it would change is being changed.
    @inline(__always)
    func enter() -> Bool {
        let thread = UInt(pthread_self())
        return owner.compareExchange(expected: 0, desired: thread, ordering: .acquiring).exchanged
            || wait(thread)
    }

    @inline(__always)
    func leave() {
        owner.store(0, ordering: .releasing)
    }

    @inline(never)
    private func wait(_ thread: UInt) -> Bool {
        guard owner.load(ordering: .relaxed) != thread else {
            assertionFailure("a closure of an operator has sent a value to the stream that it is called for")
            return false
        }
        var attempts = 0
        while !owner.weakCompareExchange(expected: 0, desired: thread, ordering: .acquiring).exchanged {
            attempts += 1
            if attempts > 1_000 { usleep(50) } else if attempts > 64 { sched_yield() }
        }
        return true
    }
}
