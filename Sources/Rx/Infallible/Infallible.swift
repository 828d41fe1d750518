/// A stream that never fails: `next* completed?`.
public protocol InfallibleType<Element>: ValueStreamType where DerivedStream == Infallible<Element> {}

/// A stream that cannot fail. `asInfallible` converts a stream that can fail, by handling its error. If one
/// still occurs, because a closure throws or an inner stream fails, the stream completes.
public struct Infallible<Element: Sendable>: InfallibleType {
    @usableFromInline let source: Observable<Element>

    /// - Parameter raw: A stream that never fails.
    @inlinable
    init(raw: consuming Observable<Element>) {
        source = consume raw
    }

    /// Returns the stream without its type.
    @inlinable
    public consuming func asObservable() -> Observable<Element> {
        source
    }

    /// Returns the stream itself.
    @inlinable
    public consuming func asInfallible() -> Infallible<Element> {
        self
    }
}

/// A value or the completion of an `Infallible`.
@frozen
public enum InfallibleEvent<Element: Sendable>: Sendable {
    case next(Element)
    case completed
}

extension InfallibleEvent: EventConvertible {
    /// The event as one of a stream that may fail.
    public var event: Event<Element> {
        switch self {
        case .next(let element): .next(element)
        case .completed: .completed
        }
    }
}

extension Infallible {
    /// Receives the events of a stream that cannot fail.
    public typealias InfallibleObserver = @Sendable (InfallibleEvent<Element>) -> Void

    /// Creates a stream from a closure that runs once for each subscription. It sends events to the observer
    /// and returns a disposable that cancels the work. Events after the completion or after disposal are
    /// ignored.
    @inlinable
    @preconcurrency
    public static func create(
        subscribe: @escaping @Sendable (@escaping InfallibleObserver) -> any Disposable
    ) -> Infallible<Element> {
        Infallible(
            raw: Create { observer in
                subscribe { event in
                    switch event {
                    case .next(let element): observer.onNext(element)
                    case .completed: observer.onCompleted()
                    }
                }
            })
    }

    /// Subscribes to what `observableFactory` returns for each subscription. If it throws, the stream
    /// completes.
    @inlinable
    @preconcurrency
    public static func deferred(_ observableFactory: @escaping @Sendable () throws -> Infallible)
        -> Infallible<Element>
    {
        Infallible(raw: .deferred { try observableFactory().source })
    }
}

extension InfallibleType {
    /// Calls `on` with each event.
    @inlinable
    @preconcurrency
    public consuming func subscribe(_ on: @escaping @Sendable (InfallibleEvent<Element>) -> Void)
        -> any Disposable
    {
        subscribe(onNext: { on(.next($0)) }, onCompleted: { on(.completed) })
    }

    /// Subscribes closures. `onDisposed` runs once, after the completion or disposal.
    @inlinable
    @preconcurrency
    public consuming func subscribe(
        onNext: (@Sendable (Element) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(
            onNext: onNext, onError: { _ in onCompleted?() }, onCompleted: onCompleted,
            onDisposed: onDisposed)
    }

    /// Subscribes handlers that receive `object`, until it is deallocated. Does not retain it.
    @inlinable
    @preconcurrency
    public consuming func subscribe<Object: AnyObject & Sendable>(
        with object: Object,
        onNext: (@Sendable (Object, Element) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        asObservable().subscribe(
            with: object, onNext: onNext, onError: { object, _ in onCompleted?(object) },
            onCompleted: onCompleted, onDisposed: onDisposed)
    }

    /// The values, for `for await`. Works like `ObservableConvertibleType.values`, without errors.
    public var values: AsyncStream<Element> {
        let reading = ValuesReading(asObservable())
        return AsyncStream { (try? await reading.next()) ?? nil }
    }
}

extension ObservableConvertibleType {
    /// Replaces an error with `element` and completes.
    @inlinable
    public consuming func asInfallible(onErrorJustReturn element: Element) -> Infallible<Element> {
        Infallible(raw: asObservable().catchAndReturn(element))
    }

    /// Continues with `infallible` after an error.
    @inlinable
    public consuming func asInfallible(
        onErrorFallbackTo infallible: Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().catch { _ in infallible.source })
    }

    /// Continues after an error with the stream that `onErrorRecover` returns for it.
    @inlinable
    @preconcurrency
    public consuming func asInfallible(
        onErrorRecover: @escaping @Sendable (any Error) -> Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().catch { onErrorRecover($0).source })
    }
}
