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

/// Delivers a value at a time, so that what counts is what has not been delivered.
// Sound: the lock guards `waiting`.
@usableFromInline
final class ObserveOnBounded<Element: Sendable>: ScheduledDelivery<Element>, @unchecked Sendable {
    private enum Delivery {
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

    private let capacity: Int
    private let overflow: OverflowPolicy
    /// The state's lock guards it.
    private var waiting = Queue<Element>()

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ scheduler: any ImmediateSchedulerType, _ capacity: Int,
        _ overflow: OverflowPolicy
    ) {
        precondition(capacity > 0, "\(capacity) values cannot wait")
        self.capacity = capacity
        self.overflow = overflow
        super.init(source, scheduler)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, scheduler, capacity, overflow)
    }

    override func drop() {
        _ = state.withLock { _ in
            let old = waiting
            waiting = Queue()
            return old
        }
    }

    override func next(_ value: Element) {
        guard !upstream.isClosed else { return }
        let arrival = state.withLock { state in
            var arrival = Arrival()
            guard state.end == nil else { return arrival }
            if waiting.count == capacity {
                switch overflow {
                case .dropNewest: return arrival
                case .dropOldest: arrival.dropped = waiting.popFirst()
                case .error:
                    arrival.hasOverflowed = true
                    state.end = .failed(RxError.overflow)
                    return arrival
                }
            }
            waiting.append(value)
            arrival.isIdle = state.start()
            return arrival
        }
        // The queue is full, so its pump is on its way to the error.
        if arrival.hasOverflowed { upstream.clear() }
        if arrival.isIdle { schedule() }
    }

    /// Delivers as many as wait now, in virtual time one event.
    override func deliver() -> Bool {
        var left = deliversOne ? 0 : state.withLock { _ in waiting.count }
        while !upstream.isClosed {
            let turn: Delivery = state.withLock { state in
                if let value = waiting.popFirst() { return .value(value) }
                if let end = state.end { return .end(end) }
                state.isDelivering = false
                return .nothing
            }
            switch turn {
            case .value(let value): down.next(value)
            case .end(let end):
                finish(end)
                return false
            case .nothing: return false
            }
            left -= 1
            if left < 0 { return hasMore() }
        }
        return false
    }

    /// Whether a further turn is due.
    private func hasMore() -> Bool {
        state.withLock { state in
            state.isDelivering = !waiting.isEmpty || state.end != nil
            return state.isDelivering
        }
    }
}
