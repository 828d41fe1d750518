extension ObservableType {
    /// The last values of three sources, combined, whenever one of them sends a value and all have sent one.
    @inlinable
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element) throws -> Element
    ) -> Observable<Element> {
        CombineLatest3(
            LatestSlot(a.asObservable()), LatestSlot(b.asObservable()), LatestSlot(c.asObservable()),
            resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// The last values of three sources as a tuple.
    @inlinable
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C
    ) -> Observable<(A.Element, B.Element, C.Element)> {
        CombineLatest3(
            LatestSlot(a.asObservable()), LatestSlot(b.asObservable()), LatestSlot(c.asObservable()),
            { ($0, $1, $2) })
    }
}

@usableFromInline
final class CombineLatest3<A: Sendable, B: Sendable, C: Sendable, Out: Sendable>: CombineLatest<Out>,
    @unchecked Sendable
{
    private let selector: @Sendable (A, B, C) throws -> Out
    @exclusivity(unchecked)
    private var a: LatestSlot<A, Out>?
    @exclusivity(unchecked)
    private var b: LatestSlot<B, Out>?
    @exclusivity(unchecked)
    private var c: LatestSlot<C, Out>?

    @usableFromInline
    init(
        _ a: consuming LatestSlot<A, Out>, _ b: consuming LatestSlot<B, Out>,
        _ c: consuming LatestSlot<C, Out>,
        _ selector: @escaping @Sendable (A, B, C) throws -> Out
    ) {
        self.selector = selector
        self.a = consume a
        self.b = consume b
        self.c = consume c
        super.init(count: 3)
    }

    override func copy() -> Join<Out>? {
        guard let a = a?.copy(), let b = b?.copy(), let c = c?.copy() else { return nil }
        return type(of: self).init(a, b, c, selector)
    }

    override func begin() -> Bool {
        guard let a, let b, let c, !a.isRunning else { return false }
        c.tie(self, before: nil)
        b.tie(self, before: c)
        a.tie(self, before: b)
        sources.set(a)
        a.begin()
        b.begin()
        c.begin()
        return true
    }

    override func clear() {
        a = nil
        b = nil
        c = nil
    }

    override func combine() throws {
        guard let a, let b, let c else { return }
        send(try selector(a.cell.value, b.cell.value, c.cell.value))
    }
}
