extension PrimitiveSequence where Trait == SingleTrait {
    public typealias SingleObserver = @Sendable (SingleEvent<Element>) -> Void

    /// Creates a single from a closure that runs for each subscription and returns a disposable to cancel the work.
    /// Only the first result counts.
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

    /// Calls `observer` with the result.
    @inlinable
    @preconcurrency
    public consuming func subscribe(
        _ observer: @escaping @Sendable (SingleEvent<Element>) -> Void
    ) -> any Disposable {
        Observable.subscribe(
            source,
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
            source,
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
        source.subscribe(with: object, onNext: onSuccess, onError: onFailure, onDisposed: onDisposed)
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
            raw: source.do(
                onNext: onSuccess, afterNext: afterSuccess, onError: onError, afterError: afterError,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }

    /// Transforms the value with `transform`. An error thrown by `transform` fails the result.
    @inlinable
    @preconcurrency
    public consuming func map<Result: Sendable>(
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> Single<Result> {
        Single<Result>(raw: source.map(transform))
    }

    /// Transforms the value with `transform`, or completes empty if the result is `nil`.
    @inlinable
    @preconcurrency
    public consuming func compactMap<Result: Sendable>(
        _ transform: @escaping @Sendable (Element) throws -> Result?
    ) -> Maybe<Result> {
        Maybe<Result>(raw: source.compactMap(transform))
    }

    /// Completes empty if the value does not satisfy `predicate`.
    @inlinable
    @preconcurrency
    public consuming func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Maybe<
        Element
    > {
        Maybe(raw: source.filter(predicate))
    }

    /// Continues with the single that `selector` returns for the value. An error thrown by `selector` fails the result.
    @inlinable
    @preconcurrency
    public consuming func flatMap<Result: Sendable>(
        _ selector: @escaping @Sendable (Element) throws -> Single<Result>
    ) -> Single<Result> {
        Single<Result>(raw: source.flatMap(selector))
    }

    /// Continues with the maybe that `selector` returns for the value. An error thrown by `selector` fails the result.
    @inlinable
    @preconcurrency
    public consuming func flatMapMaybe<Result: Sendable>(
        _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
    ) -> Maybe<Result> {
        Maybe<Result>(raw: source.flatMap(selector))
    }

    /// Continues with the completable that `selector` returns for the value. An error of `selector` fails the result.
    @inlinable
    @preconcurrency
    public consuming func flatMapCompletable(
        _ selector: @escaping @Sendable (Element) throws -> Completable
    ) -> Completable {
        Completable(raw: source.flatMap(selector))
    }

    /// Succeeds with `element` when the source fails.
    @inlinable
    public consuming func catchAndReturn(_ element: Element) -> Single<Element> {
        Single(raw: source.catchAndReturn(element))
    }

    /// Combines the values of all singles with `resultSelector`. Fails with the first error and disposes the others.
    @inlinable
    @preconcurrency
    public static func zip<Singles: Collection, Result: Sendable>(
        _ singles: Singles, resultSelector: @escaping @Sendable ([Element]) throws -> Result
    ) -> Single<Result> where Singles.Element == Single<Element> {
        if singles.isEmpty { return Single<Result>.deferred { .just(try resultSelector([])) } }
        return Single<Result>(
            raw: .zip(singles.map { $0.asObservable() }, resultSelector: resultSelector))
    }

    /// Collects the values of all singles into an array, in order. Fails with the first error and disposes the others.
    @inlinable
    public static func zip<Singles: Collection>(
        _ singles: Singles
    ) -> Single<[Element]> where Singles.Element == Single<Element> {
        zip(singles) { $0 }
    }

    /// Converts to a maybe, which never completes empty.
    @inlinable
    public consuming func asMaybe() -> Maybe<Element> {
        Maybe(raw: source)
    }

    /// Converts to a completable by dropping the value.
    @inlinable
    public consuming func asCompletable() -> Completable {
        Completable(raw: source.ignoreElements())
    }
}
