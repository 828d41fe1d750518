// Observers receive all events. Relays and closures receive only values: a completion ends the binding, an
// error ends it and goes to `Hooks.defaultErrorHandler`, and the relay stays usable.
extension ObservableType {
    /// Forwards each event to all of `observers`, in order, through one subscription.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        observed(by: observers)
    }

    /// Forwards each event to all of `observers` of optional values, in order, through one subscription.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        observed(by: observers)
    }

    /// Forwards the values to `relays` through one subscription. An error goes to
    /// `Hooks.defaultErrorHandler`.
    public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
        accepted(by: relays)
    }

    /// Forwards the values to `relays` of optional values through one subscription. An error goes to
    /// `Hooks.defaultErrorHandler`.
    public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
        accepted(by: relays)
    }

    /// Forwards the values to `relays` through one subscription. An error goes to
    /// `Hooks.defaultErrorHandler`.
    public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
        accepted(by: relays)
    }

    /// Forwards the values to `relays` of optional values through one subscription. An error goes to
    /// `Hooks.defaultErrorHandler`.
    public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
        accepted(by: relays)
    }

    /// Forwards the values to `relays` through one subscription. An error goes to
    /// `Hooks.defaultErrorHandler`.
    public func bind(to relays: ReplayRelay<Element>...) -> any Disposable {
        accepted(by: relays)
    }

    /// Forwards the values to `relays` of optional values through one subscription. An error goes to
    /// `Hooks.defaultErrorHandler`.
    public func bind(to relays: ReplayRelay<Element?>...) -> any Disposable {
        accepted(by: relays)
    }

    /// Returns `binder` applied to this stream.
    public func bind<Result>(to binder: (Self) -> Result) -> Result {
        binder(self)
    }

    /// Returns `binder` applied to this stream and then to `curriedArgument`.
    public func bind<R1, R2>(to binder: (Self) -> (R1) -> R2, curriedArgument: R1) -> R2 {
        binder(self)(curriedArgument)
    }

    /// Calls `onNext` with `object` and each value, without retaining `object`. It is not called after
    /// `object` was deallocated. An error goes to `Hooks.defaultErrorHandler`.
    @preconcurrency
    public func bind<Object: AnyObject & Sendable>(
        with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
    ) -> any Disposable {
        subscribe(with: object, onNext: onNext)
    }

    /// Calls `onNext` with each value. An error goes to `Hooks.defaultErrorHandler`.
    @preconcurrency
    public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
        subscribe(onNext: onNext)
    }
}
