import Locking

extension ObservableType {
    /// Delivers the events on `scheduler`, in their order. Events that wait are kept without bound; none is delivered after
    /// disposal, and an error does not overtake the values before it.
    @inlinable
    public consuming func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        ObserveOn(asObservable(), scheduler)
    }
}

/// One pump at a time delivers what has been queued.
@usableFromInline
final class ObserveOn<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private struct State {
        var values: [Element] = []
        var end: SubjectCore.End?
        /// Whether a pump is scheduled or runs.
        var isPumping = false
    }

    private let scheduler: any ImmediateSchedulerType
    private let state = Lock(State())
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
        _ = state.withLock { state in
            let values = state.values
            state.values = []
            return values
        }
    }

    override func next(_ value: Element) {
        guard !upstream.isClosed else { return }
        let isIdle = state.withLock { state in
            state.values.append(value)
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
        let (values, end): ([Element], SubjectCore.End?) = state.withLock { state in
            let values = state.values
            state.values = []
            return (values, state.end)
        }
        for value in values {
            guard !upstream.isClosed else { return }
            down.next(value)
        }
        switch end {
        case .completed: return super.completed()
        case .failed(let error): return super.error(error)
        case nil: break
        }
        let hasMore = state.withLock { state in
            state.isPumping = !state.values.isEmpty || state.end != nil
            return state.isPumping
        }
        if hasMore, !upstream.isClosed { schedule() }
    }
}
