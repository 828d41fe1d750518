extension PrimitiveSequence where Trait == CompletableTrait, Element == Never {
    /// Receives the end.
    public typealias CompletableObserver = @Sendable (CompletableEvent) -> Void

    /// Creates a completable from a closure that runs for each subscription and returns a disposable to
    /// cancel the work. Only the first event counts.
    @inlinable
    @preconcurrency
    public static func create(
        subscribe: @escaping @Sendable (@escaping CompletableObserver) -> any Disposable
    ) -> Completable {
        Completable(
            raw: Create { observer in
                subscribe { event in
                    switch event {
                    case .error(let error): observer.onError(error)
                    case .completed: observer.onCompleted()
                    }
                }
            })
    }

    /// Creates a completable that completes on subscription.
    @inlinable
    public static func empty() -> Completable {
        Completable(raw: .empty())
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Calls `observer` with the terminal event.
    @inlinable
    @preconcurrency
    public consuming func subscribe(_ observer: @escaping @Sendable (CompletableEvent) -> Void)
        -> any Disposable
    {
        subscribe(onCompleted: { observer(.completed) }, onError: { observer(.error($0)) })
    }

    /// Subscribes handlers. Without `onError`, an error goes to `Hooks.defaultErrorHandler`.
    @inlinable
    @preconcurrency
    public consuming func subscribe(
        onCompleted: (@Sendable () -> Void)? = nil,
        onError: (@Sendable (any Error) -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        takeSource().subscribe(onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Subscribes handlers that receive `object`, until it is deallocated. Does not retain it.
    @inlinable
    @preconcurrency
    public consuming func subscribe<Object: AnyObject & Sendable>(
        with object: Object,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onError: (@Sendable (Object, any Error) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        takeSource().subscribe(
            with: object, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// Calls the `on...` hooks before and the `after...` hooks after forwarding the event.
    @inlinable
    @preconcurrency
    public consuming func `do`(
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Completable {
        Completable(
            raw: takeSource().do(
                onError: onError, afterError: afterError, onCompleted: onCompleted,
                afterCompleted: afterCompleted, onSubscribe: onSubscribe, onSubscribed: onSubscribed,
                onDispose: onDispose))
    }

    /// Completes when the source fails.
    @inlinable
    public consuming func onErrorComplete() -> Completable {
        Completable(raw: takeSource().catch { _ in .empty() })
    }

    /// Subscribes to `second` once this has completed.
    @inlinable
    public consuming func concat(_ second: Completable) -> Completable {
        Completable(raw: takeSource().concat(second))
    }

    /// Subscribes to `second` once this has completed. An error skips `second`.
    @inlinable
    public consuming func andThen<Other: Sendable>(_ second: Single<Other>) -> Single<Other> {
        Single<Other>(raw: AndThen(takeSource(), second.source))
    }

    /// Subscribes to `second` once this has completed. An error skips `second`.
    @inlinable
    public consuming func andThen<Other: Sendable>(_ second: Maybe<Other>) -> Maybe<Other> {
        Maybe<Other>(raw: AndThen(takeSource(), second.source))
    }

    /// Subscribes to `second` once this has completed. An error skips `second`.
    @inlinable
    public consuming func andThen(_ second: Completable) -> Completable {
        Completable(raw: AndThen(takeSource(), second.source))
    }

    /// Subscribes to `second` once this has completed. An error skips `second`.
    @inlinable
    public consuming func andThen<Other: Sendable>(_ second: Observable<Other>) -> Observable<Other> {
        AndThen(takeSource(), second)
    }
}

/// Subscribes to the second stream once the first has completed, and then releases the first.
// Sound: it adds only constants.
@usableFromInline
final class AndThen<Out: Sendable>: Operator<Never, Out>, @unchecked Sendable {
    private let second: Observable<Out>

    @usableFromInline
    init(_ source: consuming Observable<Never>?, _ second: consuming Observable<Out>) {
        self.second = second
        super.init(source)
    }

    override func copy() -> Operator<Never, Out> {
        type(of: self).init(nil, second)
    }

    override func completed() {
        // The second stream's link replaces the first one's downstream.
        PostponedStart.startNow(second, down.share())
    }
}
