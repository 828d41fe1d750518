public import Rx

/// Something of one loop that can be ended there before it has ended by itself.
public protocol LoopCancellable: AnyObject {
    /// On the loop. Nothing happens after the end.
    func cancel()
}

/// Ends something of a loop from any thread: at once on the loop, elsewhere it is handed to it.
///
/// `@unchecked Sendable` is sound: `target` is written before anybody else knows of this object, and then touched only
/// on the loop.
public final class LoopDisposable: Disposable, @unchecked Sendable {
    private let loop: EventLoop
    @exclusivity(unchecked) private var target: (any LoopCancellable)?

    /// On the loop only.
    public init(_ target: any LoopCancellable, on loop: EventLoop) {
        assert(loop.isCurrent, "what belongs to a loop is begun there")
        self.loop = loop
        self.target = target
    }

    public func dispose() {
        guard !loop.isCurrent else { return end() }
        loop.execute { self.end() }
    }

    private func end() {
        guard let ended = target else { return }
        target = nil
        ended.cancel()
    }
}
