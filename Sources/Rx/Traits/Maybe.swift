extension PrimitiveSequence where Trait == MaybeTrait {
    /// Receives the value, the error or the end without a value.
    public typealias MaybeObserver = @Sendable (MaybeEvent<Element>) -> Void

    /// Creates a maybe from a closure that runs for each subscription and returns a disposable to cancel the
    /// work. Only the first event counts.
    @inlinable
    @preconcurrency
    public static func create(
        subscribe: @escaping @Sendable (@escaping MaybeObserver) -> any Disposable
    ) -> Maybe<Element> {
        Maybe(
            raw: Create { observer in
                subscribe { event in
                    switch event {
                    case .success(let value): observer.emitter.onLast(value)
                    case .error(let error): observer.emitter.onError(error)
                    case .completed: observer.emitter.onCompleted()
                    }
                }
            })
    }

    /// Creates a maybe that completes empty on subscription.
    @inlinable
    public static func empty() -> Maybe<Element> {
        Maybe(raw: .empty())
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// Calls `observer` with the value, the error or the empty completion.
    @inlinable
    @preconcurrency
    public consuming func subscribe(
        _ observer: @escaping @Sendable (MaybeEvent<Element>) -> Void
    ) -> any Disposable {
        subscribe(
            onSuccess: { observer(.success($0)) }, onError: { observer(.error($0)) },
            onCompleted: { observer(.completed) })
    }

    /// Subscribes handlers. Without `onError`, an error goes to `Hooks.defaultErrorHandler`.
    @inlinable
    @preconcurrency
    public consuming func subscribe(
        onSuccess: (@Sendable (Element) -> Void)? = nil,
        onError: (@Sendable (any Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        Observable.subscribe(
            takeSource(),
            MaybeSubscriber(
                next: onSuccess, error: onError, completed: onCompleted, disposed: onDisposed))
    }

    /// Subscribes handlers that receive `object`, until it is deallocated. Does not retain it.
    @inlinable
    @preconcurrency
    public consuming func subscribe<Object: AnyObject & Sendable>(
        with object: Object,
        onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
        onError: (@Sendable (Object, any Error) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        subscribe(
            onSuccess: whileAlive(object, onSuccess), onError: whileAlive(object, onError),
            onCompleted: whileAlive(object, onCompleted), onDisposed: whileAlive(object, onDisposed))
    }

    /// Calls the `on...` hooks before and the `after...` hooks after forwarding the event.
    @inlinable
    @preconcurrency
    public consuming func `do`(
        onNext: (@Sendable (Element) throws -> Void)? = nil,
        afterNext: (@Sendable (Element) throws -> Void)? = nil,
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Maybe<Element> {
        Maybe(
            raw: takeSource().do(
                onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError,
                onCompleted: onCompleted, afterCompleted: afterCompleted, onSubscribe: onSubscribe,
                onSubscribed: onSubscribed, onDispose: onDispose))
    }

    /// Succeeds with `default` if the maybe completes empty.
    @inlinable
    public consuming func ifEmpty(default: Element) -> Single<Element> {
        Single(raw: takeSource().ifEmpty(default: `default`))
    }

    /// Continues with `other` if the maybe completes empty.
    @inlinable
    public consuming func ifEmpty(switchTo other: Maybe<Element>) -> Maybe<Element> {
        Maybe(raw: takeSource().ifEmpty(switchTo: other.source))
    }

    /// Continues with `other` if the maybe completes empty.
    @inlinable
    public consuming func ifEmpty(switchTo other: Single<Element>) -> Single<Element> {
        Single(raw: takeSource().ifEmpty(switchTo: other.source))
    }

    /// Converts to a single, which fails with `RxError.noElements` if the maybe completes empty.
    @inlinable
    public consuming func asSingle() -> Single<Element> {
        Single(raw: takeSource().failingIfEmpty(SingleTrait.self))
    }
}

/// Calls `onCompleted` only after an empty completion, not after a value.
// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class MaybeSubscriber<In: Sendable>: ClosureSubscriber<In>, @unchecked Sendable {
    private let hasValue = RelaxedAtomic(false)

    @usableFromInline
    override init(
        next: (@Sendable (In) -> Void)?,
        error: (@Sendable (any Error) -> Void)?,
        completed: (@Sendable () -> Void)?,
        disposed: (@Sendable () -> Void)?
    ) {
        super.init(next: next, error: error, completed: completed, disposed: disposed)
    }

    override func receive(_ value: In) {
        hasValue.set(true)
        super.receive(value)
    }

    override func receivedCompletion() {
        if !hasValue.value { super.receivedCompletion() }
    }
}
