import Locking

/// An operator that reacts to a second stream but ignores its values.
protocol NotifierTarget: Link {
    func notifierFired()
    func notifierFailed(_ error: any Error)
    func notifierCompleted()
}

/// A second stream, with its element type erased.
@usableFromInline
struct Notifier: Sendable {
    private let begin: @Sendable (any NotifierTarget, (Link) -> Void) -> Void

    @usableFromInline
    init<Element: Sendable>(_ source: Observable<Element>) {
        begin = { target, keep in
            let step = NotifierStep<Element>(target)
            keep(step)
            guard !step.upstream.isClosed else { return }
            startStream(source, Downstream(step), before: .stream)
        }
    }

    /// Passes the link that stops the stream to `keep`, then starts the stream.
    func start(_ target: any NotifierTarget, _ keep: (Link) -> Void) {
        begin(target, keep)
    }
}

// Sound: it adds only constants, locks and atomics.
private final class NotifierStep<Element: Sendable>: InnerStep<Element>, @unchecked Sendable {
    /// Nil once the step is about to be freed.
    private let target: Lock<(any NotifierTarget)?>

    init(_ target: any NotifierTarget) {
        self.target = Lock(target)
        super.init()
    }

    private var current: (any NotifierTarget)? {
        target.withLock { $0 }
    }

    override func unlink(_ others: inout [Link]) -> Link? {
        target.withLock { $0.take() }
    }

    override func next(_ value: Element) {
        if !upstream.isClosed { current?.notifierFired() }
    }

    override func failed(_ error: any Error) {
        current?.notifierFailed(error)
    }

    override func finished() {
        current?.notifierCompleted()
    }
}
