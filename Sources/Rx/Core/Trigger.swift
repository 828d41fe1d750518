/// What an operator does when a second stream, whose values do not matter to it, sends something.
protocol TriggerTarget: Link {
    func triggerFired()
    func triggerFailed(_ error: any Error)
    func triggerCompleted()
}

/// A second stream without its type.
@usableFromInline
struct Trigger: Sendable {
    private let begin: @Sendable (any TriggerTarget, (Link) -> Void) -> Void

    @usableFromInline
    init<Element: Sendable>(_ source: Observable<Element>) {
        begin = { target, keep in
            let step = TriggerStep<Element>(target)
            keep(step)
            guard !step.upstream.isClosed else { return }
            startStream(source, Port(step))
        }
    }

    /// Starts it; `keep` gets the link to stop it before it starts.
    func start(_ target: any TriggerTarget, _ keep: (Link) -> Void) {
        begin(target, keep)
    }
}

private final class TriggerStep<Element: Sendable>: Inner<Element>, @unchecked Sendable {
    private let target: any TriggerTarget

    init(_ target: any TriggerTarget) {
        self.target = target
        super.init()
    }

    override func next(_ value: Element) {
        if !upstream.isClosed { target.triggerFired() }
    }

    override func failed(_ error: any Error) {
        target.triggerFailed(error)
    }

    override func finished() {
        target.triggerCompleted()
    }
}
