extension ObservableType {
    /// A value when none has followed it for `dueTime`. Completion sends the one that waits; an error drops it.
    @inlinable
    public consuming func debounce(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> Observable<Element> {
        Debounce(asObservable(), dueTime, scheduler)
    }
}

@usableFromInline
final class Debounce<Element: Sendable>: StatefulOperator<Element, Element>, TimerTarget, @unchecked Sendable
{
    private let dueTime: RxTimeInterval
    private let scheduler: any SchedulerType
    // The gate's owner's: the value that waits. It sets the timer too, so that none fires before it is known.
    private let gate = Gate()
    private let timer: TimerSlot
    @exclusivity(unchecked)
    private var waiting = Cell<Element>()

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType)
    {
        self.dueTime = dueTime
        self.scheduler = scheduler
        timer = TimerSlot(scheduler)
        super.init(source)
    }

    deinit {
        waiting.destroy()
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, dueTime, scheduler)
    }

    override func stop() {
        super.stop()
        timer.close()
    }

    override func next(_ value: Element) {
        if gate.enter() {
            wait(value)
            gate.leave()
        } else {
            gate.park { self.wait(value) }
        }
    }

    private func wait(_ value: Element) {
        guard !upstream.isClosed else { return }
        waiting.set(value)
        timer.set(after: dueTime, self)
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
        guard timer.take(token), !upstream.isClosed, waiting.isFull else { return }
        let value = waiting.value
        waiting.clear()
        down.next(value)
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
        if waiting.isFull { finish(with: waiting.value) } else { super.completed() }
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
        super.error(error)
    }
}
