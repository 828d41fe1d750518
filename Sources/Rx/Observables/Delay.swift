import Locking

extension ObservableType {
    /// Shifts values and completion by `dueTime`. An error is delivered at once and drops what waits.
    @inlinable
    public consuming func delay(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> Observable<Element> {
        Delay(asObservable(), dueTime, scheduler)
    }
}

/// One timer for each value: as all take the same time, they fire in the order of the values.
@usableFromInline
final class Delay<Element: Sendable>: StatefulOperator<Element, Element>, TimerTarget, @unchecked Sendable {
    private struct State {
        /// What waits, the oldest first; `nil` is the completion.
        var waiting = Queue<Element?>()
        var tokens: Set<TimerToken> = []
        /// Timers that fired before their tokens were known.
        var early: Set<TimerToken> = []
    }

    private let dueTime: RxTimeInterval
    private let scheduler: any SchedulerType
    private let gate = Gate()
    private let state = Lock(State())

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType)
    {
        self.dueTime = dueTime
        self.scheduler = scheduler
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, dueTime, scheduler)
    }

    override func next(_ value: Element) {
        enqueue(value)
    }

    override func completed() {
        enqueue(nil)
    }

    private func enqueue(_ value: Element?) {
        guard !upstream.isClosed else { return }
        state.withLock { $0.waiting.append(value) }
        let token = scheduler.setTimer(after: dueTime, target: self)
        state.withLock { state in
            if state.early.remove(token) == nil { state.tokens.insert(token) }
        }
        if upstream.isClosed { drop() }
    }

    @usableFromInline
    func timerFired(_ token: TimerToken) {
        state.withLock { state in
            if state.tokens.remove(token) == nil { state.early.insert(token) }
        }
        gate.run { self.deliverFirst() }
    }

    /// Taken out by the gate's owner, so that timers that fire at once on several threads keep the order.
    private func deliverFirst() {
        let first = state.withLock { $0.waiting.popFirst() }
        guard let first, !upstream.isClosed else { return }
        if let value = first { down.next(value) } else { super.completed() }
    }

    override func error(_ error: any Error) {
        gate.run { super.error(error) }
    }

    override func stop() {
        super.stop()
        drop()
    }

    private func drop() {
        let old = state.withLock { state in
            let old = state
            state = State()
            return old
        }
        for token in old.tokens { scheduler.cancelTimer(token) }
    }
}
