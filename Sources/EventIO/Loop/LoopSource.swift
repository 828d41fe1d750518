public import Rx

/// Work that one loop does for a subscriber: a call to an upstream, say. What is kept here describes the work and is
/// the same for every subscription; `Running` is the one that a subscription started, confined to the loop.
public protocol LoopWork: Sendable {
    associatedtype Output: Sendable
    associatedtype Running: AnyObject

    var loop: EventLoop { get }

    /// Starts the work, on the loop. It reports its end to `source`, at once or later, on the loop.
    func start(for source: LoopSource<Self>) -> Running

    /// What a subscriber is told when the loop has ended. On any thread.
    var loopEnded: any Error { get }

    /// Ends the work, on the loop: after its last report, or when nobody wants it any more. Called once.
    func end(_ running: Running)
}

/// A cold source whose work is done by a loop. It may be subscribed to and disposed from any thread; on the loop
/// both happen at once, elsewhere they are handed to it.
///
/// `@unchecked Sendable` is sound: `work` never changes, and `running` is touched only on the loop.
public final class LoopSource<Work: LoopWork>: Emitter<Work.Output>, @unchecked Sendable {
    public let work: Work
    private var running: Work.Running?

    public init(_ work: consuming Work) {
        self.work = work
        super.init()
    }

    public override func copy() -> Emitter<Work.Output> { LoopSource(work) }

    public override func begin() {
        guard !work.loop.isCurrent else { return start() }
        let isAccepted = work.loop.execute { self.start() }
        if !isAccepted { onError(work.loopEnded) }
    }

    public override func cancel() {
        guard !work.loop.isCurrent else { return end() }
        work.loop.execute { self.end() }
    }

    private func start() {
        // Disposed on the loop before the loop came to start it.
        guard !isStopped else { return }
        let started = work.start(for: self)
        if isStopped { work.end(started) } else { running = started }
    }

    private func end() {
        guard let ended = running else { return }
        running = nil
        work.end(ended)
    }
}
