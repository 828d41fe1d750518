extension ObservableType {
    /// Sends nothing, ever.
    @inlinable
    public static func never() -> Observable<Element> {
        Silent()
    }
}

// Sound: it adds no property.
@usableFromInline
final class Silent<Element: Sendable>: Observable<Element>, @unchecked Sendable {
    @usableFromInline
    override init() {
        super.init()
    }

    override consuming func run(_ port: consuming Downstream<Element>) {
        // It has nothing to stop, but takes the place of what was attached before.
        port.attach(self)
    }
}
