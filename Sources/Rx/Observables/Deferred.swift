extension ObservableType {
    /// Subscribes to the stream that `observableFactory` makes for each subscription. If it throws, the
    /// stream fails.
    @inlinable
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> Observable<Element>
    ) -> Observable<Element> {
        Deferred(observableFactory)
    }
}

// Sound: it adds only constants.
@usableFromInline
final class Deferred<Element: Sendable>: Observable<Element>, @unchecked Sendable {
    private let factory: @Sendable () throws -> Observable<Element>

    @usableFromInline
    init(_ factory: @escaping @Sendable () throws -> Observable<Element>) {
        self.factory = factory
        super.init()
    }

    override consuming func run(_ port: consuming Downstream<Element>) {
        let made: Observable<Element>
        do {
            made = try factory()
        } catch {
            return port.error(error)
        }
        startStream(made, port)
    }
}
