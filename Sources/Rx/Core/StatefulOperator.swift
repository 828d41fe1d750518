/// An operator that keeps what feeds it, because it can end the stream itself or has to know that the stream has ended.
///
/// The first terminal event or disposal closes its slot. Later events are dropped.
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

    /// Stops what feeds it, once the end has been passed on or the steps below want no more, even while the end is being
    /// passed on. An operator that holds more than its source releases all of it here.
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

    /// Sends the last value and the end.
    final func finish(with value: Out) {
        guard upstream.end() else { return }
        down.last(value)
        stop()
    }
}
