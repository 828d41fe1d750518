extension ValueStreamType {
    /// Creates a stream that emits `element` on subscription and completes.
    @inlinable
    public static func just(_ element: Element) -> DerivedStream {
        derived(from: Just(element))
    }
}

// Sound: it adds only constants.
@usableFromInline
final class Just<Element: Sendable>: Observable<Element>, @unchecked Sendable {
    private let element: Element

    @usableFromInline
    init(_ element: Element) {
        self.element = element
        super.init()
    }

    override consuming func run(_ port: consuming Downstream<Element>) {
        port.last(element)
    }

    override func withScalar(_ body: (Element) -> Void) -> Bool {
        body(element)
        return true
    }
}
