extension ObservableType {
    /// Subscribes to the source after `dueTime`. Events are not delayed further.
    @inlinable
    public consuming func delaySubscription(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> Observable<Element> {
        DelaySubscription(asObservable(), dueTime, scheduler)
    }
}

// Sound: `waiting` is written before the timer is set, and taken by the timer, which fires once.
@usableFromInline
final class DelaySubscription<Element: Sendable>: StatefulOperator<Element, Element>, TimerTarget,
    @unchecked Sendable
{
    private let dueTime: RxTimeInterval
    private let scheduler: any SchedulerType
    private let timer: TimerSlot
    private var waiting: Observable<Element>?
    private let isStarted = RelaxedAtomic(false)

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType)
    {
        self.dueTime = dueTime
        self.scheduler = scheduler
        timer = TimerSlot(scheduler)
        super.init(source)
    }

    deinit {
        Link.free(down.takeLink())
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, dueTime, scheduler)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        let me = self
        me.waiting = consume source
        me.down.attach(me)
        me.timer.set(after: me.dueTime, me)
    }

    override func stop(_ stops: inout DisposalStack) {
        super.stop(&stops)
        timer.close()
    }

    override func skipped(by sender: Link?) -> Link? {
        leaveChain(isStarted.value, sender)
    }

    override func next(_ value: Element) {
        down.next(value)
    }

    @usableFromInline
    func timerFired(_ token: TimerToken) {
        guard !upstream.isClosed, let source = waiting.take() else { return }
        isStarted.set(true)
        startLast(source, Downstream(self))
    }
}
