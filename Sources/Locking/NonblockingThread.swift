#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Marks the threads of event loops. Each serves many streams, so it must not wait for one of them.
package enum NonblockingThread {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key, nil)
        precondition(status == 0, "no thread-specific key is left")
        return key
    }()

    /// Whether a loop runs on this thread.
    package static var isCurrent: Bool { pthread_getspecific(key) != nil }

    /// Runs a loop on this thread.
    package static func run(_ loop: () -> Void) {
        // Any value but nil.
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
        defer { pthread_setspecific(key, nil) }
        loop()
    }
}
