extension ObservableType {
    /// The values in arrays: one whenever `timeSpan` is over, empty ones too, or as soon as `count` values are there, which
    /// starts the time anew. Completion sends what there is, an empty array too; an error drops it.
    @inlinable
    public consuming func buffer(
        timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<[Element]> {
        Buffer(asObservable(), timeSpan, count, scheduler)
    }
}

@usableFromInline
final class Buffer<Element: Sendable>: StatefulOperator<Element, [Element]>, TimerTarget, @unchecked Sendable
{
    private let timeSpan: RxTimeInterval
    private let count: Int
    private let scheduler: any SchedulerType
    // The gate's owner's: the values that wait. It sets the timer too, so that none fires before it is known.
    private let gate = Gate()
    private let timer: TimerSlot
    @exclusivity(unchecked)
    private var values: [Element] = []

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ timeSpan: RxTimeInterval, _ count: Int,
        _ scheduler: any SchedulerType
    ) {
        self.timeSpan = timeSpan
        self.count = count
        self.scheduler = scheduler
        timer = TimerSlot(scheduler)
        super.init(source)
    }

    override func copy() -> Operator<Element, [Element]> {
        type(of: self).init(nil, timeSpan, count, scheduler)
    }

    override class func begin(
        _ step: consuming Operator<Element, [Element]>, _ source: consuming Observable<Element>
    ) {
        let me = unsafeDowncast(step, to: Buffer<Element>.self)
        me.down.attach(me)
        guard !me.upstream.isClosed else { return }
        // Nobody else can be there yet.
        if me.gate.enter() {
            me.timer.set(after: me.timeSpan, me)
            me.gate.leave()
        }
        guard !me.upstream.isClosed else { return }
        type(of: source).run(consume source, Port(me))
    }

    override func stop() {
        super.stop()
        timer.close()
    }

    override func next(_ value: Element) {
        if gate.enter() {
            keep(value)
            gate.leave()
        } else {
            gate.park { self.keep(value) }
        }
    }

    private func keep(_ value: Element) {
        guard !upstream.isClosed else { return }
        values.append(value)
        if values.count == count { send() }
    }

    private func send() {
        let values = self.values
        self.values = []
        timer.cancel()
        down.next(values)
        if !upstream.isClosed { timer.set(after: timeSpan, self) }
    }

    @usableFromInline
    func timerFired(_ token: TimerToken) {
        if gate.enter() {
            fire(token)
            gate.leave()
        } else {
            gate.park { self.fire(token) }
        }
    }

    private func fire(_ token: TimerToken) {
        if timer.take(token), !upstream.isClosed { send() }
    }

    override func completed() {
        if gate.enter() {
            complete()
            gate.leave()
        } else {
            gate.park { self.complete() }
        }
    }

    private func complete() {
        timer.close()
        finish(with: values)
        values = []
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
        timer.close()
        values = []
        super.error(error)
    }
}
