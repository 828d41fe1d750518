extension ObservableType {
    /// The first values of eight sources, combined, then the second ones, and so on. Values that wait for others
    /// are kept without bound.
    @inlinable
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType, F: ObservableConvertibleType,
        G: ObservableConvertibleType, H: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H,
        resultSelector:
            @escaping @Sendable (
                A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element
            ) throws -> Element
    ) -> Observable<Element> {
        Zip8(
            ZipSlot(a.asObservable()), ZipSlot(b.asObservable()), ZipSlot(c.asObservable()),
            ZipSlot(d.asObservable()), ZipSlot(e.asObservable()), ZipSlot(f.asObservable()),
            ZipSlot(g.asObservable()), ZipSlot(h.asObservable()),
            resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// The first values of eight sources as a tuple, then the second ones, and so on.
    @inlinable
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType, F: ObservableConvertibleType,
        G: ObservableConvertibleType, H: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element)>
    {
        Zip8(
            ZipSlot(a.asObservable()), ZipSlot(b.asObservable()), ZipSlot(c.asObservable()),
            ZipSlot(d.asObservable()), ZipSlot(e.asObservable()), ZipSlot(f.asObservable()),
            ZipSlot(g.asObservable()), ZipSlot(h.asObservable()),
            { ($0, $1, $2, $3, $4, $5, $6, $7) })
    }
}

@usableFromInline
final class Zip8<
    A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable,
    Out: Sendable
>: Zip<Out>, @unchecked Sendable {
    private let selector: @Sendable (A, B, C, D, E, F, G, H) throws -> Out
    @exclusivity(unchecked)
    private var a: ZipSlot<A, Out>?
    @exclusivity(unchecked)
    private var b: ZipSlot<B, Out>?
    @exclusivity(unchecked)
    private var c: ZipSlot<C, Out>?
    @exclusivity(unchecked)
    private var d: ZipSlot<D, Out>?
    @exclusivity(unchecked)
    private var e: ZipSlot<E, Out>?
    @exclusivity(unchecked)
    private var f: ZipSlot<F, Out>?
    @exclusivity(unchecked)
    private var g: ZipSlot<G, Out>?
    @exclusivity(unchecked)
    private var h: ZipSlot<H, Out>?

    @usableFromInline
    init(
        _ a: consuming ZipSlot<A, Out>, _ b: consuming ZipSlot<B, Out>, _ c: consuming ZipSlot<C, Out>,
        _ d: consuming ZipSlot<D, Out>, _ e: consuming ZipSlot<E, Out>, _ f: consuming ZipSlot<F, Out>,
        _ g: consuming ZipSlot<G, Out>, _ h: consuming ZipSlot<H, Out>,
        _ selector: @escaping @Sendable (A, B, C, D, E, F, G, H) throws -> Out
    ) {
        self.selector = selector
        self.a = consume a
        self.b = consume b
        self.c = consume c
        self.d = consume d
        self.e = consume e
        self.f = consume f
        self.g = consume g
        self.h = consume h
        super.init(count: 8)
    }

    override func copy() -> Join<Out>? {
        guard let a = a?.copy(), let b = b?.copy(), let c = c?.copy(), let d = d?.copy(), let e = e?.copy(),
            let f = f?.copy(), let g = g?.copy(), let h = h?.copy()
        else { return nil }
        return type(of: self).init(a, b, c, d, e, f, g, h, selector)
    }

    override func begin() -> Bool {
        guard let a, let b, let c, let d, let e, let f, let g, let h, !a.isRunning else { return false }
        h.tie(self, before: nil)
        g.tie(self, before: h)
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
        h.begin()
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
        h = nil
    }

    override func combine() throws {
        guard let a, let b, let c, let d, let e, let f, let g, let h else { return }
        send(try selector(a.pop(), b.pop(), c.pop(), d.pop(), e.pop(), f.pop(), g.pop(), h.pop()))
    }
}
