extension ValueStreamType {
    /// Skips values until `other` emits one. If this stream completes first, the result never ends. The
    /// completion of `other` alone changes nothing. An error of either ends the stream.
    @inlinable
    public consuming func skip<Source: ObservableConvertibleType>(until other: Source) -> DerivedStream {
        Self.derived(from: SkipUntil(asObservable(), Notifier(other.asObservable())))
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class SkipUntil<Element: Sendable>: NotifiedOperator<Element, Element>, @unchecked Sendable {
    private let isOpen = RelaxedAtomic(false)

    @usableFromInline
    override init(_ source: consuming Observable<Element>?, _ notifier: Notifier) {
        super.init(source, notifier)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, notifier)
    }

    override func received(_ value: Element) {
        if isOpen.value { down.next(value) }
    }

    override func sourceCompleted() {
        if isOpen.value { end() } else { stop() }
    }

    override func notifierFired() {
        gate.run {
            self.isOpen.set(true)
            self.other.closeAndStop()
        }
    }
}
