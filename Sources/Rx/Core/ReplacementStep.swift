/// The stream that an operator goes on with in place of its source. Where it begins it takes the operator's place below, so that
/// what stops it from there also stops the source, which is left only once it has begun.
// Sound: it adds only constants, locks and atomics.
final class ReplacementStep<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    /// What the operator was fed by.
    private let predecessor = LinkSlot()

    /// Starts `source` towards `port` for an operator that has ended, whose slot was closed.
    static func start(
        _ source: Observable<Element>, _ port: consuming Downstream<Element>,
        after predecessor: consuming ClosedLink
    ) {
        let successor = ReplacementStep<Element>(nil)
        if let link = predecessor.take() { successor.predecessor.set(link) }
        successor.down.lead(consume port)
        successor.down.attach(successor)
        if !successor.upstream.isClosed { startStream(source, Downstream(successor)) }
        successor.predecessor.closeAndStop()
    }

    override func next(_ value: Element) {
        down.next(value)
    }

    override func last(_ value: Element) {
        finish(with: value)
    }

    override func stop() {
        super.stop()
        predecessor.closeAndStop()
    }
}
