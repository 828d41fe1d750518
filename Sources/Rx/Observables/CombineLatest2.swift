extension ObservableType {
    /// The last values of two sources, combined, whenever one of them sends a value and all have sent one.
    @inlinable
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType
    >(
        _ a: A, _ b: B,
        resultSelector: @escaping @Sendable (A.Element, B.Element) throws -> Element
    ) -> Observable<Element> {
        CombineLatest2(
            LatestSlot(a.asObservable()), LatestSlot(b.asObservable()),
            resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// The last values of two sources as a tuple.
    @inlinable
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType
    >(
        _ a: A, _ b: B
    ) -> Observable<(A.Element, B.Element)> {
        CombineLatest2(
            LatestSlot(a.asObservable()), LatestSlot(b.asObservable()),
            { ($0, $1) })
    }
}

@usableFromInline
final class CombineLatest2<A: Sendable, B: Sendable, Out: Sendable>: CombineLatest<Out>, @unchecked Sendable {
    private let selector: @Sendable (A, B) throws -> Out
    @exclusivity(unchecked)
    private var a: LatestSlot<A, Out>?
    @exclusivity(unchecked)
    private var b: LatestSlot<B, Out>?

    @usableFromInline
    init(
        _ a: consuming LatestSlot<A, Out>, _ b: consuming LatestSlot<B, Out>,
        _ selector: @escaping @Sendable (A, B) throws -> Out
    ) {
        self.selector = selector
        self.a = consume a
        self.b = consume b
        super.init(count: 2)
    }

    override func copy() -> Join<Out>? {
        guard let a = a?.copy(), let b = b?.copy() else { return nil }
        return type(of: self).init(a, b, selector)
    }

    override func begin() -> Bool {
        guard let a, let b, !a.isRunning else { return false }
        b.tie(self, before: nil)
        a.tie(self, before: b)
        sources.set(a)
        a.begin()
        b.begin()
        return true
    }

    override func clear() {
        a = nil
        b = nil
    }

    override func combine() throws {
        guard let a, let b else { return }
        send(try selector(a.cell.value, b.cell.value))
    }
}
