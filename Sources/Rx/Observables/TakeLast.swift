import Locking

extension ValueStreamType {
    /// Emits the last `count` values on completion. A negative count fails with `RxError.argumentOutOfRange`.
    @inlinable
    public consuming func takeLast(_ count: Int) -> DerivedStream {
        guard count >= 0 else { return Self.derived(from: .error(RxError.argumentOutOfRange)) }
        return Self.derived(from: TakeLast(asObservable(), count))
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class TakeLast<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private let count: Int
    private let kept = Lock(Kept())

    private struct Kept {
        /// A ring buffer once it is full.
        var values: [Element] = []
        /// The index of the first value.
        var oldest = 0
    }

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ count: Int) {
        self.count = count
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, count)
    }

    override func next(_ value: Element) {
        guard count > 0, !upstream.isClosed else { return }
        // The replaced value is released outside the lock.
        var old = value
        kept.withLock { kept in
            guard kept.values.count == count else { return kept.values.append(value) }
            swap(&kept.values[kept.oldest], &old)
            kept.oldest = (kept.oldest + 1) % count
        }
    }

    override func completed() {
        guard !upstream.isClosed else { return }
        let kept = kept.withLock { $0 }
        for offset in kept.values.indices {
            guard !upstream.isClosed else { return }
            down.next(kept.values[(kept.oldest + offset) % count])
        }
        super.completed()
    }
}
