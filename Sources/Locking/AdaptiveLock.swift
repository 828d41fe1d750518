public import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A `Lock` that spins before it sleeps, for state that many threads want at once. One or two nanoseconds
/// slower without contention.
///
/// On Linux a `Mutex` passes to the thread that has slept on it the longest. Once a few threads sleep, every
/// operation takes a context switch (50 us instead of 50 ns), and each arriving thread goes to sleep as well:
/// eight threads on two cores stay in that state for seconds. So threads spin first, and sleep on the mutex
/// only if they get no turn.
public struct AdaptiveLock<State>: ~Copyable, Sendable {
    @usableFromInline let isTaken = Atomic<Bool>(false)
    @usableFromInline let lock: Lock<State>

    /// Creates a lock with the state that it guards.
    @inlinable
    public init(_ initial: consuming sending State) {
        lock = Lock(initial)
    }

    /// Returns what `body` returns, called with the state while no other thread has it. `body` must be short.
    @inlinable
    public borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        if isTaken.exchange(true, ordering: .acquiring) { waitForTurn() }
        // A thread that got no turn clears the flag too. At worst two threads then meet at the mutex.
        defer { isTaken.store(false, ordering: .releasing) }
        return try lock.withLock(body)
    }

    /// Spins until the flag is free. Gives up after a while, because the holder may be descheduled.
    @usableFromInline
    @inline(never)
    borrowing func waitForTurn() {
        for attempt in 0..<maximumAttempts {
            if attempt >= attemptsBeforeYielding { sched_yield() }
            if !isTaken.load(ordering: .relaxed), !isTaken.exchange(true, ordering: .acquiring) { return }
        }
    }
}

private let attemptsBeforeYielding = 64
private let maximumAttempts = 256
