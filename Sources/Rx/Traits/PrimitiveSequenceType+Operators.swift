// The operators of `PrimitiveSequence`, for generic code that only knows `PrimitiveSequenceType`. They are disfavored,
// so a `PrimitiveSequence` uses its own.

extension PrimitiveSequenceType where Trait == SingleTrait {
    @_disfavoredOverload @preconcurrency
    public func subscribe(_ observer: @escaping @Sendable (SingleEvent<Element>) -> Void) -> any Disposable {
        primitiveSequence.subscribe(observer)
    }

    @_disfavoredOverload @preconcurrency
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil, onFailure: (@Sendable (any Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.subscribe(onSuccess: onSuccess, onFailure: onFailure, onDisposed: onDisposed)
    }

    @_disfavoredOverload @preconcurrency
    public func subscribe<Object: AnyObject & Sendable>(
        with object: Object, onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
        onFailure: (@Sendable (Object, any Error) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.subscribe(
            with: object, onSuccess: onSuccess, onFailure: onFailure, onDisposed: onDisposed)
    }

    @_disfavoredOverload @preconcurrency
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

    @_disfavoredOverload @preconcurrency
    public func map<Result: Sendable>(_ transform: @escaping @Sendable (Element) throws -> Result)
        -> Single<Result>
    {
        primitiveSequence.map(transform)
    }

    @_disfavoredOverload @preconcurrency
    public func compactMap<Result: Sendable>(_ transform: @escaping @Sendable (Element) throws -> Result?)
        -> Maybe<Result>
    {
        primitiveSequence.compactMap(transform)
    }

    @_disfavoredOverload @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Maybe<Element> {
        primitiveSequence.filter(predicate)
    }

    @_disfavoredOverload @preconcurrency
    public func flatMap<Result: Sendable>(
        _ selector: @escaping @Sendable (Element) throws -> Single<Result>
    ) -> Single<Result> {
        primitiveSequence.flatMap(selector)
    }

    @_disfavoredOverload @preconcurrency
    public func flatMapMaybe<Result: Sendable>(
        _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
    ) -> Maybe<Result> {
        primitiveSequence.flatMapMaybe(selector)
    }

    @_disfavoredOverload @preconcurrency
    public func flatMapCompletable(
        _ selector: @escaping @Sendable (Element) throws -> Completable
    ) -> Completable {
        primitiveSequence.flatMapCompletable(selector)
    }

    @_disfavoredOverload
    public func catchAndReturn(_ element: Element) -> Single<Element> {
        primitiveSequence.catchAndReturn(element)
    }

    @_disfavoredOverload
    public func asMaybe() -> Maybe<Element> {
        primitiveSequence.asMaybe()
    }

    @_disfavoredOverload
    public func asCompletable() -> Completable {
        primitiveSequence.asCompletable()
    }

    @_disfavoredOverload
    public var value: Element {
        get async throws { try await primitiveSequence.value }
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    @_disfavoredOverload @preconcurrency
    public func subscribe(_ observer: @escaping @Sendable (MaybeEvent<Element>) -> Void) -> any Disposable {
        primitiveSequence.subscribe(observer)
    }

    @_disfavoredOverload @preconcurrency
    public func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil, onError: (@Sendable (any Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil, onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.subscribe(
            onSuccess: onSuccess, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    @_disfavoredOverload @preconcurrency
    public func subscribe<Object: AnyObject & Sendable>(
        with object: Object, onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
        onError: (@Sendable (Object, any Error) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil, onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.subscribe(
            with: object, onSuccess: onSuccess, onError: onError, onCompleted: onCompleted,
            onDisposed: onDisposed)
    }

    @_disfavoredOverload @preconcurrency
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

    @_disfavoredOverload @preconcurrency
    public func map<Result: Sendable>(_ transform: @escaping @Sendable (Element) throws -> Result)
        -> Maybe<Result>
    {
        primitiveSequence.map(transform)
    }

    @_disfavoredOverload @preconcurrency
    public func compactMap<Result: Sendable>(_ transform: @escaping @Sendable (Element) throws -> Result?)
        -> Maybe<Result>
    {
        primitiveSequence.compactMap(transform)
    }

    @_disfavoredOverload @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Maybe<Element> {
        primitiveSequence.filter(predicate)
    }

    @_disfavoredOverload @preconcurrency
    public func flatMap<Result: Sendable>(
        _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
    ) -> Maybe<Result> {
        primitiveSequence.flatMap(selector)
    }

    @_disfavoredOverload
    public func catchAndReturn(_ element: Element) -> Maybe<Element> {
        primitiveSequence.catchAndReturn(element)
    }

    @_disfavoredOverload
    public func ifEmpty(default: Element) -> Single<Element> {
        primitiveSequence.ifEmpty(default: `default`)
    }

    @_disfavoredOverload
    public func ifEmpty(switchTo other: Maybe<Element>) -> Maybe<Element> {
        primitiveSequence.ifEmpty(switchTo: other)
    }

    @_disfavoredOverload
    public func ifEmpty(switchTo other: Single<Element>) -> Single<Element> {
        primitiveSequence.ifEmpty(switchTo: other)
    }

    @_disfavoredOverload
    public func asSingle() -> Single<Element> {
        primitiveSequence.asSingle()
    }

    @_disfavoredOverload
    public func asCompletable() -> Completable {
        primitiveSequence.asCompletable()
    }

    @_disfavoredOverload
    public var value: Element? {
        get async throws { try await primitiveSequence.value }
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    @_disfavoredOverload @preconcurrency
    public func subscribe(_ observer: @escaping @Sendable (CompletableEvent) -> Void) -> any Disposable {
        primitiveSequence.subscribe(observer)
    }

    @_disfavoredOverload @preconcurrency
    public func subscribe(
        onCompleted: (@Sendable () -> Void)? = nil, onError: (@Sendable (any Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.subscribe(onCompleted: onCompleted, onError: onError, onDisposed: onDisposed)
    }

    @_disfavoredOverload @preconcurrency
    public func subscribe<Object: AnyObject & Sendable>(
        with object: Object, onCompleted: (@Sendable (Object) -> Void)? = nil,
        onError: (@Sendable (Object, any Error) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        primitiveSequence.subscribe(
            with: object, onCompleted: onCompleted, onError: onError, onDisposed: onDisposed)
    }

    @_disfavoredOverload @preconcurrency
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

    @_disfavoredOverload
    public func concat(_ second: Completable) -> Completable {
        primitiveSequence.concat(second)
    }

    @_disfavoredOverload
    public func andThen<Other: Sendable>(_ second: Single<Other>) -> Single<Other> {
        primitiveSequence.andThen(second)
    }

    @_disfavoredOverload
    public func andThen<Other: Sendable>(_ second: Maybe<Other>) -> Maybe<Other> {
        primitiveSequence.andThen(second)
    }

    @_disfavoredOverload
    public func andThen(_ second: Completable) -> Completable {
        primitiveSequence.andThen(second)
    }

    @_disfavoredOverload
    public func andThen<Other: Sendable>(_ second: Observable<Other>) -> Observable<Other> {
        primitiveSequence.andThen(second)
    }

    @_disfavoredOverload
    public var value: Void {
        get async throws { try await primitiveSequence.value }
    }
}
