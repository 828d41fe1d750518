public import Rx

/// Something on a loop that any thread may cancel: at once on the loop, handed over from elsewhere.
///
/// `@unchecked Sendable`: other threads may only call `dispose()`, which hands over to the loop; the state of
/// subclasses is used on the loop only.
open class LoopDisposable: Disposable, @unchecked Sendable {
    public final let loop: EventLoop

    /// Call it on the loop.
    public init(on loop: EventLoop) {
        assert(loop.isCurrent, "a loop disposable must be created on its event loop")
        self.loop = loop
    }

    /// Cancels it. Called on the loop; has no effect once it is over.
    open func cancel() {}

    public final func dispose() {
        guard !loop.isCurrent else { return cancel() }
        loop.execute { self.cancel() }
    }
}
