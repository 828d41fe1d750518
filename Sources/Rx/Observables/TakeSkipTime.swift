extension ObservableType {
    /// The values of the first `duration`, then the end.
    @inlinable
    public consuming func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<
        Element
    > {
        TakeTime(asObservable(), duration, scheduler)
    }

    /// The values after the first `duration`.
    @inlinable
    public consuming func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<
        Element
    > {
        SkipTime(asObservable(), duration, scheduler)
    }
}

/// A step whose timer is set as it starts, before its source.
@usableFromInline
class TimedOperator<Element: Sendable>: StatefulOperator<Element, Element>, TimerTarget, @unchecked Sendable {
    final let duration: RxTimeInterval
    final let scheduler: any SchedulerType
    final let gate = Gate()
    final let timer: TimerSlot

    init(_ source: consuming Observable<Element>?, _ duration: RxTimeInterval, _ scheduler: any SchedulerType)
    {
        self.duration = duration
        self.scheduler = scheduler
        timer = TimerSlot(scheduler)
        super.init(source)
    }

    override final class func begin(
        _ step: consuming Operator<Element, Element>, _ source: consuming Observable<Element>
    ) {
        let me = unsafeDowncast(step, to: TimedOperator<Element>.self)
        me.down.attach(me)
        me.timer.set(after: me.duration, me)
        guard !me.upstream.isClosed else { return }
        type(of: source).run(consume source, Port(me))
    }

    override final func stop() {
        super.stop()
        timer.close()
    }

    override final func next(_ value: Element) {
        if gate.enter() {
            if !upstream.isClosed { pass(value) }
            gate.leave()
        } else {
            gate.park { if !self.upstream.isClosed { self.pass(value) } }
        }
    }

    override final func completed() {
        if gate.enter() {
            end(nil)
            gate.leave()
        } else {
            gate.park { self.end(nil) }
        }
    }

    override final func error(_ error: any Error) {
        if gate.enter() {
            end(error)
            gate.leave()
        } else {
            gate.park { self.end(error) }
        }
    }

    final func end(_ error: (any Error)?) {
        timer.close()
        if let error { super.error(error) } else { super.completed() }
    }

    @usableFromInline
    final func timerFired(_ token: TimerToken) {
        if gate.enter() {
            durationPassed()
            gate.leave()
        } else {
            gate.park { self.durationPassed() }
        }
    }

    /// A value came. As the gate's owner.
    func pass(_ value: Element) {}

    /// As the gate's owner.
    func durationPassed() {}
}

@usableFromInline
final class TakeTime<Element: Sendable>: TimedOperator<Element>, @unchecked Sendable {
    @usableFromInline
    override init(
        _ source: consuming Observable<Element>?, _ duration: RxTimeInterval, _ scheduler: any SchedulerType
    ) {
        super.init(source, duration, scheduler)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, duration, scheduler)
    }

    override func pass(_ value: Element) {
        down.next(value)
    }

    override func durationPassed() {
        end(nil)
    }
}

@usableFromInline
final class SkipTime<Element: Sendable>: TimedOperator<Element>, @unchecked Sendable {
    @exclusivity(unchecked)
    private var isOpen = false

    @usableFromInline
    override init(
        _ source: consuming Observable<Element>?, _ duration: RxTimeInterval, _ scheduler: any SchedulerType
    ) {
        super.init(source, duration, scheduler)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, duration, scheduler)
    }

    override func pass(_ value: Element) {
        if isOpen { down.next(value) }
    }

    override func durationPassed() {
        isOpen = true
    }
}
