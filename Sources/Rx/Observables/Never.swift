extension ValueStreamType {
    /// Creates a stream that never emits an event.
    @inlinable
    public static func never() -> DerivedStream {
        derived(from: Silent())
    }
}

// Sound: it adds only constants.
@usableFromInline
final class Silent<Element: Sendable>: Observable<Element>, @unchecked Sendable {
    @usableFromInline
    override init() {
        super.init()
    }

    override consuming func run(_ port: consuming Downstream<Element>) {
        // There is nothing to stop, but this replaces the link that was attached before.
        port.attach(self)
    }
}
