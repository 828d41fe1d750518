#if DEBUG
    #if canImport(Glibc)
        import Glibc
    #else
        import Darwin
    #endif
#endif

/// Counts the current thread's locks in debug builds, to stop calls to foreign code under a lock.
@usableFromInline
package enum HeldLocks {
    @inlinable
    package static func assertNone() {
        #if DEBUG
            precondition(count == 0, "foreign code called while holding a lock")
        #endif
    }

    @inlinable
    static func didLock() {
        #if DEBUG
            add(1)
        #endif
    }

    @inlinable
    static func willUnlock() {
        #if DEBUG
            add(-1)
        #endif
    }

    #if DEBUG
        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            let status = pthread_key_create(&key, nil)
            precondition(status == 0, "no thread-specific key is left")
            return key
        }()

        // The thread-specific value is the count itself, not a pointer to it.
        @usableFromInline static var count: Int { Int(bitPattern: pthread_getspecific(key)) }

        @usableFromInline
        static func add(_ change: Int) {
            pthread_setspecific(key, UnsafeRawPointer(bitPattern: count + change))
        }
    #endif
}
