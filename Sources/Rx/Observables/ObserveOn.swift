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

/// Outside of the generic class, where using it would look up metadata.
private struct ObserveOnState {
    var end: SubjectCore.End?
    /// Whether a pump is scheduled or runs.
    var isPumping = false
}

/// One pump at a time delivers what has been queued.
@usableFromInline
final class ObserveOn<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private let scheduler: any ImmediateSchedulerType
    private let state = Lock(ObserveOnState())
    /// What waits; the state's lock guards it.
    @exclusivity(unchecked)
    private var values: [Element] = []
    /// What is being delivered: the pump's. The two change places, so that their room is used again.
    @exclusivity(unchecked)
    private var batch: [Element] = []
    private let pump = SerialDisposable()

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ scheduler: any ImmediateSchedulerType) {
        self.scheduler = scheduler
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, scheduler)
    }

    override func stop() {
        guard upstream.closeAndStop() else { return }
        pump.dispose()
        // The values go outside of the lock.
        _ = state.withLock { _ in
            let waiting = values
            values = []
            return waiting
        }
    }

    override func next(_ value: Element) {
        guard !upstream.isClosed else { return }
        let isIdle = state.withLock { state in
            values.append(value)
            defer { state.isPumping = true }
            return !state.isPumping
        }
        if isIdle { schedule() }
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

    /// Delivers what waits, then leaves the scheduler to others before it goes on.
    private func deliver() {
        let end: SubjectCore.End? = state.withLock { state in
            swap(&values, &batch)
            return state.end
        }
        for value in batch {
            guard !upstream.isClosed else { return batch = [] }
            down.next(value)
        }
        batch.removeAll(keepingCapacity: batch.count <= mostKeptRoom)
        switch end {
        case .completed: return super.completed()
        case .failed(let error): return super.error(error)
        case nil: break
        }
        let hasMore = state.withLock { state in
            state.isPumping = !values.isEmpty || state.end != nil
            return state.isPumping
        }
        if hasMore, !upstream.isClosed { schedule() }
    }
}
