public import Rx

// Spellings that RxSwift 6 deprecated.

extension ObservableType {
    /// The RxSwift 5 spelling of `catch(_:)`.
    @available(*, deprecated, renamed: "catch(_:)")
    @preconcurrency
    public consuming func catchError(
        _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>
    ) -> Observable<Element> {
        self.catch(handler)
    }

    /// The RxSwift 5 spelling of `catch(sequence:)`.
    @available(*, deprecated, renamed: "catch(sequence:)")
    public static func catchError<Sources: Sequence & Sendable>(
        sequence: Sources
    ) -> Observable<Element> where Sources.Element == Observable<Element> {
        self.catch(sequence: sequence)
    }

    /// The RxSwift 5 spelling of `catch(sequence:)`.
    @available(*, deprecated, renamed: "catch(sequence:)")
    public static func catchError<Sources: Sequence & Sendable>(
        _ sequence: Sources
    ) -> Observable<Element> where Sources.Element == Observable<Element> {
        self.catch(sequence: sequence)
    }

    /// The RxSwift 5 spelling of `catchAndReturn(_:)`.
    @available(*, deprecated, renamed: "catchAndReturn(_:)")
    public consuming func catchErrorJustReturn(_ element: Element) -> Observable<Element> {
        catchAndReturn(element)
    }

