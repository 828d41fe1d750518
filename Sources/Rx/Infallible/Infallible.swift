/// A stream that does not fail: `next* completed?`.
public protocol InfallibleType<Element>: ObservableConvertibleType {}

/// A stream whose type says that it does not fail.
///
/// What could fail is turned into one by `asInfallible`. Closures that throw, inner streams that fail, and a type of your own
/// break the promise but nothing else: who subscribes takes the error for the completion.
public struct Infallible<Element: Sendable>: InfallibleType {
    @usableFromInline let source: Observable<Element>

    /// `raw` has to keep the promise.
    @inlinable
    init(raw: consuming Observable<Element>) {
        source = consume raw
    }

    @inlinable
    public consuming func asObservable() -> Observable<Element> {
        source
    }

    @inlinable
    public consuming func asInfallible() -> Infallible<Element> {
        self
    }
}

/// One notification of an infallible stream.
@frozen
public enum InfallibleEvent<Element: Sendable>: Sendable {
    case next(Element)
    case completed
}

extension InfallibleEvent: EventConvertible {
    public var event: Event<Element> {
        switch self {
        case .next(let element): .next(element)
        case .completed: .completed
        }
    }
}

extension Infallible {
    public typealias InfallibleObserver = @Sendable (InfallibleEvent<Element>) -> Void

    /// A stream made by hand. `subscribe` is called for each subscription with its observer, and returns what ends the work.
    /// Events after the completion or after disposal are ignored.
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
}

extension InfallibleType {
    /// Subscribes an event handler.
    @inlinable
    @preconcurrency
    public consuming func subscribe(_ on: @escaping @Sendable (InfallibleEvent<Element>) -> Void)
        -> any Disposable
    {
        subscribe(onNext: { on(.next($0)) }, onCompleted: { on(.completed) })
    }

    /// Subscribes handlers for the values, the completion and the end of the subscription.
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

    /// Subscribes handlers that get `object` as long as it lives; it is not kept alive.
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

    /// The values for `for await`, kept until they are taken as `ObservableConvertibleType.values` keeps them. Subscribes when
    /// it is read. Ending the iteration disposes the subscription.
    public var values: AsyncStream<Element> {
        let reading = ValuesReading(asObservable())
        return AsyncStream { (try? await reading.next()) ?? nil }
    }
}

extension ObservableConvertibleType {
    /// The values; on an error `element`, then the end.
    @inlinable
    public consuming func asInfallible(onErrorJustReturn element: Element) -> Infallible<Element> {
        Infallible(raw: asObservable().catchAndReturn(element))
    }

    /// The values; on an error those of `infallible`.
    @inlinable
    public consuming func asInfallible(
        onErrorFallbackTo infallible: Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().catch { _ in infallible.source })
    }

    /// The values; on an error those of what `onErrorRecover` makes of it.
    @inlinable
    @preconcurrency
    public consuming func asInfallible(
        onErrorRecover: @escaping @Sendable (any Error) -> Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(raw: asObservable().catch { onErrorRecover($0).source })
    }
}
