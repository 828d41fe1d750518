public protocol ObservableConvertibleType<Element>: Sendable {
    associatedtype Element: Sendable

    consuming func asObservable() -> Observable<Element>
}

public protocol ObservableType<Element>: ObservableConvertibleType {
    /// Starts the stream and sends its events to `observer`. Disposing of the result stops it.
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
