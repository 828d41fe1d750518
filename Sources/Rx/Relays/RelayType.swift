/// A target of `bind(to:)` that never ends.
protocol RelayType<Element>: Sendable {
    associatedtype Element: Sendable

    func accept(_ event: Element)
}

extension PublishRelay: RelayType {
    public func asInfallible() -> Infallible<Element> {
        Infallible(raw: asObservable())
    }
}

extension BehaviorRelay: RelayType {
    public func asInfallible() -> Infallible<Element> {
        Infallible(raw: asObservable())
    }
}

extension ReplayRelay: RelayType {
    public func asInfallible() -> Infallible<Element> {
        Infallible(raw: asObservable())
    }
}

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
