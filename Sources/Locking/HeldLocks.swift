#if DEBUG
    import Glibc
#endif

/// How many locks the current thread holds. Known to debug builds, which stop where foreign code is called under one; in
/// others nothing is left of it.
@usableFromInline
package enum HeldLocks {
    /// Stops a debug build when the current thread holds a `Lock`.
    @inlinable
    package static func assertNone() {
        #if DEBUG
            precondition(count == 0, "foreign code is called under a lock")
        #endif
    }

    @inlinable
    static func taken() {
        #if DEBUG
            add(1)
        #endif
    }

    @inlinable
    static func given() {
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

        // The count itself is where a pointer would be.
        @usableFromInline static var count: Int {
            Int(bitPattern: pthread_getspecific(key))
        }

        @usableFromInline
        static func add(_ change: Int) {
            pthread_setspecific(key, UnsafeRawPointer(bitPattern: count + change))
        }
    #endif
}
