import FoundationEssentials

extension ObservableType {
    /// At most one value every `dueTime`: the first at once and, if `latest`, the last that came meanwhile when the time is
    /// over. Completion waits for that one; an error drops it. The time counts from when a value was delivered.
    @inlinable
    public consuming func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Observable<Element> {
        Throttle(asObservable(), dueTime, latest, scheduler)
    }
}

@usableFromInline
final class Throttle<Element: Sendable>: StatefulOperator<Element, Element>, TimerTarget, @unchecked Sendable
{
    private let dueTime: RxTimeInterval
    private let latest: Bool
    private let scheduler: any SchedulerType
    // The gate's owner's: what follows. It sets the timer too, so that none fires before it is known.
    private let gate = Gate()
    private let timer: TimerSlot
    @exclusivity(unchecked)
    private var waiting = Cell<Element>()
    @exclusivity(unchecked)
    private var sentAt: RxTime?
    @exclusivity(unchecked)
    private var isOver = false

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ dueTime: RxTimeInterval, _ latest: Bool,
        _ scheduler: any SchedulerType
    ) {
        self.dueTime = dueTime
        self.latest = latest
        self.scheduler = scheduler
        timer = TimerSlot(scheduler)
        super.init(source)
    }

    deinit {
        waiting.destroy()
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, dueTime, latest, scheduler)
    }

    override func stop() {
        super.stop()
        timer.close()
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
        guard !upstream.isClosed, !isOver else { return }
        let rest = sentAt.map { dueTime.seconds - scheduler.now.timeIntervalSince($0) } ?? 0
        // A date counts seconds since 2001 in a floating-point number: to less than a microsecond, not better.
        guard rest >= 1e-6 else { return send(value) }
        guard latest else { return }
        let isWaiting = waiting.isFull
        waiting.set(value)
        if !isWaiting { timer.set(after: RxTimeInterval(microseconds: rest), self) }
    }

    private func send(_ value: Element) {
        waiting.clear()
        timer.cancel()
        down.next(value)
        sentAt = scheduler.now
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
        if isOver { finish(with: waiting.value) } else { send(waiting.value) }
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
        if waiting.isFull { isOver = true } else { super.completed() }
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
