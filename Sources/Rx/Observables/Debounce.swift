extension ObservableType {
    /// Emits a value once `dueTime` passes without a newer one. Completion emits a pending value; an error drops it.
    @inlinable
    public consuming func debounce(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> Observable<Element> {
        Debounce(asObservable(), dueTime, scheduler)
    }
}

// Sound: only the gate's owner touches the mutable properties.
@usableFromInline
final class Debounce<Element: Sendable>: TimedOperator<Element, Element>, @unchecked Sendable {
    private let dueTime: RxTimeInterval
    private var waiting = ValueStorage<Element>()

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType)
    {
        self.dueTime = dueTime
        super.init(source, scheduler)
    }

    deinit {
        waiting.destroy()
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
