extension ObservableType {
    /// The values until `other` sends one. The completion of `other` changes nothing, its error is passed on.
    @inlinable
    public consuming func take<Source: ObservableType>(until other: Source) -> Observable<Element> {
        TakeUntil(asObservable(), Trigger(other.asObservable()))
    }
}

@usableFromInline
final class TakeUntil<Element: Sendable>: GatedOperator<Element, Element>, TriggerTarget, @unchecked Sendable
{
    private let trigger: Trigger
    private let other = LinkSlot()

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
        let me = unsafeDowncast(step, to: TakeUntil<Element>.self)
        me.down.attach(me)
        me.trigger.start(me) { me.other.set($0) }
        guard !me.upstream.isClosed else { return }
        type(of: source).run(consume source, Port(me))
    }

    override func ended() {
        other.closeAndStop()
    }

    override func received(_ value: Element) {
        down.next(value)
    }

    func triggerFired() {
        completed()
    }

    func triggerFailed(_ error: any Error) {
        self.error(error)
    }

    func triggerCompleted() {}
}
