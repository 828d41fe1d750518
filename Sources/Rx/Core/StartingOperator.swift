/// An operator that starts its sources itself: later, again, or one after the other. It passes their values
/// on, and leaves the chain once it only passes on the events of the last one.
// Sound: `begin(_:)` writes `kept` before the first start, and starts do not overlap.
@usableFromInline
class StartingOperator<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    /// The source to start; nil once it has been started for the last time.
    private final var kept: Observable<Element>?
    /// Whether the last source has started.
    private final let isLast = RelaxedAtomic(false)

    @usableFromInline
    override init(_ source: consuming Observable<Element>?) {
        super.init(source)
    }

    deinit {
        Link.free(down.takeLink())
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        let me = self
        me.keep(source)
        me.down.attach(me)
        me.sourceKept()
    }

    /// Called once the operator is attached and may start the source that it keeps.
    func sourceKept() {}

    final func keep(_ source: consuming Observable<Element>) {
        kept = consume source
    }

    /// Starts the source that it keeps, and keeps it for another start unless this is the last one.
    final func startKept(isLast: Bool) {
        guard let source = isLast ? kept.take() : kept, !upstream.isClosed else { return }
        start(source, isLast: isLast)
    }

    final func start(_ source: consuming Observable<Element>, isLast: Bool) {
        guard isLast else { return startStream(source, Downstream(self)) }
        self.isLast.set(true)
        startLast(source, Downstream(self))
    }

    /// Starts `source`, which is the last one, without looking for steps to skip below.
    final func startInPlace(_ source: consuming Observable<Element>) {
        isLast.set(true)
        startStream(source, Downstream(self))
    }

    override final func skipped(by sender: Link?) -> Link? {
        leaveChain(isLast.value, sender)
    }

    override func next(_ value: Element) {
        down.next(value)
    }
}
