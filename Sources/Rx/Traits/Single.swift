extension PrimitiveSequence where Trait == SingleTrait {
    /// Receives the value or the error.
    public typealias SingleObserver = @Sendable (SingleEvent<Element>) -> Void

    /// Creates a single from a closure that runs for each subscription and returns a disposable to cancel the
    /// work. Only the first result counts.
    @inlinable
    @preconcurrency
    public static func create(
        subscribe: @escaping @Sendable (@escaping SingleObserver) -> any Disposable
    ) -> Single<Element> {
        Single(
            raw: Create { observer in
                subscribe { result in
                    switch result {
                    case .success(let value): observer.emitter.onLast(value)
                    case .failure(let error): observer.emitter.onError(error)
                    }
                }
            })
    }

    /// Creates a single from an emitter, which must call `onLast` or `onError` once.
    @inlinable
    public static func emitting(_ emitter: consuming Emitter<Element>) -> Single<Element> {
        Single(raw: consume emitter)
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Calls `observer` with the result.
    @inlinable
    @preconcurrency
    public consuming func subscribe(
        _ observer: @escaping @Sendable (SingleEvent<Element>) -> Void
    ) -> any Disposable {
        Observable.subscribe(
            takeSource(),
            ClosureSubscriber(
                next: { observer(.success($0)) }, error: { observer(.failure($0)) }, completed: nil,
                disposed: nil))
    }

    /// Subscribes handlers. Without `onFailure`, an error goes to `Hooks.defaultErrorHandler`.
    @inlinable
    @preconcurrency
    public consuming func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil,
        onFailure: (@Sendable (any Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        Observable.subscribe(
            takeSource(),
            ClosureSubscriber(next: onSuccess, error: onFailure, completed: nil, disposed: onDisposed))
    }

    /// Subscribes handlers that receive `object`, until it is deallocated. Does not retain it.
    @inlinable
    @preconcurrency
    public consuming func subscribe<Object: AnyObject & Sendable>(
        with object: Object,
        onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
        onFailure: (@Sendable (Object, any Error) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        takeSource().subscribe(with: object, onNext: onSuccess, onError: onFailure, onDisposed: onDisposed)
    }

    /// Calls the `on...` hooks before and the `after...` hooks after forwarding the result.
    @inlinable
    @preconcurrency
    public consuming func `do`(
        onSuccess: (@Sendable (Element) throws -> Void)? = nil,
        afterSuccess: (@Sendable (Element) throws -> Void)? = nil,
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Single<Element> {
        Single(
            raw: takeSource().do(
                onNext: onSuccess, afterNext: afterSuccess, onError: onError, afterError: afterError,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }

    /// Continues with the maybe that `selector` returns for the value. An error thrown by `selector` fails
    /// the result.
    @inlinable
    @preconcurrency
    public consuming func flatMapMaybe<Result: Sendable>(
        _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
    ) -> Maybe<Result> {
        Maybe<Result>(raw: takeSource().flatMap(selector))
    }

    /// Continues with the completable that `selector` returns for the value. An error of `selector` fails the
    /// result.
    @inlinable
    @preconcurrency
    public consuming func flatMapCompletable(
        _ selector: @escaping @Sendable (Element) throws -> Completable
    ) -> Completable {
        Completable(raw: takeSource().flatMap(selector))
    }

    /// Converts to a maybe, which never completes empty.
    @inlinable
    public consuming func asMaybe() -> Maybe<Element> {
        Maybe(raw: takeSource())
    }
}
