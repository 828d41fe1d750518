extension ObservableType {
    /// The last values of seven sources, combined, whenever one of them sends a value and all have sent one.
    @inlinable
    @preconcurrency
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType, F: ObservableConvertibleType,
        G: ObservableConvertibleType
    >(
        _ a: consuming A, _ b: consuming B, _ c: consuming C, _ d: consuming D, _ e: consuming E,
        _ f: consuming F, _ g: consuming G,
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
        _ a: consuming A, _ b: consuming B, _ c: consuming C, _ d: consuming D, _ e: consuming E,
        _ f: consuming F, _ g: consuming G
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
    // Sound: the slots change only before the start and at the end, by the gate's owner.
    private let selector: @Sendable (A, B, C, D, E, F, G) throws -> Out
    private var a: OwnedLink
    private var b: OwnedLink
    private var c: OwnedLink
    private var d: OwnedLink
    private var e: OwnedLink
    private var f: OwnedLink
    private var g: OwnedLink

    @usableFromInline
    init(
        _ a: consuming LatestSlot<A, Out>, _ b: consuming LatestSlot<B, Out>,
        _ c: consuming LatestSlot<C, Out>, _ d: consuming LatestSlot<D, Out>,
        _ e: consuming LatestSlot<E, Out>, _ f: consuming LatestSlot<F, Out>,
        _ g: consuming LatestSlot<G, Out>,
        _ selector: @escaping @Sendable (A, B, C, D, E, F, G) throws -> Out
    ) {
        self.selector = selector
        self.a = OwnedLink(consume a)
        self.b = OwnedLink(consume b)
        self.c = OwnedLink(consume c)
        self.d = OwnedLink(consume d)
        self.e = OwnedLink(consume e)
        self.f = OwnedLink(consume f)
        self.g = OwnedLink(consume g)
        super.init(count: 7)
    }

    override func copy() -> Join<Out>? {
        guard let a = a.strong(as: LatestSlot<A, Out>.self)?.copy(),
            let b = b.strong(as: LatestSlot<B, Out>.self)?.copy(),
            let c = c.strong(as: LatestSlot<C, Out>.self)?.copy(),
            let d = d.strong(as: LatestSlot<D, Out>.self)?.copy(),
            let e = e.strong(as: LatestSlot<E, Out>.self)?.copy(),
            let f = f.strong(as: LatestSlot<F, Out>.self)?.copy(),
            let g = g.strong(as: LatestSlot<G, Out>.self)?.copy()
        else { return nil }
        return type(of: self).init(a, b, c, d, e, f, g, selector)
    }

    override func begin() {
        g.use(as: LatestSlot<G, Out>.self) { $0.tie(self) }
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
                g.use(as: LatestSlot<G, Out>.self) { $0.cell.value }))
    }
}
