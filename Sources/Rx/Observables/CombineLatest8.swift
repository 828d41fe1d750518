extension ObservableType {
    /// The last values of eight sources, combined, whenever one of them sends a value and all have sent one.
    @inlinable
    @preconcurrency
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType, F: ObservableConvertibleType,
        G: ObservableConvertibleType, H: ObservableConvertibleType
    >(
        _ a: consuming A, _ b: consuming B, _ c: consuming C, _ d: consuming D, _ e: consuming E,
        _ f: consuming F, _ g: consuming G, _ h: consuming H,
        resultSelector:
            @escaping @Sendable (
                A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element
            ) throws -> Element
    ) -> Observable<Element> {
        CombineLatest8(
            LatestSlot(a.asObservable()), LatestSlot(b.asObservable()), LatestSlot(c.asObservable()),
            LatestSlot(d.asObservable()), LatestSlot(e.asObservable()), LatestSlot(f.asObservable()),
            LatestSlot(g.asObservable()), LatestSlot(h.asObservable()),
            resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// The last values of eight sources as a tuple.
    @inlinable
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType, F: ObservableConvertibleType,
        G: ObservableConvertibleType, H: ObservableConvertibleType
    >(
        _ a: consuming A, _ b: consuming B, _ c: consuming C, _ d: consuming D, _ e: consuming E,
        _ f: consuming F, _ g: consuming G, _ h: consuming H
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)>
    {
        CombineLatest8(
            LatestSlot(a.asObservable()), LatestSlot(b.asObservable()), LatestSlot(c.asObservable()),
            LatestSlot(d.asObservable()), LatestSlot(e.asObservable()), LatestSlot(f.asObservable()),
            LatestSlot(g.asObservable()), LatestSlot(h.asObservable()),
            { ($0, $1, $2, $3, $4, $5, $6, $7) })
    }
}

@usableFromInline
final class CombineLatest8<
    A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable,
    Out: Sendable
>: CombineLatest<Out>, @unchecked Sendable {
    // Sound: the slots change only before the start and at the end, by the gate's owner.
    private let selector: @Sendable (A, B, C, D, E, F, G, H) throws -> Out
    private var a: OwnedLink
    private var b: OwnedLink
    private var c: OwnedLink
    private var d: OwnedLink
    private var e: OwnedLink
    private var f: OwnedLink
    private var g: OwnedLink
    private var h: OwnedLink

    @usableFromInline
    init(
        _ a: consuming LatestSlot<A, Out>, _ b: consuming LatestSlot<B, Out>,
        _ c: consuming LatestSlot<C, Out>, _ d: consuming LatestSlot<D, Out>,
        _ e: consuming LatestSlot<E, Out>, _ f: consuming LatestSlot<F, Out>,
        _ g: consuming LatestSlot<G, Out>, _ h: consuming LatestSlot<H, Out>,
        _ selector: @escaping @Sendable (A, B, C, D, E, F, G, H) throws -> Out
    ) {
        self.selector = selector
        self.a = OwnedLink(consume a)
        self.b = OwnedLink(consume b)
        self.c = OwnedLink(consume c)
        self.d = OwnedLink(consume d)
        self.e = OwnedLink(consume e)
        self.f = OwnedLink(consume f)
        self.g = OwnedLink(consume g)
        self.h = OwnedLink(consume h)
        super.init(count: 8)
    }

    override func copy() -> Join<Out>? {
        guard let a = a.strong(as: LatestSlot<A, Out>.self)?.copy(),
            let b = b.strong(as: LatestSlot<B, Out>.self)?.copy(),
            let c = c.strong(as: LatestSlot<C, Out>.self)?.copy(),
            let d = d.strong(as: LatestSlot<D, Out>.self)?.copy(),
            let e = e.strong(as: LatestSlot<E, Out>.self)?.copy(),
            let f = f.strong(as: LatestSlot<F, Out>.self)?.copy(),
            let g = g.strong(as: LatestSlot<G, Out>.self)?.copy(),
            let h = h.strong(as: LatestSlot<H, Out>.self)?.copy()
        else { return nil }
        return type(of: self).init(a, b, c, d, e, f, g, h, selector)
    }

    override func begin() {
        h.use(as: LatestSlot<H, Out>.self) { $0.tie(self) }
        g.use(as: LatestSlot<G, Out>.self) { $0.tie(self, before: h) }
        f.use(as: LatestSlot<F, Out>.self) { $0.tie(self, before: g) }
        e.use(as: LatestSlot<E, Out>.self) { $0.tie(self, before: f) }
        d.use(as: LatestSlot<D, Out>.self) { $0.tie(self, before: e) }
        c.use(as: LatestSlot<C, Out>.self) { $0.tie(self, before: d) }
        b.use(as: LatestSlot<B, Out>.self) { $0.tie(self, before: c) }
        a.use(as: LatestSlot<A, Out>.self) { $0.tie(self, before: b) }
        begin(a)
    }

    override func clear() {
        a.drop()
        b.drop()
        c.drop()
        d.drop()
        e.drop()
        f.drop()
        g.drop()
        h.drop()
    }

    override func combine() throws {
        guard !a.isEmpty else { return }
        send(
            try selector(
                a.use(as: LatestSlot<A, Out>.self) { $0.cell.value },
                b.use(as: LatestSlot<B, Out>.self) { $0.cell.value },
                c.use(as: LatestSlot<C, Out>.self) { $0.cell.value },
                d.use(as: LatestSlot<D, Out>.self) { $0.cell.value },
                e.use(as: LatestSlot<E, Out>.self) { $0.cell.value },
                f.use(as: LatestSlot<F, Out>.self) { $0.cell.value },
                g.use(as: LatestSlot<G, Out>.self) { $0.cell.value },
                h.use(as: LatestSlot<H, Out>.self) { $0.cell.value }))
    }
}
