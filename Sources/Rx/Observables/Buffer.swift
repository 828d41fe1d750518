extension ObservableType {
    /// Collects values into arrays, emitted every `timeSpan`, even if empty, and as soon as one holds `count`
    /// values, which restarts the time span. Completion emits the pending values, again even an empty array.
    /// An error drops them.
    @inlinable
    public consuming func buffer(
        timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<[Element]> {
        Buffer(asObservable(), timeSpan, count, scheduler)
    }
}

// Sound: only the gate's owner touches the mutable properties.
@usableFromInline
final class Buffer<Element: Sendable>: TimedOperator<Element, [Element]>, @unchecked Sendable {
    private let timeSpan: RxTimeInterval
    private let count: Int
    private var values: [Element] = []

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ timeSpan: RxTimeInterval, _ count: Int,
        _ scheduler: any SchedulerType
    ) {
        self.timeSpan = timeSpan
        self.count = count
        super.init(source, scheduler)
    }

    override func copy() -> Operator<Element, [Element]> {
        type(of: self).init(nil, timeSpan, count, scheduler)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        begin(source, firstTimer: timeSpan)
    }

    override func received(_ value: Element) {
        values.append(value)
        if values.count == count { timerElapsed() }
    }

    override func timerElapsed() {
        let values = self.values
        self.values = []
        timer.cancel()
        down.next(values)
        if !upstream.isClosed { timer.set(after: timeSpan, self) }
    }

    override func sourceCompleted() {
        end(with: values)
    }
}
