extension ObservableType {
    /// The first values of six sources, combined, then the second ones, and so on. Values that wait for others
    /// are kept without bound.
    @inlinable
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType, F: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F,
        resultSelector:
            @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element) throws ->
            Element
    ) -> Observable<Element> {
        Zip6(
            ZipSlot(a.asObservable()), ZipSlot(b.asObservable()), ZipSlot(c.asObservable()),
            ZipSlot(d.asObservable()), ZipSlot(e.asObservable()), ZipSlot(f.asObservable()),
            resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// The first values of six sources as a tuple, then the second ones, and so on.
    @inlinable
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType, F: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element, E.Element, F.Element)> {
        Zip6(
            ZipSlot(a.asObservable()), ZipSlot(b.asObservable()), ZipSlot(c.asObservable()),
            ZipSlot(d.asObservable()), ZipSlot(e.asObservable()), ZipSlot(f.asObservable()),
            { ($0, $1, $2, $3, $4, $5) })
    }
}

@usableFromInline
final class Zip6<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, Out: Sendable>:
    Zip<Out>, @unchecked Sendable
{
    private let selector: @Sendable (A, B, C, D, E, F) throws -> Out
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

    @usableFromInline
    init(
        _ a: consuming ZipSlot<A, Out>, _ b: consuming ZipSlot<B, Out>, _ c: consuming ZipSlot<C, Out>,
        _ d: consuming ZipSlot<D, Out>, _ e: consuming ZipSlot<E, Out>, _ f: consuming ZipSlot<F, Out>,
        _ selector: @escaping @Sendable (A, B, C, D, E, F) throws -> Out
    ) {
        self.selector = selector
        self.a = consume a
        self.b = consume b
        self.c = consume c
        self.d = consume d
        self.e = consume e
        self.f = consume f
        super.init(count: 6)
    }

    override func copy() -> Join<Out>? {
        guard let a = a?.copy(), let b = b?.copy(), let c = c?.copy(), let d = d?.copy(), let e = e?.copy(),
            let f = f?.copy()
        else { return nil }
        return type(of: self).init(a, b, c, d, e, f, selector)
    }

    override func begin() -> Bool {
        guard let a, let b, let c, let d, let e, let f, !a.isRunning else { return false }
        f.tie(self, before: nil)
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
        return true
    }

    override func clear() {
        a = nil
        b = nil
        c = nil
        d = nil
        e = nil
        f = nil
    }

    override func combine() throws {
        guard let a, let b, let c, let d, let e, let f else { return }
        send(try selector(a.pop(), b.pop(), c.pop(), d.pop(), e.pop(), f.pop()))
    }
}
