/// Passes values on to a relay one at a time, whichever thread they come from.
///
/// Delivery works as described for `SerializedSubject`.
public final class SerializedRelay<Element: Sendable>: ObservableType {
    private let relay: any RelayType<Element>
    private let observable: Observable<Element>
    private let gate = SerialGate()

    init<Relay: RelayType & ObservableType>(_ relay: Relay) where Relay.Element == Element {
        self.relay = relay
        observable = relay.asObservable()
    }

    /// Delivers `event`, or queues it for the thread that is delivering. May be called from any thread and by
    /// a subscriber.
    public func accept(_ event: Element) {
        if gate.enter() {
            relay.accept(event)
            gate.leave()
        } else {
            gate.park { [relay] in relay.accept(event) }
        }
    }

    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        observable.subscribe(observer)
    }

    public func asObservable() -> Observable<Element> {
        observable
    }
}

extension SerializedRelay: RelayType {
    /// Converts the relay to an `Infallible`.
    public func asInfallible() -> Infallible<Element> {
        Infallible(raw: observable)
    }
}

extension PublishRelay {
    /// Returns a view of this relay that accepts values from several threads at once and from inside its own
    /// subscribers.
    public func serialized() -> SerializedRelay<Element> {
        SerializedRelay(self)
    }
}

extension BehaviorRelay {
    /// Returns a view of this relay that accepts values from several threads at once and from inside its own
    /// subscribers.
    ///
    /// The relay's `value` is the one delivered last, not the one accepted last.
    public func serialized() -> SerializedRelay<Element> {
        SerializedRelay(self)
    }
}

extension ReplayRelay {
    /// Returns a view of this relay that accepts values from several threads at once and from inside its own
    /// subscribers.
    public func serialized() -> SerializedRelay<Element> {
        SerializedRelay(self)
    }
}
