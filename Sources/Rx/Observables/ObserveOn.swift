import Locking

extension ObservableType {
    /// Delivers the events on `scheduler`, in their order. Events that wait are kept without bound; none is delivered after
    /// disposal, and an error does not overtake the values before it.
    @inlinable
    public consuming func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        ObserveOn(asObservable(), scheduler)
    }
}

/// The most values whose room is kept for those that come later.
private let mostKeptRoom = 1024

/// Delivers all that waits in a turn, in virtual time one event.
// Sound: the lock guards `values` and `turns`; only the running delivery touches `batch`.
@usableFromInline
final class ObserveOn<Element: Sendable>: ScheduledDelivery<Element>, @unchecked Sendable {
    /// What waits; the state's lock guards it.
    private var values: [Element] = []
    /// What is being delivered: the pump's. The two change places, so that their room is used again.
    private var batch: [Element] = []
    /// What is delivered one at a time, the first one last; the state's lock guards it.
    private var turns: [Element] = []

    @usableFromInline
    override init(_ source: consuming Observable<Element>?, _ scheduler: any ImmediateSchedulerType) {
        super.init(source, scheduler)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, scheduler)
    }

    override func drop() {
        _ = state.withLock { _ in
            let waiting = (values, turns)
            values = []
            turns = []
            return waiting
        }
    }

    override func next(_ value: Element) {
        guard !upstream.isClosed else { return }
        let isIdle = state.withLock { state in
            guard state.end == nil else { return false }
            values.append(value)
            return state.start()
        }
        if isIdle { schedule() }
    }

    override func deliver() -> Bool {
        if deliversOne { return deliverNext() }
        let end: SubjectCore.End? = state.withLock { state in
            swap(&values, &batch)
            return state.end
        }
        for value in batch {
            guard !upstream.isClosed else {
                batch = []
                return false
            }
            down.next(value)
        }
        batch.removeAll(keepingCapacity: batch.count <= mostKeptRoom)
        if let end {
            finish(end)
            return false
        }
        return state.withLock { state in
            state.isDelivering = !values.isEmpty || state.end != nil
            return state.isDelivering
        }
    }

    /// Delivers one event. Whether more waits.
    private func deliverNext() -> Bool {
        let (value, end): (Element?, SubjectCore.End?) = state.withLock { state in
            if turns.isEmpty {
                turns = values.reversed()
                values = []
            }
            let value = turns.popLast()
            return (value, value == nil ? state.end : nil)
        }
        guard !upstream.isClosed else { return false }
        if let value { down.next(value) }
        if let end {
            finish(end)
            return false
        }
        return state.withLock { state in
            state.isDelivering = !turns.isEmpty || !values.isEmpty || state.end != nil
            return state.isDelivering
        }
    }
}
