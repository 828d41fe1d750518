extension SubjectType where Observer.Element == Element {
    /// This subject, to be fed from several threads at once and from inside its own subscribers.
    public func serialized() -> SerializedSubject<Self> {
        SerializedSubject(self)
    }
}

/// Feeds a subject one event after the other, whoever sends them.
///
/// Events are delivered in the order in which they arrived. Who finds nobody delivering does so itself and returns when
/// nothing is left; who comes meanwhile, from another thread or from inside a subscriber, leaves the event behind and
/// returns at once: nobody waits, and no delivery nests in another. What is left behind is kept without bound.
public final class SerializedSubject<Subject: SubjectType>: SubjectType, ObserverType
where Subject.Observer.Element == Subject.Element {
    public typealias Element = Subject.Element

    /// What the subscribers are subscribed to. What it is sent directly is not serialized.
    public let subject: Subject
    private let observer: Subject.Observer
    private let gate = SerialGate()

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
