extension PrimitiveSequence where Trait == SingleTrait {
    public typealias SingleObserver = @Sendable (SingleEvent<Element>) -> Void

    /// A single made by hand. `subscribe` is called for each subscription; the first result it reports counts.
    @inlinable
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

    /// A single that `emitter` works for: it sends `onLast` or `onError`.
    @inlinable
    public static func emitting(_ emitter: consuming Emitter<Element>) -> Single<Element> {
        Single(raw: emitter)
    }

    @inlinable
    public static func just(_ element: Element) -> Single<Element> {
        Single(raw: .just(element))
    }

    @inlinable
    public static func error(_ error: any Error) -> Single<Element> {
        Single(raw: .error(error))
    }

    @inlinable
    public static func never() -> Single<Element> {
        Single(raw: .never())
    }

    /// Subscribes an event handler.
    @inlinable
    public consuming func subscribe(
        _ observer: @escaping @Sendable (SingleEvent<Element>) -> Void
    ) -> any Disposable {
        Observable.subscribe(
            source,
            ClosureSubscriber(
                next: { observer(.success($0)) }, error: { observer(.failure($0)) }, completed: nil,
                disposed: nil))
    }

    /// Subscribes handlers for the value, the error and the end of the subscription.
    @inlinable
    public consuming func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil,
        onFailure: (@Sendable (any Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        Observable.subscribe(
            source,
            ClosureSubscriber(next: onSuccess, error: onFailure, completed: nil, disposed: onDisposed))
    }

    @inlinable
    public consuming func map<Result: Sendable>(
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> Single<Result> {
        Single<Result>(raw: source.map(transform))
    }

    @inlinable
    public consuming func flatMap<Result: Sendable>(
        _ selector: @escaping @Sendable (Element) throws -> Single<Result>
    ) -> Single<Result> {
        Single<Result>(raw: source.flatMap(selector))
    }

    @inlinable
    public consuming func `catch`(
        _ handler: @escaping @Sendable (any Error) throws -> Single<Element>
    ) -> Single<Element> {
        Single(raw: source.catch { try handler($0).asObservable() })
    }

    @inlinable
    public consuming func catchAndReturn(_ element: Element) -> Single<Element> {
        Single(raw: source.catchAndReturn(element))
    }

    @inlinable
    public consuming func timeout(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> Single<Element> {
        Single(raw: source.timeout(dueTime, scheduler: scheduler))
    }

    @inlinable
    public consuming func timeout(
        _ dueTime: RxTimeInterval, other: Single<Element>, scheduler: any SchedulerType
    ) -> Single<Element> {
        Single(raw: source.timeout(dueTime, other: other.source, scheduler: scheduler))
    }
}
