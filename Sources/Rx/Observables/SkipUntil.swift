extension ObservableType {
    /// The values after `other` has sent one. Where this stream completes before that, nothing is sent, not even the end;
    /// where `other` completes without a value neither. An error of either is passed on.
    @inlinable
    public consuming func skip<Source: ObservableType>(until other: Source) -> Observable<Element> {
        SkipUntil(asObservable(), Trigger(other.asObservable()))
    }
}

@usableFromInline
final class SkipUntil<Element: Sendable>: GatedOperator<Element, Element>, TriggerTarget, @unchecked Sendable
{
    private let trigger: Trigger
    private let other = LinkSlot()
    /// The gate's owner's.
    @exclusivity(unchecked)
    private var isOpen = false

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ trigger: Trigger) {
        self.trigger = trigger
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, trigger)
    }

    override class func begin(
        _ step: consuming Operator<Element, Element>, _ source: consuming Observable<Element>
    ) {
        let me = unsafeDowncast(step, to: SkipUntil<Element>.self)
        me.down.attach(me)
        type(of: source).run(consume source, Port(me))
        guard !me.upstream.isClosed else { return }
        me.trigger.start(me) { me.other.set($0) }
    }

    override func ended() {
        other.closeAndStop()
    }

    override func received(_ value: Element) {
        if isOpen { down.next(value) }
    }

    override func sourceCompleted() {
        if isOpen { end() } else { stop() }
    }

    func triggerFired() {
        asOwner {
            self.isOpen = true
            self.other.closeAndStop()
        }
    }

    func triggerFailed(_ error: any Error) {
        self.error(error)
    }

    func triggerCompleted() {}
}
