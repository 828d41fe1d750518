// Of a stream that does not fail observers get the values and the completion, relays and closures the values.
extension InfallibleType {
    /// Subscribes all of `observers`, with one subscription: each event goes to them in their order.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        subscribe(
            onNext: { element in
                for observer in observers { observer.onNext(element) }
            },
            onCompleted: {
                for observer in observers { observer.onCompleted() }
            })
    }

    /// Subscribes all of `observers` of optional values, with one subscription.
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        subscribe(
            onNext: { element in
                for observer in observers { observer.onNext(element) }
            },
            onCompleted: {
                for observer in observers { observer.onCompleted() }
            })
    }

    /// Has `relays` accept the values, with one subscription.
    public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
        bind { element in
            for relay in relays { relay.accept(element) }
        }
    }

    /// Has `relays` of optional values accept the values, with one subscription.
    public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
        bind { element in
            for relay in relays { relay.accept(element) }
        }
    }

    /// Has `relays` accept the values, with one subscription.
    public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
        bind { element in
            for relay in relays { relay.accept(element) }
        }
    }

    /// Has `relays` of optional values accept the values, with one subscription.
    public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
        bind { element in
            for relay in relays { relay.accept(element) }
        }
    }

    /// Has `relays` accept the values, with one subscription.
    public func bind(to relays: ReplayRelay<Element>...) -> any Disposable {
        bind { element in
            for relay in relays { relay.accept(element) }
        }
    }

    /// Has `relays` of optional values accept the values, with one subscription.
    public func bind(to relays: ReplayRelay<Element?>...) -> any Disposable {
        bind { element in
            for relay in relays { relay.accept(element) }
        }
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
    public func bind<Object: AnyObject & Sendable>(
        with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
    ) -> any Disposable {
        subscribe(with: object, onNext: onNext)
    }

    /// Calls `onNext` with each value.
    public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
        subscribe(onNext: onNext)
    }
}
