extension ObservableType {
    /// The first values of seven sources, combined, then the second ones, and so on. Values that wait for others
    /// are kept without bound.
    @inlinable
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType, F: ObservableConvertibleType,
        G: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)
            throws -> Element
    ) -> Observable<Element> {
        Zip7(
            ZipSlot(a.asObservable()), ZipSlot(b.asObservable()), ZipSlot(c.asObservable()),
            ZipSlot(d.asObservable()), ZipSlot(e.asObservable()), ZipSlot(f.asObservable()),
            ZipSlot(g.asObservable()),
            resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// The first values of seven sources as a tuple, then the second ones, and so on.
    @inlinable
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType, F: ObservableConvertibleType,
        G: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element)> {
        Zip7(
            ZipSlot(a.asObservable()), ZipSlot(b.asObservable()), ZipSlot(c.asObservable()),
            ZipSlot(d.asObservable()), ZipSlot(e.asObservable()), ZipSlot(f.asObservable()),
            ZipSlot(g.asObservable()),
            { ($0, $1, $2, $3, $4, $5, $6) })
    }
}

@usableFromInline
final class Zip7<
    A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, Out: Sendable
>: Zip<Out>, @unchecked Sendable {
    private let selector: @Sendable (A, B, C, D, E, F, G) throws -> Out
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

    @usableFromInline
    init(
        _ a: consuming ZipSlot<A, Out>, _ b: consuming ZipSlot<B, Out>, _ c: consuming ZipSlot<C, Out>,
        _ d: consuming ZipSlot<D, Out>, _ e: consuming ZipSlot<E, Out>, _ f: consuming ZipSlot<F, Out>,
        _ g: consuming ZipSlot<G, Out>,
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
        send(try selector(a.pop(), b.pop(), c.pop(), d.pop(), e.pop(), f.pop(), g.pop()))
    }
}
