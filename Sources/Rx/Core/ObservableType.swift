/// What can be turned into an `Observable`.
public protocol ObservableConvertibleType<Element>: Sendable {
    associatedtype Element: Sendable

    consuming func asObservable() -> Observable<Element>
}

/// A stream that can be subscribed to.
public protocol ObservableType<Element>: ObservableConvertibleType {
    /// Starts the stream towards `observer`. Disposing what it returns stops it; without that it runs to its end.
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
