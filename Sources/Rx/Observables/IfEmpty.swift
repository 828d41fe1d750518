extension ValueStreamType {
    /// Emits `element` if the stream completes without a value.
    @inlinable
    public consuming func ifEmpty(default element: Element) -> DerivedStream {
        Self.derived(from: IfEmptySwitch(asObservable(), .just(element)))
    }
}

extension ObservableType {
    /// Continues with `other` if the stream completes without a value.
    @inlinable
    public consuming func ifEmpty(switchTo other: Observable<Element>) -> Observable<Element> {
        IfEmptySwitch(asObservable(), other)
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class IfEmptySwitch<Element: Sendable>: Operator<Element, Element>, @unchecked Sendable {
    private let other: Observable<Element>
    private let isEmpty = RelaxedAtomic(true)
    private let hasSwitched = RelaxedAtomic(false)

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ other: Observable<Element>) {
        self.other = other
        super.init(source)
    }

    @inline(__always)
    deinit {
        if hasSwitched.value { freeBelow() }
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, other)
    }

    override func next(_ value: Element) {
        isEmpty.set(false)
        down.next(value)
    }

    override func last(_ value: Element) {
        down.last(value)
    }

    override func completed() {
        guard isEmpty.value, !hasSwitched.value else { return down.completed() }
        hasSwitched.set(true)
        var below = down.share()
        if below.skip(nil) { startStream(other, below) } else { startStream(other, Downstream(self)) }
    }

    override func skipped(by sender: Link?) -> Link? {
        hasSwitched.value ? down.link : nil
    }
}