    /// The RxSwift 5 spelling of `observe(on:)`.
    @available(*, deprecated, renamed: "observe(on:)")
    public consuming func observeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        observe(on: scheduler)
    }

    /// The RxSwift 5 spelling of `subscribe(on:)`.
    @available(*, deprecated, renamed: "subscribe(on:)")
    public consuming func subscribeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        subscribe(on: scheduler)
    }

    /// The RxSwift 5 spelling of `retry(when:)`.
    @available(*, deprecated, renamed: "retry(when:)")
    @preconcurrency
    public consuming func retryWhen<TriggerObservable: ObservableType>(
        _ notificationHandler: @escaping @Sendable (Observable<any Error>) -> TriggerObservable
    ) -> Observable<Element> {
        retry(when: notificationHandler)
    }

    /// The RxSwift 5 spelling of `retry(when:)`.
    @available(*, deprecated, renamed: "retry(when:)")
    @preconcurrency
    public consuming func retryWhen<TriggerObservable: ObservableType, Failure: Error>(
        _ notificationHandler: @escaping @Sendable (Observable<Failure>) -> TriggerObservable
    ) -> Observable<Element> {
        retry(when: notificationHandler)
    }

    /// The RxSwift 5 spelling of `take(until:)`.
    @available(*, deprecated, renamed: "take(until:)")
    public consuming func takeUntil<Source: ObservableType>(_ other: Source) -> Observable<Element> {
        take(until: other)
    }

    /// The RxSwift 5 spelling of `take(until:behavior:)`.
    @available(*, deprecated, renamed: "take(until:behavior:)")
    @preconcurrency
    public consuming func takeUntil(
        _ behavior: TakeBehavior, predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> Observable<Element> {
        take(until: predicate, behavior: behavior)
    }

    /// The RxSwift 5 spelling of `take(while:)`.
    @available(*, deprecated, renamed: "take(while:)")
    @preconcurrency
    public consuming func takeWhile(
        _ predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> Observable<Element> {
        take(while: predicate)
    }

    /// The RxSwift 5 spelling of `take(while:behavior:)`.
    @available(*, deprecated, renamed: "take(while:behavior:)")
    @preconcurrency
    public consuming func takeWhile(
        _ behavior: TakeBehavior, predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> Observable<Element> {
        take(while: predicate, behavior: behavior)
    }

    /// The RxSwift 5 spelling of `take(for:scheduler:)`.
    @available(*, deprecated, renamed: "take(for:scheduler:)")
    public consuming func take(
        _ duration: RxTimeInterval, scheduler: any SchedulerType
    ) -> Observable<Element> {
        take(for: duration, scheduler: scheduler)
    }

    /// The RxSwift 5 spelling of `skip(until:)`.
    @available(*, deprecated, renamed: "skip(until:)")
    public consuming func skipUntil<Source: ObservableType>(_ other: Source) -> Observable<Element> {
        skip(until: other)
    }

    /// The RxSwift 5 spelling of `skip(while:)`.
    @available(*, deprecated, renamed: "skip(while:)")
    @preconcurrency
    public consuming func skipWhile(
        _ predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> Observable<Element> {
        skip(while: predicate)
    }

    /// The RxSwift 5 spelling of `element(at:)`.
    @available(*, deprecated, renamed: "element(at:)")
    public consuming func elementAt(_ index: Int) -> Observable<Element> {
        element(at: index)
    }

    /// Replays the latest elements to new subscribers for ever, as RxSwift 5 did.
    @available(*, deprecated, message: "Use share(replay:scope:) with the scope .forever instead.")
    public consuming func shareReplay(_ bufferSize: Int) -> Observable<Element> {
        share(replay: bufferSize, scope: .forever)
    }

    /// Replays the latest element while there are subscribers, as RxSwift 5 did.
    @available(*, deprecated, message: "Use share(replay: 1) instead.")
    public consuming func shareReplayLatestWhileConnected() -> Observable<Element> {
        share(replay: 1, scope: .whileConnected)
    }
}

extension PrimitiveSequence {
    /// The RxSwift 5 spelling of `catch(_:)`.
    @available(*, deprecated, renamed: "catch(_:)")
    @preconcurrency
    public consuming func catchError(
        _ handler: @escaping @Sendable (any Error) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        self.catch(handler)
    }

    /// The RxSwift 5 spelling of `observe(on:)`.
    @available(*, deprecated, renamed: "observe(on:)")
    public consuming func observeOn(
        _ scheduler: any ImmediateSchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        observe(on: scheduler)
    }

    /// The RxSwift 5 spelling of `subscribe(on:)`.
    @available(*, deprecated, renamed: "subscribe(on:)")
    public consuming func subscribeOn(
        _ scheduler: any ImmediateSchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        subscribe(on: scheduler)
    }

    /// The RxSwift 5 spelling of `retry(when:)`.
    @available(*, deprecated, renamed: "retry(when:)")
    @preconcurrency
    public consuming func retryWhen<TriggerObservable: ObservableType>(
        _ notificationHandler: @escaping @Sendable (Observable<any Error>) -> TriggerObservable
    ) -> PrimitiveSequence<Trait, Element> {
        retry(when: notificationHandler)
    }

    /// The RxSwift 5 spelling of `retry(when:)`.
    @available(*, deprecated, renamed: "retry(when:)")
    @preconcurrency
    public consuming func retryWhen<TriggerObservable: ObservableType, Failure: Error>(
        _ notificationHandler: @escaping @Sendable (Observable<Failure>) -> TriggerObservable
    ) -> PrimitiveSequence<Trait, Element> {
        retry(when: notificationHandler)
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// The RxSwift 5 spelling of `subscribe(onSuccess:onFailure:onDisposed:)`.
    @available(*, deprecated, renamed: "subscribe(onSuccess:onFailure:onDisposed:)")
    @preconcurrency
    public consuming func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil, onError: @escaping @Sendable (any Error) -> Void,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        subscribe(onSuccess: onSuccess, onFailure: onError, onDisposed: onDisposed)
    }

    /// The RxSwift 5 spelling of `catchAndReturn(_:)`.
    @available(*, deprecated, renamed: "catchAndReturn(_:)")
    public consuming func catchErrorJustReturn(_ element: Element) -> Single<Element> {
        catchAndReturn(element)
    }
}

extension PrimitiveSequence where Trait == MaybeTrait {
    /// The RxSwift 5 spelling of `catchAndReturn(_:)`.
    @available(*, deprecated, renamed: "catchAndReturn(_:)")
    public consuming func catchErrorJustReturn(_ element: Element) -> Maybe<Element> {
        catchAndReturn(element)
    }
}
