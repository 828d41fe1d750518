import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Guards an operator's state against sources that break the grammar: threads that feed one subject at once
/// enter one at a time. Leave the guard before sending, so that subscribers may feed the same subject again.
/// It spins before it sleeps, because it is held only while a closure of the operator runs. In a program that
/// keeps the grammar no thread waits.
struct StateGuard: ~Copyable {
    private let owner = Atomic<UInt>(0)

    init() {}

    /// Waits until no other thread is inside. Returns false if this thread is: a closure of the operator has
    /// sent a value to its own stream, which drops it because the state is being changed.
    @inline(__always)
    func enter() -> Bool {
        #if canImport(Glibc)
            let thread = UInt(pthread_self())
        #else
            let thread = UInt(bitPattern: pthread_self())
        #endif
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
            assertionFailure("a closure of an operator has sent a value to its own stream")
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
