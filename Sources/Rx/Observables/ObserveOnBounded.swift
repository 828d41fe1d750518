import Locking

/// What a full queue between two threads does with one value more.
public enum OverflowPolicy: Sendable {
    /// The stream fails with `RxError.overflow`, after the values that wait.
    case error
    /// The value that has waited longest makes room. With a capacity of 1 only the latest waits.
    case dropOldest
    /// The new value is dropped.
    case dropNewest
}

extension ObservableType {
    /// Delivers the events on `scheduler`, in their order, and keeps at most `capacity` values that wait for it; `overflow`
    /// says what becomes of one more. The value being delivered does not count, nor does the end of the stream.
    ///
    /// No error overtakes the values before it. On an overflow that is an error the source is disposed at once, what waits is
    /// delivered, and then the error. None is delivered after disposal. A capacity below 1 is `RxError.argumentOutOfRange`.
    @inlinable
    public consuming func observe(
        on scheduler: any ImmediateSchedulerType, capacity: Int, overflow: OverflowPolicy
    ) -> Observable<Element> {
        guard capacity > 0 else { return .error(RxError.argumentOutOfRange) }
        return ObserveOnBounded(asObservable(), scheduler, capacity, overflow)
    }
}

/// One pump at a time delivers what waits, a value at a time, so that what counts is what has not been delivered.
@usableFromInline
final class ObserveOnBounded<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    struct State {
        var waiting = Backlog<Element>()
        var end: SubjectCore.End?
        /// Whether a pump is scheduled or runs.
        var isPumping = false
    }

    private enum Turn {
        case value(Element)
        case end(SubjectCore.End)
        case nothing
    }

    /// What became of a value.
    private struct Arrival {
        /// Whether somebody has to start the pump.
        var isIdle = false
        var hasOverflowed = false
        /// Let go outside of the lock.
        var dropped: Element?
    }

    private let scheduler: any ImmediateSchedulerType
    private let capacity: Int
    private let overflow: OverflowPolicy
    private let state = Lock(State())
    private let pump = SerialDisposable()

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ scheduler: any ImmediateSchedulerType, _ capacity: Int,
        _ overflow: OverflowPolicy
    ) {
        precondition(capacity > 0, "\(capacity) values cannot wait")
        self.scheduler = scheduler
        self.capacity = capacity
        self.overflow = overflow
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, scheduler, capacity, overflow)
    }

    override func stop() {
        guard upstream.closeAndStop() else { return }
        pump.dispose()
        // The values go outside of the lock.
        _ = state.withLock { state in
            let waiting = state.waiting
            state.waiting = Backlog()
            return waiting
        }
    }

    override func next(_ value: Element) {
        guard !upstream.isClosed else { return }
        let arrival = state.withLock { state in
            var arrival = Arrival()
            guard state.end == nil else { return arrival }
            if state.waiting.count == capacity {
                switch overflow {
                case .dropNewest: return arrival
                case .dropOldest: arrival.dropped = state.waiting.popFirst()
                case .error:
                    arrival.hasOverflowed = true
                    state.end = .failed(RxError.overflow)
                    return arrival
                }
            }
            state.waiting.append(value)
            arrival.isIdle = !state.isPumping
            state.isPumping = true
            return arrival
        }
        // The queue is full, so its pump is on its way to the error.
        if arrival.hasOverflowed { upstream.clear() }
        if arrival.isIdle { schedule() }
    }

    override func error(_ error: any Error) {
        end(.failed(error))
    }

    override func completed() {
        end(.completed)
    }

    private func end(_ end: SubjectCore.End) {
        guard !upstream.isClosed else { return }
        let isIdle = state.withLock { state in
            if state.end == nil { state.end = end }
            defer { state.isPumping = true }
            return !state.isPumping
        }
        if isIdle { schedule() }
    }

    private func schedule() {
        let turn = SingleAssignmentDisposable()
        pump.disposable = turn
        turn.setDisposable(
            scheduler.schedule(()) { [self] in
                deliver()
                return Disposables.create()
            })
    }

    /// Delivers as many as wait now, then leaves the scheduler to others before it goes on.
    private func deliver() {
        var left = state.withLock { $0.waiting.count }
        while !upstream.isClosed {
            let turn: Turn = state.withLock { state in
                if let value = state.waiting.popFirst() { return .value(value) }
                if let end = state.end { return .end(end) }
                state.isPumping = false
                return .nothing
            }
            switch turn {
            case .value(let value): down.next(value)
            case .end(.completed): return super.completed()
            case .end(.failed(let error)): return super.error(error)
            case .nothing: return
            }
            left -= 1
            if left < 0 { return schedule() }
        }
    }
}

/// A queue in a ring that grows to what it is asked to hold.
struct Backlog<Element> {
    private var slots: [Element?] = []
    private var head = 0
    private(set) var count = 0

    mutating func append(_ element: Element) {
        if count == slots.count {
            // In order again, with as much room once more.
            slots = Array(slots[head...] + slots[..<head]) + Array(repeating: nil, count: max(count, 4))
            head = 0
        }
        slots[(head + count) % slots.count] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head].take()
        head = (head + 1) % slots.count
        count -= 1
        return element
    }
}
