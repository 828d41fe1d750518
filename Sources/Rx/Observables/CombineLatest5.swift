extension ObservableType {
    /// The last values of five sources, combined, whenever one of them sends a value and all have sent one.
    @inlinable
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element) throws -> Element
    ) -> Observable<Element> {
        CombineLatest5(
            LatestSlot(a.asObservable()), LatestSlot(b.asObservable()), LatestSlot(c.asObservable()),
            LatestSlot(d.asObservable()), LatestSlot(e.asObservable()),
            resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// The last values of five sources as a tuple.
    @inlinable
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element)> {
        CombineLatest5(
            LatestSlot(a.asObservable()), LatestSlot(b.asObservable()), LatestSlot(c.asObservable()),
            LatestSlot(d.asObservable()), LatestSlot(e.asObservable()),
            { ($0, $1, $2, $3, $4) })
    }
}

@usableFromInline
final class CombineLatest5<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, Out: Sendable>:
    CombineLatest<Out>, @unchecked Sendable
{
    private let selector: @Sendable (A, B, C, D, E) throws -> Out
    @exclusivity(unchecked)
    private var a: LatestSlot<A, Out>?
    @exclusivity(unchecked)
    private var b: LatestSlot<B, Out>?
    @exclusivity(unchecked)
    private var c: LatestSlot<C, Out>?
    @exclusivity(unchecked)
    private var d: LatestSlot<D, Out>?
    @exclusivity(unchecked)
    private var e: LatestSlot<E, Out>?

    @usableFromInline
    init(
        _ a: consuming LatestSlot<A, Out>, _ b: consuming LatestSlot<B, Out>,
        _ c: consuming LatestSlot<C, Out>, _ d: consuming LatestSlot<D, Out>,
        _ e: consuming LatestSlot<E, Out>,
        _ selector: @escaping @Sendable (A, B, C, D, E) throws -> Out
    ) {
        self.selector = selector
        self.a = consume a
        self.b = consume b
        self.c = consume c
        self.d = consume d
        self.e = consume e
        super.init(count: 5)
    }

    override func copy() -> Join<Out>? {
        guard let a = a?.copy(), let b = b?.copy(), let c = c?.copy(), let d = d?.copy(), let e = e?.copy()
        else { return nil }
        return type(of: self).init(a, b, c, d, e, selector)
    }

    override func begin() -> Bool {
        guard let a, let b, let c, let d, let e, !a.isRunning else { return false }
        e.tie(self, before: nil)
        d.tie(self, before: e)
        c.tie(self, before: d)
        b.tie(self, before: c)
        a.tie(self, before: b)
        sources.set(a)
        a.begin()
        b.begin()
        c.begin()
        d.begin()
        e.begin()
        return true
    }

    override func clear() {
        a = nil
        b = nil
        c = nil
        d = nil
        e = nil
    }

    override func combine() throws {
        guard let a, let b, let c, let d, let e else { return }
        send(try selector(a.cell.value, b.cell.value, c.cell.value, d.cell.value, e.cell.value))
    }
}
