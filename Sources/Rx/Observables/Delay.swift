import Locking
import Queues

extension StreamType {
    /// Delays values and completion by `dueTime`. An error is delivered immediately and drops pending values.
    @inlinable
    public consuming func delay(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> DerivedStream {
        Self.derived(from: Delay(asObservable(), dueTime, scheduler))
    }
}

/// Uses a single timer, set for the oldest pending event.
// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class Delay<Element: Sendable>: StatefulOperator<Element, Element>, TimerTarget, @unchecked Sendable {
    private struct State {
        /// Pending events with their arrival times, oldest first. A `nil` value is the completion.
        var waiting = Queue<(value: Element?, time: RxTime)>()
        /// Whether a timer is set or about to be set.
        var isTimed = false
        var isOver = false

        /// Returns the arrival time of the next pending event and updates `isTimed`.
        mutating func nextTime() -> RxTime? {
            isTimed = !waiting.isEmpty
            return waiting.first?.time
        }
    }

    private let dueTime: RxTimeInterval
    private let scheduler: any SchedulerType
    private let gate = SerialGate()
    private let state = Lock(State())
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

    override func next(_ value: Element) {
        enqueue(value)
    }

    override func completed() {
        enqueue(nil)
        upstream.emptyAfterEnd()
    }

    private func enqueue(_ value: Element?) {
        guard !upstream.isClosed else { return }
        let now = scheduler.now
        let isFirst = state.withLock { state in
            guard !state.isOver else { return false }
            state.isOver = value == nil
            state.waiting.append((value, now))
            defer { state.isTimed = true }
            return !state.isTimed
        }
        // Inside the gate, so that the timer cannot fire before its token is stored.
        if isFirst { gate.run { self.timer.set(after: self.dueTime, self) } }
        if upstream.isClosed { drop() }
    }

    @usableFromInline
    func timerFired(_ token: TimerToken) {
        gate.run { if self.timer.take(token) { self.deliver() } }
    }

    /// Delivers due events inside the gate and sets the timer for the next one. Events that arrive meanwhile
    /// wait for another turn. In virtual time each event gets its own turn.
    private func deliver() {
        var most = scheduler is any PerEventScheduler ? 1 : state.withLock { $0.waiting.count }
        while let first = state.withLock({ $0.waiting.popFirst() }), !upstream.isClosed {
            guard let value = first.value else { return super.completed() }
            down.next(value)
            guard let time = state.withLock({ $0.nextTime() }) else { return }
            most -= 1
            let left = dueTime.left(since: time, at: scheduler.now)
            if left.saturatedNanoseconds > 0 || most == 0 { return timer.set(after: left, self) }
        }
    }

    override func error(_ error: any Error) {
        gate.run { super.error(error) }
    }

    override func stop(_ stops: inout DisposalStack) {
        super.stop(&stops)
        timer.close()
        drop()
    }

    private func drop() {
        _ = state.withLock { state in
            let old = state.waiting
            state.waiting = Queue()
            return old
        }
    }
}
