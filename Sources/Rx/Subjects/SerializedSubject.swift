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

    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): onNext(element)
        case .error(let error): onError(error)
        case .completed: onCompleted()
        }
    }

    public func onNext(_ element: Element) {
        if gate.enter() {
            observer.onNext(element)
            gate.leave()
        } else {
            gate.park { [observer] in observer.onNext(element) }
        }
    }

    public func onError(_ error: any Error) {
        if gate.enter() {
            observer.onError(error)
            gate.leave()
        } else {
            gate.park { [observer] in observer.onError(error) }
        }
    }

    public func onCompleted() {
        if gate.enter() {
            observer.onCompleted()
            gate.leave()
        } else {
            gate.park { [observer] in observer.onCompleted() }
        }
    }

    public func asObserver() -> SerializedSubject<Subject> {
        self
    }

    public func asObservable() -> Observable<Element> {
        subject.asObservable()
    }

    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subject.subscribe(observer)
    }
}
