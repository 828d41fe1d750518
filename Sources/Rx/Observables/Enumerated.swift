extension ObservableType {
    /// Pairs each value with its index, starting at 0.
    @inlinable
    public consuming func enumerated() -> Observable<(index: Int, element: Element)> {
        Enumerated(asObservable())
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class Enumerated<Element: Sendable>: Operator<Element, (index: Int, element: Element)>,
    @unchecked Sendable
{
    private let index = RelaxedAtomic(0)

    @usableFromInline
    override init(_ source: consuming Observable<Element>?) {
        super.init(source)
    }

    override func copy() -> Operator<Element, (index: Int, element: Element)> {
        type(of: self).init(nil)
    }

    override func next(_ value: Element) {
        let number = index.value
        index.set(number + 1)
        down.next((number, value))
    }

    override func last(_ value: Element) {
        down.last((index.value, value))
    }
}
