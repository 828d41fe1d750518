/// Tells the thread sanitizer that work before a resumption happens before the resumed task. Empty in other builds.
///
///     let handover = Handover()
///     defer { handover.taken() }
///     return await withUnsafeContinuation { continuation in
///         somewhere { handover.given(); continuation.resume(returning: value) }
///     }
///
/// The Swift runtime orders them with an atomic, but tells the sanitizer only about tasks that it suspended. A task
/// does not suspend if its continuation is already resumed.
public struct Handover: Sendable {
    #if THREAD_SANITIZER
        private final class Mark: Sendable {
            let lock = Lock(())
        }

        private let mark = Mark()
    #endif

    public init() {}

    public func given() {
        #if THREAD_SANITIZER
            mark.lock.withLock { _ in }
        #endif
    }

    public func taken() {
        #if THREAD_SANITIZER
            mark.lock.withLock { _ in }
        #endif
    }
}
