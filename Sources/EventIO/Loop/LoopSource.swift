public import Rx

/// Work that a loop does for a subscriber, such as a call to an upstream. The conforming type describes the
/// work; `Running` is the work of one subscription and belongs to the loop.
public protocol LoopWork: Sendable {
    associatedtype Output: Sendable
    associatedtype Running: AnyObject

    var loop: EventLoop { get }

    /// Starts the work. Called on the loop. The work reports its end to `source`, at once or later, on the
    /// loop.
    func start(for source: LoopSource<Self>) -> Running

    /// The error for subscribers once the loop has ended. Called on any thread.
    var loopEnded: any Error { get }

    /// Ends the work, after its last report or when the subscriber cancels. Called once, on the loop.
    func end(_ running: Running)
}

/// A cold source whose work runs on a loop. Any thread may subscribe and dispose; on the loop both take
/// effect at once.
///
/// `@unchecked Sendable`: `work` is constant, and `running` is used on the loop only.
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
        // Disposed before the loop could start it.
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
