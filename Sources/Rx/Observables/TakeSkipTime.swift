extension ValueStreamType {
    /// Emits the values of the first `duration` after subscription, then completes.
    @inlinable
    public consuming func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> DerivedStream {
        Self.derived(from: TakeTime(asObservable(), duration, scheduler))
    }

    /// Skips the values of the first `duration` after subscription.
    @inlinable
    public consuming func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> DerivedStream {
        Self.derived(from: SkipTime(asObservable(), duration, scheduler))
    }
}

// Sound: it adds only constants.
@usableFromInline
final class TakeTime<Element: Sendable>: TimedOperator<Element, Element>, @unchecked Sendable {
    private let duration: RxTimeInterval

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ duration: RxTimeInterval, _ scheduler: any SchedulerType
    ) {
        self.duration = duration
        super.init(source, scheduler)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, duration, scheduler)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        begin(source, firstTimer: duration)
    }

    override func received(_ value: Element) {
        down.next(value)
    }

    override func timerElapsed() {
        end()
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class SkipTime<Element: Sendable>: TimedOperator<Element, Element>, @unchecked Sendable {
    private let duration: RxTimeInterval
    private let isOpen = RelaxedAtomic(false)

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ duration: RxTimeInterval, _ scheduler: any SchedulerType
    ) {
        self.duration = duration
        super.init(source, scheduler)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, duration, scheduler)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        begin(source, firstTimer: duration)
    }

    override func received(_ value: Element) {
        if isOpen.value { down.next(value) }
    }

    override func timerElapsed() {
        isOpen.set(true)
    }
}
