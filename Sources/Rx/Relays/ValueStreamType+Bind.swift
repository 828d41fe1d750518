extension ValueStreamType {
    /// Sends every event to `observers` through one subscription.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        observed(by: observers)
    }

    /// Sends every event to `observers` through one subscription.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        observed(by: observers)
    }

    /// Passes values to `relays` through one subscription. An error goes to `Hooks.defaultErrorHandler`, not
    /// to them.
    public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable where Relay.Element == Element {
        accepted(by: relays)
    }

    /// Passes values to `relays` through one subscription. An error goes to `Hooks.defaultErrorHandler`, not
    /// to them.
    public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable
    where Relay.Element == Element? {
        accepted(by: relays)
    }

    /// Returns the result of calling `binder` with this stream.
    public func bind<Result>(to binder: (Self) -> Result) -> Result {
        binder(self)
    }

    /// Returns the result of calling `binder` with this stream and then with `curriedArgument`.
    public func bind<R1, R2>(to binder: (Self) -> (R1) -> R2, curriedArgument: R1) -> R2 {
        binder(self)(curriedArgument)
    }

    /// Calls `onNext` with `object` and each value, until `object` is deallocated. Does not retain it.
    @preconcurrency
    public func bind<Object: AnyObject & Sendable>(
        with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
    ) -> any Disposable {
        asObservable().subscribe(with: object, onNext: onNext)
    }

    /// Calls `onNext` with each value. An error goes to `Hooks.defaultErrorHandler`.
    @preconcurrency
    public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
        asObservable().subscribe(onNext: onNext)
    }
}
