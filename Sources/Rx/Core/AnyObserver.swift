/// A type-erased observer.
public struct AnyObserver<Element: Sendable>: ObserverType {
    /// Receives an event.
    public typealias EventHandler = @Sendable (Event<Element>) -> Void

    @usableFromInline let emitter: Emitter<Element>

    /// Creates an observer that calls `eventHandler` with each event.
    @preconcurrency
    public init(eventHandler: @escaping EventHandler) {
        emitter = HandlerEmitter(eventHandler)
    }

    /// Creates an observer that forwards each event to `observer`.
    public init<Observer: ObserverType>(_ observer: Observer) where Observer.Element == Element {
        if let same = observer as? AnyObserver<Element> {
            self = same
        } else {
            emitter = ObserverEmitter(observer)
        }
    }

    @usableFromInline
    init(emitter: Emitter<Element>) {
        self.emitter = emitter
    }

    /// Whether further events are ignored. An observer of `create` tells it from the disposal on, also while
    /// the closure runs.
    package var isStopped: Bool { emitter.isStopped }

    /// Passes an event on.
    @inlinable
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): emitter.onNext(element)
        case .error(let error): emitter.onError(error)
        case .completed: emitter.onCompleted()
        }
    }

    /// Passes a value on.
    @inlinable
    public func onNext(_ element: Element) {
        emitter.onNext(element)
    }

    /// Ends the stream with an error.
    @inlinable
    public func onError(_ error: any Error) {
        emitter.onError(error)
    }

    /// Ends the stream without an error.
    @inlinable
    public func onCompleted() {
        emitter.onCompleted()
    }

    /// Returns the observer without its type.
    public func asObserver() -> AnyObserver<Element> {
        self
    }
}

/// Passes every event to a closure and leaves the grammar to its users.
// Sound: it adds only constants.
private final class HandlerEmitter<Element: Sendable>: Emitter<Element>, @unchecked Sendable {
    let handler: @Sendable (Event<Element>) -> Void

    init(_ handler: @escaping @Sendable (Event<Element>) -> Void) {
        self.handler = handler
        super.init()
    }

    override func onNext(_ element: Element) {
        handler(.next(element))
    }

    override func onLast(_ element: consuming Element) {
        handler(.next(element))
        handler(.completed)
    }

    override func onError(_ error: any Error) {
        handler(.error(error))
    }

    override func onCompleted() {
        handler(.completed)
    }
}

// Sound: it adds only constants.
private final class ObserverEmitter<Observer: ObserverType>: Emitter<Observer.Element>,
    @unchecked Sendable
{
    let observer: Observer

    init(_ observer: Observer) {
        self.observer = observer
        super.init()
    }

    override func onNext(_ element: Observer.Element) {
        observer.onNext(element)
    }

    override func onLast(_ element: consuming Observer.Element) {
        observer.onNext(element)
        observer.onCompleted()
    }

    override func onError(_ error: any Error) {
        observer.onError(error)
    }

    override func onCompleted() {
        observer.onCompleted()
    }
}
