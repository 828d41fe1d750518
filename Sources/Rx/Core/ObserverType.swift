/// Takes the events of a stream. One event at a time; after a stop event nothing more.
public protocol ObserverType<Element>: Sendable {
    associatedtype Element: Sendable

    func on(_ event: Event<Element>)

    // Requirements, so that our own observers take an event without an `Event` around it.
    func onNext(_ element: Element)
    func onError(_ error: any Error)
    func onCompleted()
}

extension ObserverType {
    @inlinable
    public func onNext(_ element: Element) {
        on(.next(element))
    }

    @inlinable
    public func onError(_ error: any Error) {
        on(.error(error))
    }

    @inlinable
    public func onCompleted() {
        on(.completed)
    }

    public func asObserver() -> AnyObserver<Element> {
        AnyObserver(self)
    }

    /// An observer that transforms what it gets before passing it on. An error thrown by `transform` is passed
    /// on as the stop event.
    @preconcurrency
    public func mapObserver<Result: Sendable>(
        _ transform: @escaping @Sendable (Result) throws -> Element
    ) -> AnyObserver<Result> {
        AnyObserver { event in
            on(event.map(transform))
        }
    }
}
