/// Has a relay accept one value after the other, whoever sends them, as `SerializedSubject` does for a subject.
public final class SerializedRelay<Element: Sendable>: ObservableType {
    private let relay: any RelayType<Element>
    private let observable: Observable<Element>
    private let gate = SerialGate()

    init<Relay: RelayType & ObservableType>(_ relay: Relay) where Relay.Element == Element {
        self.relay = relay
        observable = relay.asObservable()
    }

    /// Sends `event` to the subscribers, or leaves that to who is delivering now. From any thread, also from inside a
    /// subscriber.
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
    /// The values, in the type that says that they do not fail.
    public func asInfallible() -> Infallible<Element> {
        Infallible(raw: observable)
    }
}

extension PublishRelay {
    /// This relay, to accept values from several threads at once and from inside its own subscribers.
    public func serialized() -> SerializedRelay<Element> {
        SerializedRelay(self)
    }
}

extension BehaviorRelay {
    /// This relay, to accept values from several threads at once and from inside its own subscribers. Its `value` is the one
    /// delivered last.
    public func serialized() -> SerializedRelay<Element> {
        SerializedRelay(self)
    }
}

extension ReplayRelay {
    /// This relay, to accept values from several threads at once and from inside its own subscribers.
    public func serialized() -> SerializedRelay<Element> {
        SerializedRelay(self)
    }
}
