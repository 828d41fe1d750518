/// An observable that is also an observer.
public protocol SubjectType<Element, Observer>: ObservableType {
    associatedtype Observer: ObserverType

    func asObserver() -> Observer
}
