extension ObservableType {
    /// The last values of seven sources, combined, whenever one of them sends a value and all have sent one.
    @inlinable
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType, F: ObservableConvertibleType,
        G: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)
            throws -> Element
    ) -> Observable<Element> {
        CombineLatest7(
            LatestSlot(a.asObservable()), LatestSlot(b.asObservable()), LatestSlot(c.asObservable()),
            LatestSlot(d.asObservable()), LatestSlot(e.asObservable()), LatestSlot(f.asObservable()),
            LatestSlot(g.asObservable()),
            resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// The last values of seven sources as a tuple.
    @inlinable
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType, F: ObservableConvertibleType,
        G: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)> {
        CombineLatest7(
            LatestSlot(a.asObservable()), LatestSlot(b.asObservable()), LatestSlot(c.asObservable()),
            LatestSlot(d.asObservable()), LatestSlot(e.asObservable()), LatestSlot(f.asObservable()),
            LatestSlot(g.asObservable()),
            { ($0, $1, $2, $3, $4, $5, $6) })
    }
}

@usableFromInline
final class CombineLatest7<
    A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, Out: Sendable
>: CombineLatest<Out>, @unchecked Sendable {
    private let selector: @Sendable (A, B, C, D, E, F, G) throws -> Out
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
    @exclusivity(unchecked)
    private var f: LatestSlot<F, Out>?
    @exclusivity(unchecked)
    private var g: LatestSlot<G, Out>?

    @usableFromInline
    init(
        _ a: consuming LatestSlot<A, Out>, _ b: consuming LatestSlot<B, Out>,
        _ c: consuming LatestSlot<C, Out>, _ d: consuming LatestSlot<D, Out>,
        _ e: consuming LatestSlot<E, Out>, _ f: consuming LatestSlot<F, Out>,
        _ g: consuming LatestSlot<G, Out>,
        _ selector: @escaping @Sendable (A, B, C, D, E, F, G) throws -> Out
    ) {
        self.selector = selector
        self.a = consume a
        self.b = consume b
        self.c = consume c
        self.d = consume d
        self.e = consume e
        self.f = consume f
        self.g = consume g
        super.init(count: 7)
    }

    override func copy() -> Join<Out>? {
        guard let a = a?.copy(), let b = b?.copy(), let c = c?.copy(), let d = d?.copy(), let e = e?.copy(),
            let f = f?.copy(), let g = g?.copy()
        else { return nil }
        return type(of: self).init(a, b, c, d, e, f, g, selector)
    }

    override func begin() -> Bool {
        guard let a, let b, let c, let d, let e, let f, let g, !a.isRunning else { return false }
        g.tie(self, before: nil)
        f.tie(self, before: g)
        e.tie(self, before: f)
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
        f.begin()
        g.begin()
        return true
    }

    override func clear() {
        a = nil
        b = nil
        c = nil
        d = nil
        e = nil
        f = nil
        g = nil
    }

    override func combine() throws {
        guard let a, let b, let c, let d, let e, let f, let g else { return }
        send(
            try selector(
                a.cell.value, b.cell.value, c.cell.value, d.cell.value, e.cell.value, f.cell.value,
                g.cell.value))
    }
}
