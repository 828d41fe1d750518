/// An observable that is fed from outside.
public protocol SubjectType<Element, Observer>: ObservableType {
    associatedtype Observer: ObserverType

    /// The side that feeds it.
    func asObserver() -> Observer
}
