extension ObservableType {
    /// Skips values until `other` emits one. If this stream completes first, the result never ends. The completion of
    /// `other` alone changes nothing. An error of either ends the stream.
    @inlinable
    public consuming func skip<Source: ObservableType>(until other: Source) -> Observable<Element> {
        SkipUntil(asObservable(), Notifier(other.asObservable()))
    }
}

// Sound: only the gate's owner touches `isOpen`.
@usableFromInline
final class SkipUntil<Element: Sendable>: NotifiedOperator<Element, Element>, @unchecked Sendable {
    private var isOpen = false

    @usableFromInline
    override init(_ source: consuming Observable<Element>?, _ notifier: Notifier) {
        super.init(source, notifier)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, notifier)
    }

    override func received(_ value: Element) {
        if isOpen { down.next(value) }
    }

    override func sourceCompleted() {
        if isOpen { end() } else { stop() }
    }

    override func notifierFired() {
        gate.run {
            self.isOpen = true
            self.other.closeAndStop()
        }
    }
}
