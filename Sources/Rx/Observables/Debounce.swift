extension ObservableType {
    /// A value when none has followed it for `dueTime`. Completion sends the one that waits; an error drops it.
    @inlinable
    public consuming func debounce(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> Observable<Element> {
        Debounce(asObservable(), dueTime, scheduler)
    }
}

// Sound: only the gate's owner touches what changes.
@usableFromInline
final class Debounce<Element: Sendable>: TimedOperator<Element, Element>, @unchecked Sendable {
    private let dueTime: RxTimeInterval
    /// The value that waits. The gate's owner's.
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

    override func timeCame() {
        guard waiting.isFull else { return }
        let value = waiting.value
        waiting.clear()
        down.next(value)
    }

    override func sourceCompleted() {
        if waiting.isFull { end(with: waiting.value) } else { end() }
    }
}
