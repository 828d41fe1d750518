extension ObservableType {
    /// The last values of four sources, combined, whenever one of them sends a value and all have sent one.
    @inlinable
    @preconcurrency
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType
    >(
        _ a: consuming A, _ b: consuming B, _ c: consuming C, _ d: consuming D,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element, D.Element) throws -> Element
    ) -> Observable<Element> {
        CombineLatest4(
            LatestSlot(a.asObservable()), LatestSlot(b.asObservable()), LatestSlot(c.asObservable()),
            LatestSlot(d.asObservable()),
            resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// The last values of four sources as a tuple.
    @inlinable
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType
    >(
        _ a: consuming A, _ b: consuming B, _ c: consuming C, _ d: consuming D
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element)> {
        CombineLatest4(
            LatestSlot(a.asObservable()), LatestSlot(b.asObservable()), LatestSlot(c.asObservable()),
            LatestSlot(d.asObservable()),
            { ($0, $1, $2, $3) })
    }
}

@usableFromInline
final class CombineLatest4<A: Sendable, B: Sendable, C: Sendable, D: Sendable, Out: Sendable>: CombineLatest<
    Out
>, @unchecked Sendable
{
    // Sound: the slots change only before the start and at the end, by the gate's owner.
    private let selector: @Sendable (A, B, C, D) throws -> Out
    private var a: OwnedLink
    private var b: OwnedLink
    private var c: OwnedLink
    private var d: OwnedLink

    @usableFromInline
    init(
        _ a: consuming LatestSlot<A, Out>, _ b: consuming LatestSlot<B, Out>,
        _ c: consuming LatestSlot<C, Out>, _ d: consuming LatestSlot<D, Out>,
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
        guard let a = a.strong(as: LatestSlot<A, Out>.self)?.copy(),
            let b = b.strong(as: LatestSlot<B, Out>.self)?.copy(),
            let c = c.strong(as: LatestSlot<C, Out>.self)?.copy(),
            let d = d.strong(as: LatestSlot<D, Out>.self)?.copy()
        else { return nil }
        return type(of: self).init(a, b, c, d, selector)
    }

    override func begin() {
        d.use(as: LatestSlot<D, Out>.self) { $0.tie(self) }
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
    }

    override func combine() throws {
        guard !a.isEmpty else { return }
        send(
            try selector(
                a.use(as: LatestSlot<A, Out>.self) { $0.cell.value },
                b.use(as: LatestSlot<B, Out>.self) { $0.cell.value },
                c.use(as: LatestSlot<C, Out>.self) { $0.cell.value },
                d.use(as: LatestSlot<D, Out>.self) { $0.cell.value }))
    }
}
