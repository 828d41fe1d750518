public import Rx

/// Something of one loop that whoever holds it may end from any thread: at once on the loop, elsewhere the end is handed
/// to it.
///
/// `@unchecked Sendable` is sound: `dispose()` is all that other threads may call, and it leads to the loop; what a subclass
/// adds is the loop's alone.
open class LoopDisposable: Disposable, @unchecked Sendable {
    public final let loop: EventLoop

    /// On the loop only.
    public init(on loop: EventLoop) {
        assert(loop.isCurrent, "what belongs to a loop is begun there")
        self.loop = loop
    }

    /// Ends it. On the loop; nothing happens after the end.
    open func cancel() {}

    public final func dispose() {
        guard !loop.isCurrent else { return cancel() }
        loop.execute { self.cancel() }
    }
}
