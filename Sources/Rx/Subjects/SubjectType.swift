/// An observable that is also an observer.
public protocol SubjectType<Element, Observer>: ObservableType {
    associatedtype Observer: ObserverType

    /// Returns the observer that sends events to the subscribers.
    func asObserver() -> Observer
}
