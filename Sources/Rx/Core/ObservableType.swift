/// A type that can be converted to an `Observable`.
public protocol ObservableConvertibleType<Element>: Sendable {
    associatedtype Element: Sendable

    consuming func asObservable() -> Observable<Element>
}

/// A stream that can be subscribed to.
public protocol ObservableType<Element>: ObservableConvertibleType {
    /// Starts the stream and sends its events to `observer`. Disposing of the result stops the stream, which otherwise runs to its
    /// end.
    func subscribe<Observer: ObserverType>(
        _ observer: Observer
    ) -> any Disposable where Observer.Element == Element
}

extension ObservableType {
    public consuming func asObservable() -> Observable<Element> {
        let source = self
        return Observable.create { observer in source.subscribe(observer) }
    }
}
