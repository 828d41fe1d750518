extension ObservableType {
    /// The values after `other` has sent one. Where this stream completes before that, nothing is sent, not even the end;
    /// where `other` completes without a value neither. An error of either is passed on.
    @inlinable
    public consuming func skip<Source: ObservableType>(until other: Source) -> Observable<Element> {
        SkipUntil(asObservable(), Notifier(other.asObservable()))
    }
}

// Sound: only the gate's owner touches `isOpen`.
@usableFromInline
final class SkipUntil<Element: Sendable>: NotifiedOperator<Element, Element>, @unchecked Sendable {
    /// The gate's owner's.
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
