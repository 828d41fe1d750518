extension PrimitiveSequence {
    /// Subscribes to what `observableFactory` returns for each subscription. If it throws, the result fails.
    @inlinable
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .deferred { try observableFactory().source })
    }

    /// Delays the value and the completion by `dueTime`. An error is delivered immediately.
    @inlinable
    public consuming func delay(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.delay(dueTime, scheduler: scheduler))
    }

    /// Subscribes to the source after `dueTime`. Events are not delayed further.
    @inlinable
    public consuming func delaySubscription(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.delaySubscription(dueTime, scheduler: scheduler))
    }

    /// Delivers events on `scheduler`. Nothing is delivered after disposal.
    @inlinable
    public consuming func observe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<
        Trait, Element
    > {
        PrimitiveSequence(raw: source.observe(on: scheduler))
    }

    /// Subscribes to the source, and disposes that subscription, on `scheduler`.
    @inlinable
    public consuming func subscribe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<
        Trait, Element
    > {
        PrimitiveSequence(raw: source.subscribe(on: scheduler))
    }

    /// Continues with the sequence that `handler` returns when the source fails. Errors of that sequence are passed on.
    @inlinable
    @preconcurrency
    public consuming func `catch`(
        _ handler: @escaping @Sendable (any Error) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.catch { try handler($0).source })
    }

    /// Subscribes to the source again whenever it fails, without a limit.
    @inlinable
    public consuming func retry() -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry())
    }

    /// Subscribes again after errors, up to `maxAttemptCount` attempts in total. Passes the last error on. With 0
    /// attempts, a single fails with `RxError.noElements`.
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

    /// Subscribes to the source again each time the handler's stream emits after an error, as on `ObservableType`.
    @inlinable
    @preconcurrency
    public consuming func retry<TriggerObservable: ObservableType>(
        when notificationHandler: @escaping @Sendable (Observable<any Error>) -> TriggerObservable
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry(when: notificationHandler).failingIfEmpty(Trait.self))
    }

    /// Works like `retry(when:)`, but only for errors of type `Failure`. Passes other errors on at once.
    @inlinable
    @preconcurrency
    public consuming func retry<TriggerObservable: ObservableType, Failure: Error>(
        when notificationHandler: @escaping @Sendable (Observable<Failure>) -> TriggerObservable
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry(when: notificationHandler).failingIfEmpty(Trait.self))
    }

    /// Creates a resource for each subscription and disposes it at the end.
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

    /// Fails with `RxError.timeout` if it does not end within `dueTime`. A timeout disposes the source.
    @inlinable
    public consuming func timeout(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(dueTime, scheduler: scheduler))
    }

    /// Switches to `other` if it does not end within `dueTime`.
    @inlinable
    public consuming func timeout(
        _ dueTime: RxTimeInterval, other: PrimitiveSequence<Trait, Element>,
        scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(dueTime, other: other.source, scheduler: scheduler))
    }
}

extension Observable {
    /// Turns the empty completion of a single into `RxError.noElements`. Leaves other traits unchanged.
    @usableFromInline
    consuming func failingIfEmpty<Trait>(_ trait: Trait.Type) -> Observable<Element> {
        trait == SingleTrait.self ? AsSingle(self, onEmpty: RxError.noElements) : self
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// Creates a single that succeeds with `element` on subscription.
    @inlinable
    public static func just(_ element: Element) -> Single<Element> {
        Single(raw: .just(element))
    }

    /// Creates a single that succeeds with `element` in a turn of `scheduler`.
    @inlinable
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Single<
        Element
    > {
        Single(raw: .just(element, scheduler: scheduler))
    }

    /// Creates a single that fails with `error` on subscription.
    @inlinable
    public static func error(_ error: any Error) -> Single<Element> {
        Single(raw: .error(error))
    }

    /// Creates a single that never ends.
    @inlinable
    public static func never() -> Single<Element> {
        Single(raw: .never())
    }
}

extension PrimitiveSequence where Trait == MaybeTrait {
    /// Creates a maybe that succeeds with `element` on subscription.
    @inlinable
    public static func just(_ element: Element) -> Maybe<Element> {
        Maybe(raw: .just(element))
    }

    /// Creates a maybe that succeeds with `element` in a turn of `scheduler`.
    @inlinable
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Maybe<
        Element
    > {
        Maybe(raw: .just(element, scheduler: scheduler))
    }

    /// Creates a maybe that fails with `error` on subscription.
    @inlinable
    public static func error(_ error: any Error) -> Maybe<Element> {
        Maybe(raw: .error(error))
    }

    /// Creates a maybe that never ends.
    @inlinable
    public static func never() -> Maybe<Element> {
        Maybe(raw: .never())
    }

    /// Creates a maybe that completes empty on subscription.
    @inlinable
    public static func empty() -> Maybe<Element> {
        Maybe(raw: .empty())
    }
}

extension PrimitiveSequence where Element: FixedWidthInteger, Trait == SingleTrait {
    /// Creates a single that succeeds with 0 after `dueTime`.
    @inlinable
    public static func timer(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Single<
        Element
    > {
        Single(raw: .timer(dueTime, scheduler: scheduler))
    }
}

extension PrimitiveSequence where Element: FixedWidthInteger, Trait == MaybeTrait {
    /// Creates a maybe that succeeds with 0 after `dueTime`.
    @inlinable
    public static func timer(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Maybe<
        Element
    > {
        Maybe(raw: .timer(dueTime, scheduler: scheduler))
    }
}
