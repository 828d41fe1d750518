/// What one thread did before a continuation was resumed, shown to the thread sanitizer as done before what the task does
/// then. Nothing in other builds.
///
///     let handover = Handover()
///     defer { handover.taken() }
///     return await withUnsafeContinuation { continuation in
///         somewhere { handover.given(); continuation.resume(returning: value) }
///     }
///
/// A task that finds its continuation resumed already goes on at once, and the Swift runtime, which orders the two by an
/// atomic, announces to the sanitizer only those that it had suspended.
public struct Handover: Sendable {
    #if THREAD_SANITIZER
        private final class Mark: Sendable {
            let lock = Lock(())
        }

        private let mark = Mark()
    #endif

    public init() {}

    /// Before the continuation is resumed.
    public func given() {
        #if THREAD_SANITIZER
            mark.lock.withLock { _ in }
        #endif
    }

    /// After it was awaited.
    public func taken() {
        #if THREAD_SANITIZER
            mark.lock.withLock { _ in }
        #endif
    }
}
