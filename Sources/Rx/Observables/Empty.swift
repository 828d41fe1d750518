extension ObservableType {
    /// Creates a stream that completes on subscription without emitting a value.
    @inlinable
    public static func empty() -> Observable<Element> {
        Empty()
    }
}

// Sound: it adds no property.
@usableFromInline
final class Empty<Element: Sendable>: Observable<Element>, @unchecked Sendable {
    @usableFromInline
    override init() {
        super.init()
    }

    override consuming func run(_ port: consuming Downstream<Element>) {
        port.completed()
    }
}
