/// Tells the thread sanitizer that what precedes `release()` happens before what follows `acquire()`: the
/// work before a resumption, and the resumed task. Empty in other builds.
///
///     let happensBefore = HappensBeforeEdge()
///     defer { happensBefore.acquire() }
///     return await withUnsafeContinuation { continuation in
///         somewhere { happensBefore.release(); continuation.resume(returning: value) }
///     }
///
/// The Swift runtime orders them with an atomic, but tells the sanitizer only about tasks that it suspended.
/// A task does not suspend if its continuation is already resumed.
public struct HappensBeforeEdge: Sendable {
    #if THREAD_SANITIZER
        private final class SharedLock: Sendable {
            let lock = Lock(())
        }

        private let shared = SharedLock()
    #endif

    /// Creates an edge that nothing has been released on.
    public init() {}

    /// Publishes what this thread has written.
    public func release() {
        #if THREAD_SANITIZER
            shared.lock.withLock { _ in }
        #endif
    }

    /// Makes visible what was written before `release`.
    public func acquire() {
        #if THREAD_SANITIZER
            shared.lock.withLock { _ in }
        #endif
    }
}
