/// Tells the thread sanitizer that whatever a thread did before it resumed a continuation happens before whatever the
/// resumed task does. Compiles to nothing in other builds.
///
///     let handover = Handover()
///     defer { handover.taken() }
///     return await withUnsafeContinuation { continuation in
///         somewhere { handover.given(); continuation.resume(returning: value) }
///     }
///
/// The Swift runtime orders the two with an atomic, but announces that to the sanitizer only for tasks that it suspended. A
/// task whose continuation is already resumed never suspends.
public struct Handover: Sendable {
    #if THREAD_SANITIZER
        private final class Mark: Sendable {
            let lock = Lock(())
        }

        private let mark = Mark()
    #endif

    public init() {}

    /// Call this before resuming the continuation.
    public func given() {
        #if THREAD_SANITIZER
            mark.lock.withLock { _ in }
        #endif
    }

    /// Call this after the continuation was awaited.
    public func taken() {
        #if THREAD_SANITIZER
            mark.lock.withLock { _ in }
        #endif
    }
}
