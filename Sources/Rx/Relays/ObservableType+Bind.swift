// What observers are bound to, they get: also the error and the completion. Relays and closures get the values alone; an
// error ends the binding and goes to `Hooks.defaultErrorHandler`, and the relay goes on.
extension ObservableType {
    /// Subscribes all of `observers`, with one subscription: each event goes to them in their order.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        observed(by: observers)
    }

    /// Subscribes all of `observers` of optional values, with one subscription.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        observed(by: observers)
    }

    /// Has `relays` accept the values, with one subscription. An error goes to `Hooks.defaultErrorHandler`.
    public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
        accepted(by: relays)
    }

    /// Has `relays` of optional values accept the values, with one subscription.
    public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
        accepted(by: relays)
    }

    /// Has `relays` accept the values, with one subscription. An error goes to `Hooks.defaultErrorHandler`.
    public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
        accepted(by: relays)
    }

    /// Has `relays` of optional values accept the values, with one subscription.
    public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
        accepted(by: relays)
    }

    /// Has `relays` accept the values, with one subscription. An error goes to `Hooks.defaultErrorHandler`.
    public func bind(to relays: ReplayRelay<Element>...) -> any Disposable {
        accepted(by: relays)
    }

    /// Has `relays` of optional values accept the values, with one subscription.
    public func bind(to relays: ReplayRelay<Element?>...) -> any Disposable {
        accepted(by: relays)
    }

    /// What `binder` makes of this stream.
    public func bind<Result>(to binder: (Self) -> Result) -> Result {
        binder(self)
    }

    /// What `binder` makes of this stream and `curriedArgument`.
    public func bind<R1, R2>(to binder: (Self) -> (R1) -> R2, curriedArgument: R1) -> R2 {
        binder(self)(curriedArgument)
    }

    /// Calls `onNext` with `object` and each value as long as `object` lives; it is not kept alive.
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
