extension ObservableType {
    /// Emits the last `count` values on completion. A negative count fails with `RxError.argumentOutOfRange`.
    @inlinable
    public consuming func takeLast(_ count: Int) -> Observable<Element> {
        guard count >= 0 else { return .error(RxError.argumentOutOfRange) }
        return TakeLast(asObservable(), count)
    }
}

// Sound: `state` guards the mutable properties.
@usableFromInline
final class TakeLast<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private let count: Int
    private let state = StateGuard()
    /// A ring buffer once it is full. `oldest` is its first index.
    private var kept: [Element] = []
    private var oldest = 0

    @usableFromInline
    init(_ source: consuming Observable<Element>?, _ count: Int) {
        self.count = count
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        type(of: self).init(nil, count)
    }

    override func next(_ value: Element) {
        guard count > 0, !upstream.isClosed, state.enter() else { return }
        var old = value
        if kept.count < count {
            kept.append(value)
        } else {
            swap(&kept[oldest], &old)
            oldest = (oldest + 1) % count
        }
        state.leave()
        // Release the replaced value only now, outside the guard: its deinit may send to this stream.
        withExtendedLifetime(old) {}
    }

    override func completed() {
        guard !upstream.isClosed else { return }
        guard state.enter() else { return error(RxError.unknown) }
        let (kept, oldest) = (kept, oldest)
        state.leave()
        for offset in kept.indices {
            guard !upstream.isClosed else { return }
            down.next(kept[(oldest + offset) % kept.count])
        }
        super.completed()
    }
}
