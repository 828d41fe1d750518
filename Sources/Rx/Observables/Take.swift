extension ValueStreamType {
    /// Emits the first `count` values and completes. With 0 it completes without subscribing. A negative
    /// count fails with `RxError.argumentOutOfRange`.
    @inlinable
    public consuming func take(_ count: Int) -> DerivedStream {
        guard count > 0 else {
            return Self.derived(from: count == 0 ? .empty() : .error(RxError.argumentOutOfRange))
        }
        return Self.derived(from: Take(asObservable(), count))
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class Take<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private let count: Int
    private let remaining: RelaxedAtomic<Int>

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ count: Int) {
        self.count = count
        remaining = RelaxedAtomic(count)
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, count)
    }

    override func next(_ value: Element) {
        guard !upstream.isClosed else { return }
        let left = remaining.value - 1
        remaining.set(left)
        if left <= 0 { finish(with: value) } else { down.next(value) }
    }

    override func last(_ value: Element) {
        finish(with: value)
    }
}
