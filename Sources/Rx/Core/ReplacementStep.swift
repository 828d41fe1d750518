/// The stream that replaces an operator's source after a timeout. It takes the operator's place downstream as
/// it starts. The old source is stopped after that or by a stop from downstream.
// Sound: it adds only constants, locks and atomics.
final class ReplacementStep<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    /// The operator's old source.
    private let predecessor = LinkSlot()
    private let isStarted = RelaxedAtomic(false)

    deinit {
        Link.free(down.takeLink())
    }

    /// Starts `source` towards `port` for an operator that has closed its slot.
    static func start(
        _ source: Observable<Element>, _ port: consuming Downstream<Element>,
        after predecessor: consuming ClosedLink
    ) {
        var port = port
        _ = port.skip(nil)
        let successor = ReplacementStep<Element>(nil)
        if let link = predecessor.take() { successor.predecessor.set(link) }
        successor.down.takeStep(of: consume port)
        successor.down.attach(successor)
        if !successor.upstream.isClosed { startStream(source, Downstream(successor)) }
        successor.predecessor.closeAndStop()
        successor.isStarted.set(true)
    }

    override func skipped(by sender: Link?) -> Link? {
        leaveChain(isStarted.value, sender)
    }

    override func next(_ value: Element) {
        down.next(value)
    }

    override func last(_ value: Element) {
        finish(with: value)
    }

    override func stop(_ stops: inout DisposalStack) {
        predecessor.close(&stops)
        super.stop(&stops)
    }
}
