public import FoundationEssentials

extension ObservableType {
    /// Fails with `RxError.timeout` when the stream has not ended at `deadline`, however many values it sends. Where that has
    /// passed already when it is subscribed to, the source is not subscribed to at all. A value whose delivery has begun is
    /// delivered before the error.
    @inlinable
    public consuming func timeout(at deadline: RxTime, scheduler: any SchedulerType) -> Observable<Element> {
        Deadline(asObservable(), deadline, nil, scheduler)
    }

    /// Goes on with `other` when the stream has not ended at `deadline`; with `other` alone when that has passed already.
    /// `other` is not bounded.
    @inlinable
    public consuming func timeout<Source: ObservableConvertibleType>(
        at deadline: RxTime, other: Source, scheduler: any SchedulerType
    ) -> Observable<Element> where Source.Element == Element {
        Deadline(asObservable(), deadline, other.asObservable(), scheduler)
    }
}

extension PrimitiveSequence {
    /// Fails with `RxError.timeout` when it has not ended at `deadline`, without subscribing where that has passed already.
    @inlinable
    public consuming func timeout(
        at deadline: RxTime, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(at: deadline, scheduler: scheduler))
    }

    /// Goes on with `other` when it has not ended at `deadline`; with `other` alone when that has passed already.
    @inlinable
    public consuming func timeout(
        at deadline: RxTime, other: PrimitiveSequence<Trait, Element>, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(at: deadline, other: other.source, scheduler: scheduler))
    }
}

extension InfallibleType {
    /// Goes on with `other` when the stream has not ended at `deadline`; with `other` alone when that has passed already.
    @inlinable
    public consuming func timeout<Source: InfallibleType>(
        at deadline: RxTime, other: Source, scheduler: any SchedulerType
    ) -> Infallible<Element> where Source.Element == Element {
        Infallible(raw: asObservable().timeout(at: deadline, other: other, scheduler: scheduler))
    }
}

/// One timer for the whole stream. What it starts waits for the event that is being delivered.
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
            return timeCame()
        }
        begin(source, firstTimer: RxTimeInterval(microseconds: left))
    }

    override func received(_ value: Element) {
        down.next(value)
    }

    /// One event, so that the deadline does not come between a single's value and its end.
    override func receivedLast(_ value: Element) {
        end(with: value)
    }

    override func timeCame() {
        guard let other else { return end(RxError.timeout) }
        guard let source = upstream.close() else { return }
        ended()
        ReplacementStep.start(other, down.share(), after: source)
    }
}
