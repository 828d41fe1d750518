extension ObservableType {
    /// The first values of four sources, combined, then the second ones, and so on. Values that wait for others
    /// are kept without bound.
    @inlinable
    @preconcurrency
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType
    >(
        _ a: consuming A, _ b: consuming B, _ c: consuming C, _ d: consuming D,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element, D.Element) throws -> Element
    ) -> Observable<Element> {
        Zip4(
            ZipSlot(a.asObservable()), ZipSlot(b.asObservable()), ZipSlot(c.asObservable()),
            ZipSlot(d.asObservable()),
            resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// The first values of four sources as a tuple, then the second ones, and so on.
    @inlinable
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType
    >(
        _ a: consuming A, _ b: consuming B, _ c: consuming C, _ d: consuming D
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element)> {
        Zip4(
            ZipSlot(a.asObservable()), ZipSlot(b.asObservable()), ZipSlot(c.asObservable()),
            ZipSlot(d.asObservable()),
            { ($0, $1, $2, $3) })
    }
}

@usableFromInline
final class Zip4<A: Sendable, B: Sendable, C: Sendable, D: Sendable, Out: Sendable>: Zip<Out>,
    @unchecked Sendable
{
    // Sound: the slots change only before the start and at the end, by the gate's owner.
    private let selector: @Sendable (A, B, C, D) throws -> Out
    private var a: OwnedLink
    private var b: OwnedLink
    private var c: OwnedLink
    private var d: OwnedLink

    @usableFromInline
    init(
        _ a: consuming ZipSlot<A, Out>, _ b: consuming ZipSlot<B, Out>, _ c: consuming ZipSlot<C, Out>,
        _ d: consuming ZipSlot<D, Out>,
        _ selector: @escaping @Sendable (A, B, C, D) throws -> Out
    ) {
        self.selector = selector
        self.a = OwnedLink(consume a)
        self.b = OwnedLink(consume b)
        self.c = OwnedLink(consume c)
        self.d = OwnedLink(consume d)
        super.init(count: 4)
    }

    override func copy() -> Join<Out>? {
        guard let a = a.strong(as: ZipSlot<A, Out>.self)?.copy(),
            let b = b.strong(as: ZipSlot<B, Out>.self)?.copy(),
            let c = c.strong(as: ZipSlot<C, Out>.self)?.copy(),
            let d = d.strong(as: ZipSlot<D, Out>.self)?.copy()
        else { return nil }
        return type(of: self).init(a, b, c, d, selector)
    }

    override func begin() {
        d.use(as: ZipSlot<D, Out>.self) { $0.tie(self) }
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
    }

    override func combine() throws {
        guard !a.isEmpty else { return }
        send(
            try selector(
                a.use(as: ZipSlot<A, Out>.self) { $0.pop() }, b.use(as: ZipSlot<B, Out>.self) { $0.pop() },
                c.use(as: ZipSlot<C, Out>.self) { $0.pop() }, d.use(as: ZipSlot<D, Out>.self) { $0.pop() }))
    }
}
