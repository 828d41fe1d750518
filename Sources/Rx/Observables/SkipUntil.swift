extension ObservableType {
    /// The values after `other` has sent one. Where this stream completes before that, nothing is sent, not even the end;
    /// where `other` completes without a value neither. An error of either is passed on.
    @inlinable
    public consuming func skip<Source: ObservableType>(until other: Source) -> Observable<Element> {
        SkipUntil(asObservable(), Trigger(other.asObservable()))
    }
}

@usableFromInline
final class SkipUntil<Element: Sendable>: StatefulOperator<Element, Element>, TriggerTarget,
    @unchecked Sendable
{
    private let trigger: Trigger
    private let gate = Gate()
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

    override func stop() {
        super.stop()
        other.closeAndStop()
    }

    override func next(_ value: Element) {
        if gate.enter() {
            pass(value)
            gate.leave()
        } else {
            gate.park { self.pass(value) }
        }
    }

    private func pass(_ value: Element) {
        if isOpen, !upstream.isClosed { down.next(value) }
    }

    override func completed() {
        if gate.enter() {
            sourceEnded()
            gate.leave()
        } else {
            gate.park { self.sourceEnded() }
        }
    }

    private func sourceEnded() {
        if isOpen { super.completed() } else { super.stop() }
        other.closeAndStop()
    }

    override func error(_ error: any Error) {
        if gate.enter() {
            fail(error)
            gate.leave()
        } else {
            gate.park { self.fail(error) }
        }
    }

    private func fail(_ error: any Error) {
        super.error(error)
        other.closeAndStop()
    }

    func triggerFired() {
        if gate.enter() {
            open()
            gate.leave()
        } else {
            gate.park { self.open() }
        }
    }

    private func open() {
        isOpen = true
        other.closeAndStop()
    }

    func triggerFailed(_ error: any Error) {
        self.error(error)
    }

    func triggerCompleted() {}
}
