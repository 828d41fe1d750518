extension ValueStreamType {
    /// Emits a value once `dueTime` passes without a newer one. Completion emits a pending value; an error
    /// drops it.
    @inlinable
    public consuming func debounce(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> DerivedStream {
        Self.derived(from: Debounce(asObservable(), dueTime, scheduler))
    }
}

// Sound: it adds only constants.
@usableFromInline
final class Debounce<Element: Sendable>: WaitingOperator<Element>, @unchecked Sendable {
    private let dueTime: RxTimeInterval

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType)
    {
        self.dueTime = dueTime
        super.init(source, scheduler)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, dueTime, scheduler)
    }

    override func received(_ value: Element) {
        waiting.set(value)
        timer.set(after: dueTime, self)
    }

    override func timerElapsed() {
        guard waiting.isFull else { return }
        let value = waiting.value
        waiting.clear()
        down.next(value)
    }

    override func sourceCompleted() {
        if waiting.isFull { end(with: waiting.value) } else { end() }
    }
}
