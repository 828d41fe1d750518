/// Passes values from any thread to a relay, one at a time. Delivers like `SerializedSubject`.
public final class SerializedRelay<Element: Sendable>: ObservableType {
    private let relay: any RelayType<Element>
    private let observable: Observable<Element>
    private let gate = SerialGate()

    init<Relay: RelayType & ObservableType>(_ relay: Relay) where Relay.Element == Element {
        self.relay = relay
        observable = relay.asObservable()
    }

    /// Delivers `event`, or queues it for the thread that is delivering. Any thread and any subscriber may
    /// call it.
    public func accept(_ event: Element) {
        if gate.enter() {
            relay.accept(event)
            gate.leave()
        } else {
            gate.park { [relay] in relay.accept(event) }
        }
    }

    /// Subscribes an observer. Disposing of the result ends the subscription.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        observable.subscribe(observer)
    }

    /// Returns the stream without its type.
    public func asObservable() -> Observable<Element> {
        observable
    }
}

extension SerializedRelay: RelayType {
    /// Returns the relay's values as an `Infallible`.
    public func asInfallible() -> Infallible<Element> {
        Infallible(raw: observable)
    }
}

extension PublishRelay {
    /// Returns a view of this relay that accepts values from any thread, even from inside a subscriber.
    public func serialized() -> SerializedRelay<Element> {
        SerializedRelay(self)
    }
}

extension BehaviorRelay {
    /// Returns a view of this relay that accepts values from any thread, even from inside a subscriber. The
    /// relay's `value` is the last one delivered, not the last one accepted.
    public func serialized() -> SerializedRelay<Element> {
        SerializedRelay(self)
    }
}

extension ReplayRelay {
    /// Returns a view of this relay that accepts values from any thread, even from inside a subscriber.
    public func serialized() -> SerializedRelay<Element> {
        SerializedRelay(self)
    }
}
