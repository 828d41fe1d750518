/// Receives the events of a stream, one at a time. No event follows a stop event.
public protocol ObserverType<Element>: Sendable {
    associatedtype Element: Sendable

    func on(_ event: Event<Element>)

    // Requirements, so that the library's own observers need not wrap each value in an `Event`.
    func onNext(_ element: Element)
    func onError(_ error: any Error)
    func onCompleted()
}

extension ObserverType {
    /// Passes a value on.
    @inlinable
    public func onNext(_ element: Element) {
        on(.next(element))
    }

    /// Ends the stream with an error.
    @inlinable
    public func onError(_ error: any Error) {
        on(.error(error))
    }

    /// Ends the stream without an error.
    @inlinable
    public func onCompleted() {
        on(.completed)
    }

    /// Returns the observer without its type.
    public func asObserver() -> AnyObserver<Element> {
        AnyObserver(self)
    }

    /// Returns an observer that transforms values first. An error that `transform` throws becomes the stop
    /// event.
    @preconcurrency
    public func mapObserver<Result: Sendable>(
        _ transform: @escaping @Sendable (Result) throws -> Element
    ) -> AnyObserver<Result> {
        AnyObserver { event in
            on(event.map(transform))
        }
    }
}
