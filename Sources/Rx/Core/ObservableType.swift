/// A type that converts to an `Observable`: a stream, trait, subject or relay.
public protocol ObservableConvertibleType<Element>: Sendable {
    associatedtype Element: Sendable

    consuming func asObservable() -> Observable<Element>
}

/// A stream that can be subscribed to with any observer.
public protocol ObservableType<Element>: ValueStreamType where DerivedStream == Observable<Element> {
    /// Starts the stream and sends its events to `observer`. Disposing of the result stops it.
    func subscribe<Observer: ObserverType>(
        _ observer: Observer
    ) -> any Disposable where Observer.Element == Element
}

extension ObservableType {
    /// Returns the stream without its type.
    public consuming func asObservable() -> Observable<Element> {
        let source = self
        return Observable.create { observer in source.subscribe(observer) }
    }
}
