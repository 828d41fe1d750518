/// An operator that keeps the link to its source, because it can end the stream itself or must know that the
/// stream has ended. The first terminal event or disposal closes its slot. Later events are dropped.
// Sound: it adds only constants, locks and atomics.
@usableFromInline
class StatefulOperator<In: Sendable, Out: Sendable>: Operator<In, Out>, @unchecked Sendable {
    final let upstream = LinkSlot()

    @usableFromInline
    @inline(__always)
    override init(_ source: consuming Observable<In>?) {
        super.init(source)
    }

    override consuming func begin(_ source: consuming Observable<In>) {
        down.attach(self)
        super.begin(source)
    }

    override func attach(_ upstream: Link) {
        self.upstream.set(upstream)
    }

    /// Stops the source once the end has been passed on, or earlier if the steps below want no more.
    /// Overrides also release everything else that the operator holds.
    override func stop(_ stops: inout DisposalStack) {
        upstream.close(&stops)
    }

    /// Takes this step, which only passes on the events of its source from now on if `isLast`, out of the
    /// chain.
    final func leaveChain(_ isLast: Bool, _ sender: Link?) -> Link? {
        guard isLast, upstream.end() else { return nil }
        upstream.closeAfterEnd(of: sender)
        return down.link
    }

    /// The same for an operator that passes on the events of `inner` alone once its source has completed and
    /// the other inner sources have. It delivers as the owner of `gate`.
    final func leaveChain(
        _ inner: any InnerListMember, _ sender: Link?, _ gate: borrowing SerialGate,
        _ inners: borrowing InnerList
    ) -> Link? {
        // If the gate is taken, the operator is delivering.
        guard gate.enter() else { return nil }
        var next: Link?
        if inners.isLast(inner), upstream.end() {
            _ = inners.close()
            upstream.closeAfterEnd()
            inner.detach(sender)
            next = down.link
        }
        gate.leave()
        return next
    }

    /// Skips the steps below that only pass events on. Called by the owner of the gate that guards `down`,
    /// once this step only passes on the events of one source. Does nothing after the end: then another
    /// source feeds the steps below.
    final func skipBelow() {
        if !upstream.isClosed, down.skip(self) { down.attach(self) }
    }

    /// Starts the source whose events this step only passes on from now on. If the same holds for steps
    /// below, the source takes the place of all of them, so a recursive stream does not grow. Otherwise this
    /// step stays, and `skipped(by:)` has to call `leaveChain(_:)`. The source before has been stopped.
    final func startLast(_ source: consuming Observable<Out>, _ port: consuming Downstream<Out>) {
        var below = down.share()
        if below.skip(self) {
            guard upstream.end() else { return }
            startStream(source, below)
        } else {
            startStream(source, port)
        }
    }

    override final func endReceived() {
        if !upstream.isClosed { stop() }
    }

    override func error(_ error: any Error) {
        guard upstream.end() else { return }
        down.error(error)
        stopAfterEnd()
    }

    override func completed() {
        guard upstream.end() else { return }
        down.completed()
        stopAfterEnd()
    }

    final func finish(with value: Out) {
        guard upstream.end() else { return }
        down.last(value)
        stopAfterEnd()
    }

    /// Stops this step, unless a step below has done so while it received the end.
    @inline(__always)
    final func stopAfterEnd() {
        if !upstream.isClosedForGood { stop() }
    }
}
