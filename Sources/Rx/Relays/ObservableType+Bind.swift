// Each `bind` makes one subscription. Observers receive all events. Relays and closures receive only values: a
// completion ends the binding, an error ends it and goes to `Hooks.defaultErrorHandler`, and the relay stays usable.
extension ObservableType {
    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element {
        observed(by: observers)
    }

    public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
    where Observer.Element == Element? {
        observed(by: observers)
    }

    public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
        accepted(by: relays)
    }

    public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
        accepted(by: relays)
    }

    public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
        accepted(by: relays)
    }

    public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
        accepted(by: relays)
    }

    public func bind(to relays: ReplayRelay<Element>...) -> any Disposable {
        accepted(by: relays)
    }

    public func bind(to relays: ReplayRelay<Element?>...) -> any Disposable {
        accepted(by: relays)
    }

    public func bind<Result>(to binder: (Self) -> Result) -> Result {
        binder(self)
    }

    public func bind<R1, R2>(to binder: (Self) -> (R1) -> R2, curriedArgument: R1) -> R2 {
        binder(self)(curriedArgument)
    }

    /// Calls `onNext` with `object` and each value, until `object` is deallocated. Does not retain it.
    @preconcurrency
    public func bind<Object: AnyObject & Sendable>(
        with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
    ) -> any Disposable {
        subscribe(with: object, onNext: onNext)
    }

    @preconcurrency
    public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
        subscribe(onNext: onNext)
    }
}
