// Each `bind` works like the one on `ObservableType`, without errors.
extension InfallibleType {
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

    @preconcurrency
    public func bind<Object: AnyObject & Sendable>(
        with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
    ) -> any Disposable {
        asObservable().subscribe(with: object, onNext: onNext)
    }

    @preconcurrency
    public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
        asObservable().subscribe(onNext: onNext)
    }
}
