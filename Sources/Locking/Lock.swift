#if THREAD_SANITIZER
    #if canImport(Glibc)
        import Glibc
    #else
        import Darwin
    #endif
#else
    public import Synchronization
#endif

// The thread sanitizer does not see `Synchronization.Mutex` on Linux and reports races inside a contended
// lock. Its builds define THREAD_SANITIZER and use a pthread mutex instead.

#if THREAD_SANITIZER
    // Sound: it adds only constants, and accesses `storage` only while `mutex` is locked.
    /// The lock of builds for the thread sanitizer, which sees a pthread mutex.
    public struct Lock<State: ~Copyable>: ~Copyable, @unchecked Sendable {
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        private let storage: UnsafeMutablePointer<State>

        /// Creates a lock with the state that it guards.
        public init(_ initial: consuming sending State) {
            mutex = .allocate(capacity: 1)
            pthread_mutex_init(mutex, nil)
            storage = .allocate(capacity: 1)
            storage.initialize(to: initial)
        }

        deinit {
            storage.deinitialize(count: 1)
            storage.deallocate()
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        /// Returns what `body` returns, called with the state while no other thread has it.
        public borrowing func withLock<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(mutex)
            HeldLocks.didLock()
            defer {
                HeldLocks.willUnlock()
                pthread_mutex_unlock(mutex)
            }
            return try body(&storage.pointee)
        }
    }
#else
    /// A value that only one thread at a time can reach.
    ///
    /// Put all state that threads share into one `State` behind one `Lock`. Not recursive. Never call an
    /// observer, a handler or any other foreign code inside `withLock`: decide under the lock, act after it.
    /// Debug builds check this with `HeldLocks.assertNone()`.
    public struct Lock<State: ~Copyable>: ~Copyable, Sendable {
        @usableFromInline let mutex: Mutex<State>

        /// Creates a lock with the state that it guards.
        @inlinable
        public init(_ initial: consuming sending State) {
            mutex = Mutex(initial)
        }

        /// Returns what `body` returns, called with the state while no other thread has it.
        @inlinable
        public borrowing func withLock<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            HeldLocks.didLock()
            defer { HeldLocks.willUnlock() }
            return try mutex.withLock(body)
        }
    }
#endif
