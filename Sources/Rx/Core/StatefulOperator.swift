/// An operator that keeps the link to its source, because it can end the stream itself or must know that the stream has
/// ended. The first terminal event or disposal closes its slot. Later events are dropped.
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

    /// Stops the source once the end has been passed on, or earlier if the steps below want no more. Overrides also
    /// release everything else that the operator holds.
    override func stop() {
        upstream.closeAndStop()
    }

    override final func endReceived() {
        if !upstream.isClosed { stop() }
    }

    override func error(_ error: any Error) {
        guard upstream.end() else { return }
        down.error(error)
        stop()
    }

    override func completed() {
        guard upstream.end() else { return }
        down.completed()
        stop()
    }

    final func finish(with value: Out) {
        guard upstream.end() else { return }
        down.last(value)
        stop()
    }
}
