extension ObservableType {
    /// Emits only the value at `index`, counted from 0, and completes. Fails with
    /// `RxError.argumentOutOfRange` if `index` is negative or the stream completes first.
    @inlinable
    public consuming func element(at index: Int) -> Observable<Element> {
        guard index >= 0 else { return .error(RxError.argumentOutOfRange) }
        return ElementAt(asObservable(), index)
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class ElementAt<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private let index: Int
    private let seen = RelaxedAtomic(0)

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ index: Int) {
        self.index = index
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, index)
    }

    override func next(_ value: Element) {
        guard seen.value < index else { return finish(with: value) }
        seen.set(seen.value + 1)
    }

    override func completed() {
        error(RxError.argumentOutOfRange)
    }
}
