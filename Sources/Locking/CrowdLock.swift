import Glibc
public import Synchronization

/// A `Lock` for what many threads may want at once, a nanosecond or two slower than one where nobody else does.
///
/// A `Mutex` on Linux is handed to the thread that has slept longest on it. As soon as a few sleep, each operation takes a
/// switch of threads, which is 50 us in place of 50 ns, and whoever comes meanwhile sleeps too: eight threads on two cores do not
/// get out of that for seconds. So threads take turns in front of it, awake; one that finds no turn goes to sleep there at last.
public struct CrowdLock<State>: ~Copyable, Sendable {
    @usableFromInline let isTaken = Atomic<Bool>(false)
    @usableFromInline let lock: Lock<State>

    @inlinable
    public init(_ initial: consuming sending State) {
        lock = Lock(initial)
    }

    @inlinable
    public borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        if isTaken.exchange(true, ordering: .acquiring) { waitForTurn() }
        // Also one that got no turn: at worst two have one then, and meet in the lock.
        defer { isTaken.store(false, ordering: .releasing) }
        return try lock.withLock(body)
    }

    /// Waits until it has a turn, or has waited long enough: a holder that does not run meanwhile may not do so for long.
    @usableFromInline
    @inline(never)
    borrowing func waitForTurn() {
        for attempt in 0..<mostAttempts {
            if attempt >= attemptsBeforeYielding { sched_yield() }
            if !isTaken.load(ordering: .relaxed), !isTaken.exchange(true, ordering: .acquiring) { return }
        }
    }
}

private let attemptsBeforeYielding = 64
private let mostAttempts = 256
