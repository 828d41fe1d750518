import FoundationEssentials

extension ObservableType {
    /// Emits at most one value every `dueTime`, measured from the end of the last delivery. The first value is emitted
    /// at once. If `latest` is true, the last value that arrived meanwhile follows when the time is up. Completion
    /// waits for it; an error drops it.
    @inlinable
    public consuming func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> Observable<Element> {
        Throttle(asObservable(), dueTime, latest, scheduler)
    }
}

// Sound: only the gate's owner touches the mutable properties.
@usableFromInline
final class Throttle<Element: Sendable>: TimedOperator<Element, Element>, @unchecked Sendable {
    private let dueTime: RxTimeInterval
    private let latest: Bool
    private var waiting = ValueStorage<Element>()
    private var sentAt: RxTime?
    private var isOver = false

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ dueTime: RxTimeInterval, _ latest: Bool,
        _ scheduler: any SchedulerType
    ) {
        self.dueTime = dueTime
        self.latest = latest
        super.init(source, scheduler)
    }

    deinit {
        waiting.destroy()
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, dueTime, latest, scheduler)
    }

    override func received(_ value: Element) {
        guard !isOver else { return }
        let rest = sentAt.map { dueTime.seconds - scheduler.now.timeIntervalSince($0) } ?? 0
        // A date is a floating-point number of seconds since 2001, accurate to just under a microsecond.
        guard rest >= 1e-6 else { return send(value) }
        guard latest else { return }
        let isWaiting = waiting.isFull
        waiting.set(value)
        if !isWaiting { timer.set(after: RxTimeInterval(microseconds: rest), self) }
    }

    private func send(_ value: Element) {
        waiting.clear()
        timer.cancel()
        down.next(value)
        sentAt = scheduler.now
    }

    override func timerElapsed() {
        guard waiting.isFull else { return }
        if isOver { end(with: waiting.value) } else { send(waiting.value) }
    }

    override func sourceCompleted() {
        guard waiting.isFull else { return end() }
        isOver = true
        upstream.emptyAfterEnd()
    }
}
