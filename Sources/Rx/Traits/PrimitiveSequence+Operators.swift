// What keeps the promise of every trait.
extension PrimitiveSequence {
    /// Makes the sequence anew for each subscription. What `observableFactory` throws is its error.
    @inlinable
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .deferred { try observableFactory().source })
    }

    /// Shifts the value and the completion by `dueTime`; an error is delivered at once.
    @inlinable
    public consuming func delay(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.delay(dueTime, scheduler: scheduler))
    }

    /// Subscribes `dueTime` after it is subscribed to.
    @inlinable
    public consuming func delaySubscription(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.delaySubscription(dueTime, scheduler: scheduler))
    }

    /// Delivers the events on `scheduler`.
    @inlinable
    public consuming func observe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<
        Trait, Element
    > {
        PrimitiveSequence(raw: source.observe(on: scheduler))
    }

    /// Subscribes, and disposes that subscription, on `scheduler`.
    @inlinable
    public consuming func subscribe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<
        Trait, Element
    > {
        PrimitiveSequence(raw: source.subscribe(on: scheduler))
    }

    /// On an error goes on with what `handler` makes of it.
    @inlinable
    @preconcurrency
    public consuming func `catch`(
        _ handler: @escaping @Sendable (any Error) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.catch { try handler($0).source })
    }

    /// Subscribes again whenever it fails.
    @inlinable
    public consuming func retry() -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry())
    }

    /// Subscribes again when it fails, `maxAttemptCount` times in all; the last error passes.
    ///
    /// With no attempt at all there is no value either: a single of 0 attempts fails with `RxError.noElements`.
    @inlinable
    public consuming func retry(_ maxAttemptCount: Int) -> PrimitiveSequence<Trait, Element> {
        let source = (consume self).source
        guard maxAttemptCount > 0 else { return PrimitiveSequence(raw: Self.withoutAttempt) }
        return PrimitiveSequence(raw: Observable.retry(consume source, attempts: maxAttemptCount))
    }

    @usableFromInline
    static var withoutAttempt: Observable<Element> {
        Trait.self == SingleTrait.self ? .error(RxError.noElements) : .empty()
    }

    /// Subscribes again when the stream that `notificationHandler` makes of the errors sends a value.
    @inlinable
    @preconcurrency
    public consuming func retry<TriggerObservable: ObservableType>(
        when notificationHandler: @escaping @Sendable (Observable<any Error>) -> TriggerObservable
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry(when: notificationHandler).promised(Trait.self))
    }

    /// The same for errors of type `Failure`; others pass at once.
    @inlinable
    @preconcurrency
    public consuming func retry<TriggerObservable: ObservableType, Failure: Error>(
        when notificationHandler: @escaping @Sendable (Observable<Failure>) -> TriggerObservable
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry(when: notificationHandler).promised(Trait.self))
    }

    /// A sequence with a resource that is made for each subscription and disposed at its end.
    @inlinable
    @preconcurrency
    public static func using<Resource: Disposable>(
        _ resourceFactory: @escaping @Sendable () throws -> Resource,
        primitiveSequenceFactory:
            @escaping @Sendable (Resource) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: .using(resourceFactory, observableFactory: { try primitiveSequenceFactory($0).source }))
    }

    /// Fails with `RxError.timeout` when it has not ended within `dueTime`.
    @inlinable
    public consuming func timeout(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(dueTime, scheduler: scheduler))
    }

    /// Goes on with `other` when it has not ended within `dueTime`.
    @inlinable
    public consuming func timeout(
        _ dueTime: RxTimeInterval, other: PrimitiveSequence<Trait, Element>,
        scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(dueTime, other: other.source, scheduler: scheduler))
    }
}

extension Observable {
    /// A completion without a value that a single may not send becomes the error `RxError.noElements`.
    @usableFromInline
    consuming func promised<Trait>(_ trait: Trait.Type) -> Observable<Element> {
        trait == SingleTrait.self ? OneElement(self, onEmpty: RxError.noElements) : self
    }
}

// Of a sequence with a value: Single and Maybe.
extension PrimitiveSequence where Trait == SingleTrait {
    @inlinable
    public static func just(_ element: Element) -> Single<Element> {
        Single(raw: .just(element))
    }

    @inlinable
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Single<
        Element
    > {
        Single(raw: .just(element, scheduler: scheduler))
    }

    @inlinable
    public static func error(_ error: any Error) -> Single<Element> {
        Single(raw: .error(error))
    }

    @inlinable
    public static func never() -> Single<Element> {
        Single(raw: .never())
    }
}

extension PrimitiveSequence where Trait == MaybeTrait {
    @inlinable
    public static func just(_ element: Element) -> Maybe<Element> {
        Maybe(raw: .just(element))
    }

    @inlinable
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Maybe<
        Element
    > {
        Maybe(raw: .just(element, scheduler: scheduler))
    }

    @inlinable
    public static func error(_ error: any Error) -> Maybe<Element> {
        Maybe(raw: .error(error))
    }

    @inlinable
    public static func never() -> Maybe<Element> {
        Maybe(raw: .never())
    }

    @inlinable
    public static func empty() -> Maybe<Element> {
        Maybe(raw: .empty())
    }
}

// A value after a time.
extension PrimitiveSequence where Element: FixedWidthInteger, Trait == SingleTrait {
    /// 0 after `dueTime`.
    @inlinable
    public static func timer(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Single<
        Element
    > {
        Single(raw: .timer(dueTime, scheduler: scheduler))
    }
}

extension PrimitiveSequence where Element: FixedWidthInteger, Trait == MaybeTrait {
    /// 0 after `dueTime`.
    @inlinable
    public static func timer(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Maybe<
        Element
    > {
        Maybe(raw: .timer(dueTime, scheduler: scheduler))
    }
}
