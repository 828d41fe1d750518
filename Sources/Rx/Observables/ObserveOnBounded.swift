import Locking
import Queues

/// What `observe(on:capacity:overflow:)` does with a value when its queue is full.
public enum OverflowPolicy: Sendable {
    /// Fails with `RxError.overflow` after the queued values.
    case error
    /// Drops the oldest queued value. With a capacity of 1, only the latest value waits.
    case dropOldest
    /// Drops the new value.
    case dropNewest
}

extension ObservableType {
    /// Delivers events on `scheduler`, in order. At most `capacity` values wait behind the value being
    /// delivered, and `overflow` decides what happens to the next values. A capacity below 1 fails with
    /// `RxError.argumentOutOfRange`. With the `.error` policy, an overflow disposes the source at once; the
    /// queued values are delivered, then the error. No error overtakes the values before it. Nothing is
    /// delivered after disposal.
    @inlinable
    public consuming func observe(
        on scheduler: any ImmediateSchedulerType, capacity: Int, overflow: OverflowPolicy
    ) -> Observable<Element> {
        guard capacity > 0 else { return .error(RxError.argumentOutOfRange) }
        return ObserveOnBounded(asObservable(), scheduler, capacity, overflow)
    }
}

/// Takes values from the queue one at a time, so the queue's count is the number of undelivered values.
// Sound: the lock guards `waiting`.
@usableFromInline
final class ObserveOnBounded<Element: Sendable>: ScheduledDelivery<Element>, @unchecked Sendable {
    private enum Delivery {
        case value(Element)
        case end(SubjectCore.End)
        case nothing
    }

    private struct Arrival {
        /// Whether the caller has to schedule a delivery.
        var isIdle = false
        var hasOverflowed = false
        /// Returned so that it is released outside the lock.
        var dropped: Element?
    }

    private let capacity: Int
    private let overflow: OverflowPolicy
    private var waiting = Queue<Element>()

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ scheduler: any ImmediateSchedulerType, _ capacity: Int,
        _ overflow: OverflowPolicy
    ) {
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
        // The queue is full, so a delivery is scheduled or running and will send the error.
        if arrival.hasOverflowed { upstream.clear() }
        if arrival.isIdle { schedule() }
    }

    /// Delivers as many values as are queued now, or one event in virtual time.
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

    private func hasMore() -> Bool {
        state.withLock { state in
            state.isDelivering = !waiting.isEmpty || state.end != nil
            return state.isDelivering
        }
    }
}
