/// A target of `bind(to:)` that never ends: a relay.
public protocol RelayType<Element>: Sendable {
    associatedtype Element: Sendable

    /// Passes a value on to the relay's observers.
    func accept(_ event: Element)
}

extension RelayType where Self: ObservableType {
    /// Subscribes an observer. Disposing of the result ends the subscription.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        asObservable().subscribe(observer)
    }

    /// Returns this relay's values as an `Infallible`.
    public func asInfallible() -> Infallible<Element> {
        Infallible(raw: asObservable())
    }
}

extension PublishRelay: RelayType {}

extension BehaviorRelay: RelayType {}

extension ReplayRelay: RelayType {}

// Each makes one subscription for all targets.
extension ObservableConvertibleType {
    func accepted<Relay: RelayType>(by relays: [Relay]) -> any Disposable where Relay.Element == Element {
        asObservable().subscribe(onNext: { element in
            for relay in relays { relay.accept(element) }
        })
    }

    func accepted<Relay: RelayType>(by relays: [Relay]) -> any Disposable where Relay.Element == Element? {
        asObservable().subscribe(onNext: { element in
            for relay in relays { relay.accept(element) }
        })
    }

    func observed<Observer: ObserverType>(by observers: [Observer]) -> any Disposable
    where Observer.Element == Element {
        asObservable().subscribe { event in
            for observer in observers { observer.on(event) }
        }
    }

    func observed<Observer: ObserverType>(by observers: [Observer]) -> any Disposable
    where Observer.Element == Element? {
        asObservable().subscribe { event in
            let event = event.map { Optional($0) }
            for observer in observers { observer.on(event) }
        }
    }
}
