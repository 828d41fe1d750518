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
@usableFromInline
final class ObserveOn<Element: Sendable>: Pump<Element>, @unchecked Sendable {
    /// What waits; the state's lock guards it.
    @exclusivity(unchecked)
    private var values: [Element] = []
    /// What is being delivered: the pump's. The two change places, so that their room is used again.
    @exclusivity(unchecked)
    private var batch: [Element] = []
    /// How much of the batch has been delivered.
    @exclusivity(unchecked)
    private var delivered = 0

    @usableFromInline
    override init(_ source: consuming Observable<Element>?, _ scheduler: any ImmediateSchedulerType) {
        super.init(source, scheduler)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, scheduler)
    }

    override func drop() {
        _ = state.withLock { _ in
            let waiting = values
            values = []
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
        let end: SubjectCore.End? = state.withLock { state in
            if batch.isEmpty { swap(&values, &batch) }
            return values.isEmpty ? state.end : nil
        }
        if let end, batch.isEmpty {
            finish(end)
            return false
        }
        let most = deliversOne ? 1 : batch.count
        for value in batch[delivered...].prefix(most) {
            guard !upstream.isClosed else {
                batch = []
                delivered = 0
                return false
            }
            delivered += 1
            down.next(value)
        }
        guard delivered == batch.count else { return true }
        delivered = 0
        batch.removeAll(keepingCapacity: batch.count <= mostKeptRoom)
        if let end, !deliversOne {
            finish(end)
            return false
        }
        return state.withLock { state in
            state.isPumping = !values.isEmpty || state.end != nil
            return state.isPumping
        }
    }
}
