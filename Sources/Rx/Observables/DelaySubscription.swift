extension StreamType {
    /// Subscribes to the source after `dueTime`. Events are not delayed further.
    @inlinable
    public consuming func delaySubscription(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> DerivedStream {
        Self.derived(from: DelaySubscription(asObservable(), dueTime, scheduler))
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class DelaySubscription<Element: Sendable>: StartingOperator<Element>, TimerTarget, @unchecked Sendable
{
    private let dueTime: RxTimeInterval
    private let scheduler: any SchedulerType
    private let timer: TimerSlot

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType)
    {
        self.dueTime = dueTime
        self.scheduler = scheduler
        timer = TimerSlot(scheduler)
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, dueTime, scheduler)
    }

    override func sourceKept() {
        timer.set(after: dueTime, self)
    }

    override func stop(_ stops: inout DisposalStack) {
        super.stop(&stops)
        timer.close()
    }

    @usableFromInline
    func timerFired(_ token: TimerToken) {
        startKept(isLast: true)
    }
}
