/// Something on a loop that any thread may cancel.
///
/// `@unchecked Sendable`: it adds only constants. `dispose()` hands over to the loop, where subclasses use
/// their state.
open class LoopDisposable: @unchecked Sendable {
    /// The loop on which the work is disposed of.
    public final let loop: EventLoop

    /// Creates a disposable for work on a loop.
    public init(on loop: EventLoop) {
        assert(loop.isCurrent, "a loop disposable must be created on its event loop")
        self.loop = loop
    }

    /// Called on the loop. Must have no effect once the work is over.
    open func cancel() {}

    /// Disposes of what it holds. Further calls have no effect.
    public final func dispose() {
        guard !loop.isCurrent else { return cancel() }
        loop.execute { self.cancel() }
    }
}
