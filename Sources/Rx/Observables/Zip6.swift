extension ObservableType {
    /// The first values of six sources, combined, then the second ones, and so on. Values that wait for others
    /// are kept without bound.
    @inlinable
    @preconcurrency
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType, E: ObservableConvertibleType, F: ObservableConvertibleType
    >(
        _ a: consuming A, _ b: consuming B, _ c: consuming C, _ d: consuming D, _ e: consuming E,
        _ f: consuming F,
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
        _ a: consuming A, _ b: consuming B, _ c: consuming C, _ d: consuming D, _ e: consuming E,
        _ f: consuming F
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
    // Sound: the slots change only before the start and at the end, by the gate's owner.
    private let selector: @Sendable (A, B, C, D, E, F) throws -> Out
    private var a: OwnedLink
    private var b: OwnedLink
    private var c: OwnedLink
    private var d: OwnedLink
    private var e: OwnedLink
    private var f: OwnedLink

    @usableFromInline
    init(
        _ a: consuming ZipSlot<A, Out>, _ b: consuming ZipSlot<B, Out>, _ c: consuming ZipSlot<C, Out>,
        _ d: consuming ZipSlot<D, Out>, _ e: consuming ZipSlot<E, Out>, _ f: consuming ZipSlot<F, Out>,
        _ selector: @escaping @Sendable (A, B, C, D, E, F) throws -> Out
    ) {
        self.selector = selector
        self.a = OwnedLink(consume a)
        self.b = OwnedLink(consume b)
        self.c = OwnedLink(consume c)
        self.d = OwnedLink(consume d)
        self.e = OwnedLink(consume e)
        self.f = OwnedLink(consume f)
        super.init(count: 6)
    }

    override func copy() -> Join<Out>? {
        guard let a = a.strong(as: ZipSlot<A, Out>.self)?.copy(),
            let b = b.strong(as: ZipSlot<B, Out>.self)?.copy(),
            let c = c.strong(as: ZipSlot<C, Out>.self)?.copy(),
            let d = d.strong(as: ZipSlot<D, Out>.self)?.copy(),
            let e = e.strong(as: ZipSlot<E, Out>.self)?.copy(),
            let f = f.strong(as: ZipSlot<F, Out>.self)?.copy()
        else { return nil }
        return type(of: self).init(a, b, c, d, e, f, selector)
    }

    override func begin() {
        f.use(as: ZipSlot<F, Out>.self) { $0.tie(self) }
        e.use(as: ZipSlot<E, Out>.self) { $0.tie(self, before: f) }
        d.use(as: ZipSlot<D, Out>.self) { $0.tie(self, before: e) }
        c.use(as: ZipSlot<C, Out>.self) { $0.tie(self, before: d) }
        b.use(as: ZipSlot<B, Out>.self) { $0.tie(self, before: c) }
        a.use(as: ZipSlot<A, Out>.self) { $0.tie(self, before: b) }
        begin(a)
    }

    override func clear() {
        a.drop()
        b.drop()
        c.drop()
        d.drop()
        e.drop()
        f.drop()
    }

    override func combine() throws {
        guard !a.isEmpty else { return }
        send(
            try selector(
                a.use(as: ZipSlot<A, Out>.self) { $0.pop() }, b.use(as: ZipSlot<B, Out>.self) { $0.pop() },
                c.use(as: ZipSlot<C, Out>.self) { $0.pop() }, d.use(as: ZipSlot<D, Out>.self) { $0.pop() },
                e.use(as: ZipSlot<E, Out>.self) { $0.pop() }, f.use(as: ZipSlot<F, Out>.self) { $0.pop() }))
    }
}
