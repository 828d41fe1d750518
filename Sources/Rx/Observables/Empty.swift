extension ValueStreamType {
    /// Creates a stream that completes on subscription without emitting a value.
    @inlinable
    public static func empty() -> DerivedStream {
        derived(from: Empty())
    }
}

// Sound: it adds only constants.
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
