public import FoundationEssentials

extension ObservableType {
    /// Fails with `RxError.timeout` when the stream has not ended at `deadline`, however many values it sends. Where that has
    /// passed already when it is subscribed to, the source is not subscribed to at all. A value whose delivery has begun is
    /// delivered before the error.
    @inlinable
    public consuming func timeout(at deadline: RxTime, scheduler: any SchedulerType) -> Observable<Element> {
        Deadline(asObservable(), deadline, nil, scheduler)
    }

    /// Goes on with `other` when the stream has not ended at `deadline`; with `other` alone when that has passed already.
    /// `other` is not bounded.
    @inlinable
    public consuming func timeout<Source: ObservableConvertibleType>(
        at deadline: RxTime, other: Source, scheduler: any SchedulerType
    ) -> Observable<Element> where Source.Element == Element {
        Deadline(asObservable(), deadline, other.asObservable(), scheduler)
    }
}

extension PrimitiveSequence {
    /// Fails with `RxError.timeout` when it has not ended at `deadline`, without subscribing where that has passed already.
    @inlinable
    public consuming func timeout(
        at deadline: RxTime, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(at: deadline, scheduler: scheduler))
    }

    /// Goes on with `other` when it has not ended at `deadline`; with `other` alone when that has passed already.
    @inlinable
    public consuming func timeout(
        at deadline: RxTime, other: PrimitiveSequence<Trait, Element>, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(at: deadline, other: other.source, scheduler: scheduler))
    }
}

extension InfallibleType {
    /// Goes on with `other` when the stream has not ended at `deadline`; with `other` alone when that has passed already.
    @inlinable
    public consuming func timeout<Source: InfallibleType>(
        at deadline: RxTime, other: Source, scheduler: any SchedulerType
    ) -> Infallible<Element> where Source.Element == Element {
        Infallible(raw: asObservable().timeout(at: deadline, other: other, scheduler: scheduler))
    }
}

/// One timer for the whole stream. Its gate keeps what the timer starts behind the event that is being delivered.
@usableFromInline
final class Deadline<Element: Sendable>: StatefulOperator<Element, Element>, TimerTarget, @unchecked Sendable
{
    private let deadline: RxTime
    private let other: Observable<Element>?
    private let scheduler: any SchedulerType
    private let timer: TimerSlot
    private let gate = Gate()

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ deadline: RxTime, _ other: consuming Observable<Element>?,
        _ scheduler: any SchedulerType
    ) {
        self.deadline = deadline
        self.other = other
        self.scheduler = scheduler
        timer = TimerSlot(scheduler)
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, deadline, other, scheduler)
    }

    override class func begin(
        _ step: consuming Operator<Element, Element>, _ source: consuming Observable<Element>
    ) {
        let me = unsafeDowncast(step, to: Deadline<Element>.self)
        me.down.attach(me)
        guard !me.upstream.isClosed else { return }
        let left = me.deadline.timeIntervalSince(me.scheduler.now)
        guard left > 0 else { return me.expire() }
        me.timer.set(after: RxTimeInterval(microseconds: left), me)
        guard !me.upstream.isClosed else { return }
        type(of: source).run(consume source, Port(me))
    }

    private func asOwner(_ work: @escaping @Sendable () -> Void) {
        if gate.enter() {
            work()
            gate.leave()
        } else {
            gate.park(work)
        }
    }

    @usableFromInline
    func timerFired(_ token: TimerToken) {
        asOwner { self.expire() }
    }

    private func expire() {
        guard let source = upstream.close() else { return }
        if let other {
            // What ends the other is attached below in place of this step.
            startStream(other, down.share())
        } else {
            down.error(RxError.timeout)
        }
        source.stop()
    }

    override func stop() {
        super.stop()
        timer.close()
    }

    override func next(_ value: Element) {
        if gate.enter() {
            if !upstream.isClosed { down.next(value) }
            gate.leave()
        } else {
            gate.park { if !self.upstream.isClosed { self.down.next(value) } }
        }
    }

    override func last(_ value: Element) {
        timer.close()
        if gate.enter() {
            finish(with: value)
            gate.leave()
        } else {
            gate.park { self.finish(with: value) }
        }
    }

    override func error(_ error: any Error) {
        timer.close()
        asOwner { self.end(error) }
    }

    override func completed() {
        timer.close()
        asOwner { self.end(nil) }
    }

    private func end(_ error: (any Error)?) {
        if let error { super.error(error) } else { super.completed() }
    }
}
