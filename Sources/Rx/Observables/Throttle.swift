import FoundationEssentials

extension ValueStreamType {
    /// Emits at most one value every `dueTime`, measured from the end of the last delivery. The first value
    /// is emitted at once. If `latest` is true, the last value that arrived meanwhile follows when the time
    /// is up. Completion waits for it; an error drops it.
    @inlinable
    public consuming func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
    ) -> DerivedStream {
        Self.derived(from: Throttle(asObservable(), dueTime, latest, scheduler))
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class Throttle<Element: Sendable>: WaitingOperator<Element>, @unchecked Sendable {
    private let dueTime: RxTimeInterval
    private let latest: Bool
    /// When the last value was sent, in seconds since the reference date.
    private let sentAt = RelaxedAtomic(-Double.infinity)
    private let isOver = RelaxedAtomic(false)

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ dueTime: RxTimeInterval, _ latest: Bool,
        _ scheduler: any SchedulerType
    ) {
        self.dueTime = dueTime
        self.latest = latest
        super.init(source, scheduler)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, dueTime, latest, scheduler)
    }

    override func received(_ value: Element) {
        guard !isOver.value else { return }
        let rest = dueTime.seconds - (scheduler.now.timeIntervalSinceReferenceDate - sentAt.value)
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
        sentAt.set(scheduler.now.timeIntervalSinceReferenceDate)
    }

    override func timerElapsed() {
        guard waiting.isFull else { return }
        if isOver.value { end(with: waiting.value) } else { send(waiting.value) }
    }

    override func sourceCompleted() {
        guard waiting.isFull else { return end() }
        isOver.set(true)
        upstream.emptyAfterEnd()
    }
}
