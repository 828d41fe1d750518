// Operators of all traits.

extension PrimitiveSequence {
    /// Creates a sequence that fails with `error` on subscription.
    @inlinable
    public static func error(_ error: any Error) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .error(error))
    }

    /// Creates a sequence that never ends.
    @inlinable
    public static func never() -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .never())
    }

    /// Subscribes to what `observableFactory` returns for each subscription. If it throws, the result fails.
    @inlinable
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .deferred { try observableFactory().source })
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

    /// Continues with the sequence that `handler` returns when the source fails. Errors of that sequence are
    /// passed on.
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

    /// Subscribes again after errors, up to `maxAttemptCount` attempts in total. Passes the last error on.
    /// With 0 attempts, a single fails with `RxError.noElements`.
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

    /// Subscribes to the source again each time the handler's stream emits after an error, as on
    /// `ObservableType`.
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
