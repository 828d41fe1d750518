extension ObservableType {
    /// Calls `on` with each event.
    @inlinable
    @preconcurrency
    public consuming func subscribe(_ on: @escaping @Sendable (Event<Element>) -> Void)
        -> any Disposable
    {
        Observable.subscribe(
            asObservable(),
            ClosureSubscriber(
                next: { on(.next($0)) }, error: { on(.error($0)) }, completed: { on(.completed) },
                disposed: nil))
    }

    /// Subscribes closures. Without `onError`, an error goes to `Hooks.defaultErrorHandler`. `onDisposed`
    /// runs once, after the terminal event or disposal.
    @inlinable
    @preconcurrency
    public consuming func subscribe(
        onNext: (@Sendable (Element) -> Void)? = nil,
        onError: (@Sendable (any Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        Observable.subscribe(
            asObservable(),
            ClosureSubscriber(next: onNext, error: onError, completed: onCompleted, disposed: onDisposed))
    }

    /// Subscribes closures that are called with `object` while it lives. The subscription does not retain it.
    @inlinable
    @preconcurrency
    public consuming func subscribe<Object: AnyObject & Sendable>(
        with object: Object,
        onNext: (@Sendable (Object, Element) -> Void)? = nil,
        onError: (@Sendable (Object, any Error) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        subscribe(
            onNext: whileAlive(object, onNext), onError: whileAlive(object, onError),
            onCompleted: whileAlive(object, onCompleted), onDisposed: whileAlive(object, onDisposed))
    }
}
