// The same operators for generic code that only knows `PrimitiveSequenceType`. A `PrimitiveSequence` uses its
// own, which are preferred.

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Subscribes an event handler.
    @_disfavoredOverload
    @preconcurrency
    public func subscribe(_ observer: @escaping @Sendable (SingleEvent<Element>) -> Void) -> any Disposable {
        primitiveSequence.subscribe(observer)
    }

    /// Subscribes handlers for the value, the error and the end of the subscription.
    @_disfavoredOverload
    @preconcurrency
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil, onFailure: (@Sendable (any Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.subscribe(onSuccess: onSuccess, onFailure: onFailure, onDisposed: onDisposed)
    }

    /// Subscribes handlers that receive `object`, without retaining it. They are not called after `object`
    /// was deallocated.
    @_disfavoredOverload
    @preconcurrency
    public func subscribe<Object: AnyObject & Sendable>(
        with object: Object, onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
        onFailure: (@Sendable (Object, any Error) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.subscribe(
            with: object, onSuccess: onSuccess, onFailure: onFailure, onDisposed: onDisposed)
    }

    /// Calls the given hooks as the result passes: an `on...` hook before it is forwarded, an `after...` hook
    /// afterwards.
    @_disfavoredOverload
    @preconcurrency
    public func `do`(
        onSuccess: (@Sendable (Element) throws -> Void)? = nil,
        afterSuccess: (@Sendable (Element) throws -> Void)? = nil,
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Single<Element> {
        primitiveSequence.do(
            onSuccess: onSuccess, afterSuccess: afterSuccess, onError: onError, afterError: afterError,
            onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose)
    }

    /// Transforms the value with `transform`. An error thrown by `transform` fails the single.
    @_disfavoredOverload
    @preconcurrency
    public func map<Result: Sendable>(_ transform: @escaping @Sendable (Element) throws -> Result)
        -> Single<Result>
    {
        primitiveSequence.map(transform)
    }

    /// Transforms the value with `transform`, or completes empty if the result is `nil`.
    @_disfavoredOverload
    @preconcurrency
    public func compactMap<Result: Sendable>(_ transform: @escaping @Sendable (Element) throws -> Result?)
        -> Maybe<Result>
    {
        primitiveSequence.compactMap(transform)
    }

    /// Completes empty if the value does not satisfy `predicate`.
    @_disfavoredOverload
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Maybe<Element> {
        primitiveSequence.filter(predicate)
    }

    /// Continues with the single that `selector` returns for the value.
    @_disfavoredOverload
    @preconcurrency
    public func flatMap<Result: Sendable>(
        _ selector: @escaping @Sendable (Element) throws -> Single<Result>
    ) -> Single<Result> {
        primitiveSequence.flatMap(selector)
    }

    /// Continues with the maybe that `selector` returns for the value.
    @_disfavoredOverload
    @preconcurrency
    public func flatMapMaybe<Result: Sendable>(
        _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
    ) -> Maybe<Result> {
        primitiveSequence.flatMapMaybe(selector)
    }

    /// Continues with the completable that `selector` returns for the value.
    @_disfavoredOverload
    @preconcurrency
    public func flatMapCompletable(
        _ selector: @escaping @Sendable (Element) throws -> Completable
    ) -> Completable {
        primitiveSequence.flatMapCompletable(selector)
    }

    /// Succeeds with `element` when the source fails.
    @_disfavoredOverload
    public func catchAndReturn(_ element: Element) -> Single<Element> {
        primitiveSequence.catchAndReturn(element)
    }

    /// Converts to a maybe.
    @_disfavoredOverload
    public func asMaybe() -> Maybe<Element> {
        primitiveSequence.asMaybe()
    }

    /// Drops the value and passes on only the error or the completion.
    @_disfavoredOverload
    public func asCompletable() -> Completable {
        primitiveSequence.asCompletable()
    }

    /// Subscribes and waits for the value. Cancelling the task disposes the subscription and throws
    /// `CancellationError`.
    @_disfavoredOverload
    public var value: Element {
        get async throws { try await primitiveSequence.value }
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// Subscribes an event handler.
    @_disfavoredOverload
    @preconcurrency
    public func subscribe(_ observer: @escaping @Sendable (MaybeEvent<Element>) -> Void) -> any Disposable {
        primitiveSequence.subscribe(observer)
    }

    /// Subscribes handlers for the value, the error, the empty completion and the end of the subscription.
    @_disfavoredOverload
    @preconcurrency
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil, onError: (@Sendable (any Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil, onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.subscribe(
            onSuccess: onSuccess, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes handlers that receive `object`, without retaining it. They are not called after `object`
    /// was deallocated.
    @_disfavoredOverload
    @preconcurrency
    public func subscribe<Object: AnyObject & Sendable>(
        with object: Object, onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
        onError: (@Sendable (Object, any Error) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil, onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.subscribe(
            with: object, onSuccess: onSuccess, onError: onError, onCompleted: onCompleted,
            onDisposed: onDisposed)
    }

    /// Calls the given hooks as the event passes: an `on...` hook before it is forwarded, an `after...` hook
    /// afterwards.
    @_disfavoredOverload
    @preconcurrency
    public func `do`(
        onNext: (@Sendable (Element) throws -> Void)? = nil,
        afterNext: (@Sendable (Element) throws -> Void)? = nil,
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Maybe<Element> {
        primitiveSequence.do(
            onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError,
            onCompleted: onCompleted, afterCompleted: afterCompleted, onSubscribe: onSubscribe,
            onSubscribed: onSubscribed, onDispose: onDispose)
    }

    /// Transforms the value with `transform`. An error thrown by `transform` fails the maybe.
    @_disfavoredOverload
    @preconcurrency
    public func map<Result: Sendable>(_ transform: @escaping @Sendable (Element) throws -> Result)
        -> Maybe<Result>
    {
        primitiveSequence.map(transform)
    }

    /// Transforms the value with `transform`, or completes empty if the result is `nil`.
    @_disfavoredOverload
    @preconcurrency
    public func compactMap<Result: Sendable>(_ transform: @escaping @Sendable (Element) throws -> Result?)
        -> Maybe<Result>
    {
        primitiveSequence.compactMap(transform)
    }

    /// Completes empty if the value does not satisfy `predicate`.
    @_disfavoredOverload
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Maybe<Element> {
        primitiveSequence.filter(predicate)
    }

    /// Continues with the maybe that `selector` returns for the value.
    @_disfavoredOverload
    @preconcurrency
    public func flatMap<Result: Sendable>(
        _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
    ) -> Maybe<Result> {
        primitiveSequence.flatMap(selector)
    }

    /// Succeeds with `element` when the source fails.
    @_disfavoredOverload
    public func catchAndReturn(_ element: Element) -> Maybe<Element> {
        primitiveSequence.catchAndReturn(element)
    }

    /// Succeeds with `default` if the maybe completes empty.
    @_disfavoredOverload
    public func ifEmpty(default: Element) -> Single<Element> {
        primitiveSequence.ifEmpty(default: `default`)
    }

    /// Continues with `other` if the maybe completes empty.
    @_disfavoredOverload
    public func ifEmpty(switchTo other: Maybe<Element>) -> Maybe<Element> {
        primitiveSequence.ifEmpty(switchTo: other)
    }

    /// Continues with `other` if the maybe completes empty.
    @_disfavoredOverload
    public func ifEmpty(switchTo other: Single<Element>) -> Single<Element> {
        primitiveSequence.ifEmpty(switchTo: other)
    }

    /// Converts to a single, which fails with `RxError.noElements` if the maybe completes empty.
    @_disfavoredOverload
    public func asSingle() -> Single<Element> {
        primitiveSequence.asSingle()
    }

    /// Drops the value and passes on only the error or the completion.
    @_disfavoredOverload
    public func asCompletable() -> Completable {
        primitiveSequence.asCompletable()
    }

    /// Subscribes and waits for the value, or for an empty completion, which returns nil. Cancelling the task
    /// disposes the subscription and throws `CancellationError`.
    @_disfavoredOverload
    public var value: Element? {
        get async throws { try await primitiveSequence.value }
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Subscribes an event handler.
    @_disfavoredOverload
    @preconcurrency
    public func subscribe(_ observer: @escaping @Sendable (CompletableEvent) -> Void) -> any Disposable {
        primitiveSequence.subscribe(observer)
    }

    /// Subscribes handlers for the completion, the error and the end of the subscription.
    @_disfavoredOverload
    @preconcurrency
    public func subscribe(
        onCompleted: (@Sendable () -> Void)? = nil, onError: (@Sendable (any Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.subscribe(onCompleted: onCompleted, onError: onError, onDisposed: onDisposed)
    }

    /// Subscribes handlers that receive `object`, without retaining it. They are not called after `object`
    /// was deallocated.
    @_disfavoredOverload
    @preconcurrency
    public func subscribe<Object: AnyObject & Sendable>(
        with object: Object, onCompleted: (@Sendable (Object) -> Void)? = nil,
        onError: (@Sendable (Object, any Error) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.subscribe(
            with: object, onCompleted: onCompleted, onError: onError, onDisposed: onDisposed)
    }

    /// Calls the given hooks as the event passes: an `on...` hook before it is forwarded, an `after...` hook
    /// afterwards.
    @_disfavoredOverload
    @preconcurrency
    public func `do`(
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Completable {
        primitiveSequence.do(
            onError: onError, afterError: afterError, onCompleted: onCompleted,
            afterCompleted: afterCompleted, onSubscribe: onSubscribe, onSubscribed: onSubscribed,
            onDispose: onDispose)
    }

    /// Subscribes to `second` once this has completed, and completes with it.
    @_disfavoredOverload
    public func concat(_ second: Completable) -> Completable {
        primitiveSequence.concat(second)
    }

    /// Subscribes to `second` once this has completed. If this fails, `second` is not subscribed to.
    @_disfavoredOverload
    public func andThen<Other: Sendable>(_ second: Single<Other>) -> Single<Other> {
        primitiveSequence.andThen(second)
    }

    /// Subscribes to `second` once this has completed. If this fails, `second` is not subscribed to.
    @_disfavoredOverload
    public func andThen<Other: Sendable>(_ second: Maybe<Other>) -> Maybe<Other> {
        primitiveSequence.andThen(second)
    }

    /// Subscribes to `second` once this has completed. If this fails, `second` is not subscribed to.
    @_disfavoredOverload
    public func andThen(_ second: Completable) -> Completable {
        primitiveSequence.andThen(second)
    }

    /// Subscribes to `second` once this has completed. If this fails, `second` is not subscribed to.
    @_disfavoredOverload
    public func andThen<Other: Sendable>(_ second: Observable<Other>) -> Observable<Other> {
        primitiveSequence.andThen(second)
    }

    /// Subscribes and waits for the completion. Cancelling the task disposes the subscription and throws
    /// `CancellationError`.
    @_disfavoredOverload
    public var value: Void {
        get async throws { try await primitiveSequence.value }
    }
}
