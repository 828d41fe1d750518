import Locking

extension StreamType {
    /// Delivers events on `scheduler`, in order, from an unbounded queue. An error does not overtake the
    /// values before it. Nothing is delivered after disposal. The subscription itself is made on the calling
    /// thread.
    @inlinable
    public consuming func observe(on scheduler: any ImmediateSchedulerType) -> DerivedStream {
        Self.derived(from: ObserveOn(asObservable(), scheduler))
    }
}

/// Arrays of larger batches are freed instead of reused.
private let maximumReusedCapacity = 1024

/// Delivers everything pending in one turn, or one event a turn in virtual time.
// Sound: the lock guards `values` and `reversedValues`; only the running delivery touches `batch`.
@usableFromInline
final class ObserveOn<Element: Sendable>: ScheduledDelivery<Element>, @unchecked Sendable {
    private var values: [Element] = []
    /// The batch being delivered. It is swapped with `values`, so both buffers are reused.
    private var batch: [Element] = []
    /// Pending values in reverse order, for delivery one at a time.
    private var reversedValues: [Element] = []

    @usableFromInline
    override init(_ source: consuming Observable<Element>?, _ scheduler: any ImmediateSchedulerType) {
        super.init(source, scheduler)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, scheduler)
    }

    override func drop() {
        _ = state.withLock { _ in
            let waiting = (values, reversedValues)
            values = []
            reversedValues = []
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
        batch.removeAll(keepingCapacity: batch.count <= maximumReusedCapacity)
        if let end {
            finish(end)
            return false
        }
        return state.withLock { state in
            state.isDelivering = !values.isEmpty || state.end != nil
            return state.isDelivering
        }
    }

    /// Delivers one event. Returns whether more are pending.
    private func deliverNext() -> Bool {
        let (value, end): (Element?, SubjectCore.End?) = state.withLock { state in
            if reversedValues.isEmpty {
                reversedValues = values.reversed()
                values = []
            }
            let value = reversedValues.popLast()
            return (value, value == nil ? state.end : nil)
        }
        guard !upstream.isClosed else { return false }
        if let value { down.next(value) }
        if let end {
            finish(end)
            return false
        }
        return state.withLock { state in
            state.isDelivering = !reversedValues.isEmpty || !values.isEmpty || state.end != nil
            return state.isDelivering
        }
    }
}
