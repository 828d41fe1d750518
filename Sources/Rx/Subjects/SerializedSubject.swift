extension SubjectType where Observer.Element == Element {
    /// Returns a view of this subject that accepts events from any thread, even from inside a subscriber.
    public func serialized() -> SerializedSubject<Self> {
        SerializedSubject(self)
    }
}

/// Passes events from any thread to a subject, one at a time and in order of arrival. If no delivery is in
/// progress, the calling thread delivers its event and everything that arrives meanwhile, then returns.
/// Otherwise, on another thread or inside a subscriber, the event is queued and the call returns at once. So
/// no caller waits and deliveries never nest. The queue is not limited.
public final class SerializedSubject<Subject: SubjectType>: SubjectType, ObserverType
where Subject.Observer.Element == Subject.Element {
    /// The type of the values.
    public typealias Element = Subject.Element

    /// The subject that subscribers join. Events sent to it directly are not serialized.
    public let subject: Subject
    private let observer: Subject.Observer
    private let gate = SerialGate()

    /// Creates a view of `subject` that accepts events from any thread.
    public init(_ subject: Subject) {
        self.subject = subject
        observer = subject.asObserver()
    }

    /// Passes an event on to the observers.
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): onNext(element)
        case .error(let error): onError(error)
        case .completed: onCompleted()
        }
    }

    /// Passes a value on to the observers.
    public func onNext(_ element: Element) {
        if gate.enter() {
            observer.onNext(element)
            gate.leave()
        } else {
            gate.park { [observer] in observer.onNext(element) }
        }
    }

    /// Ends the stream with an error.
    public func onError(_ error: any Error) {
        if gate.enter() {
            observer.onError(error)
            gate.leave()
        } else {
            gate.park { [observer] in observer.onError(error) }
        }
    }

    /// Ends the stream without an error.
    public func onCompleted() {
        if gate.enter() {
            observer.onCompleted()
            gate.leave()
        } else {
            gate.park { [observer] in observer.onCompleted() }
        }
    }

    /// Returns the subject as an observer.
    public func asObserver() -> SerializedSubject<Subject> {
        self
    }

    /// Returns the stream without its type.
    public func asObservable() -> Observable<Element> {
        subject.asObservable()
    }

    /// Subscribes an observer. Disposing of the result ends the subscription.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subject.subscribe(observer)
    }
}
