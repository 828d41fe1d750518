public import FoundationEssentials

extension ObservableType {
    /// Fails with `RxError.timeout` if the stream has not ended by `deadline`. If that has already passed,
    /// the source is not subscribed to. A delivery in progress at the deadline finishes before the error is
    /// sent.
    @inlinable
    public consuming func timeout(at deadline: RxTime, scheduler: any SchedulerType) -> Observable<Element> {
        Deadline(asObservable(), deadline, nil, scheduler)
    }

    /// Switches to `other`, which has no deadline, if the stream has not ended by `deadline`. If that has
    /// already passed, only `other` is subscribed to.
    @inlinable
    public consuming func timeout<Source: ObservableConvertibleType>(
        at deadline: RxTime, other: Source, scheduler: any SchedulerType
    ) -> Observable<Element> where Source.Element == Element {
        Deadline(asObservable(), deadline, other.asObservable(), scheduler)
    }
}

extension PrimitiveSequence {
    /// Fails with `RxError.timeout` if it has not ended by `deadline`.
    @inlinable
    public consuming func timeout(
        at deadline: RxTime, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(at: deadline, scheduler: scheduler))
    }

    /// Switches to `other` if it has not ended by `deadline`.
    @inlinable
    public consuming func timeout(
        at deadline: RxTime, other: PrimitiveSequence<Trait, Element>, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(at: deadline, other: other.source, scheduler: scheduler))
    }
}

extension InfallibleType {
    /// Switches to `other` if the stream has not ended by `deadline`.
    @inlinable
    public consuming func timeout<Source: InfallibleType>(
        at deadline: RxTime, other: Source, scheduler: any SchedulerType
    ) -> Infallible<Element> where Source.Element == Element {
        Infallible(raw: asObservable().timeout(at: deadline, other: other, scheduler: scheduler))
    }
}

// Sound: it adds only constants.
@usableFromInline
final class Deadline<Element: Sendable>: TimedOperator<Element, Element>, @unchecked Sendable {
    private let deadline: RxTime
    private let other: Observable<Element>?

    @usableFromInline
    init(
        _ source: consuming Observable<Element>?, _ deadline: RxTime, _ other: consuming Observable<Element>?,
        _ scheduler: any SchedulerType
    ) {
        self.deadline = deadline
        self.other = other
        super.init(source, scheduler)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, deadline, other, scheduler)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        let left = deadline.timeIntervalSince(scheduler.now)
        guard left > 0 else {
            down.attach(self)
            return timerElapsed()
        }
        begin(source, firstTimer: RxTimeInterval(microseconds: left))
    }

    override func received(_ value: Element) {
        down.next(value)
    }

    /// Delivers the value and the completion as one event, so the deadline cannot fall between them.
    override func receivedLast(_ value: Element) {
        end(with: value)
    }

    override func timerElapsed() {
        guard let other else { return end(RxError.timeout) }
        guard let source = upstream.close() else { return }
        timer.close()
        ReplacementStep.start(other, down.share(), after: source)
    }
}
