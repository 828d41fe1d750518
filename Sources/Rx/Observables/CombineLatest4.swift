// A separate class is faster than `JoinPack`: see the rows "seven nested 4-way combineLatest" of RxBench.
extension ObservableType {
    /// Combines the last values of four sources whenever one of them sends a value and all have sent one.
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
            JoinSlot(a.asObservable()), JoinSlot(b.asObservable()), JoinSlot(c.asObservable()),
            JoinSlot(d.asObservable()), resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// Sends the last values of four sources as a tuple whenever one of them sends a value and all have sent
    /// one.
    @inlinable
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType
    >(
        _ a: consuming A, _ b: consuming B, _ c: consuming C, _ d: consuming D
    ) -> Observable<(A.Element, B.Element, C.Element, D.Element)> {
        CombineLatest4(
            JoinSlot(a.asObservable()), JoinSlot(b.asObservable()), JoinSlot(c.asObservable()),
            JoinSlot(d.asObservable())
        ) { ($0, $1, $2, $3) }
    }
}

// Sound: only the gate's owner changes the slots after the start.
@usableFromInline
final class CombineLatest4<A: Sendable, B: Sendable, C: Sendable, D: Sendable, Out: Sendable>: Join<Out>,
    @unchecked Sendable
{
    private let selector: @Sendable (A, B, C, D) throws -> Out
    // Unchecked, all, for the row "seven nested 4-way combineLatest, an event" of RxBench.
    @exclusivity(unchecked)
    private var a: OwnedLink
    @exclusivity(unchecked)
    private var b: OwnedLink
    @exclusivity(unchecked)
    private var c: OwnedLink
    @exclusivity(unchecked)
    private var d: OwnedLink

    @usableFromInline
    init(
        _ a: consuming JoinSlot<A, Out>, _ b: consuming JoinSlot<B, Out>, _ c: consuming JoinSlot<C, Out>,
        _ d: consuming JoinSlot<D, Out>, _ selector: @escaping @Sendable (A, B, C, D) throws -> Out
    ) {
        self.selector = selector
        self.a = OwnedLink(consume a)
        self.b = OwnedLink(consume b)
        self.c = OwnedLink(consume c)
        self.d = OwnedLink(consume d)
        super.init(count: 4, endsWithoutPartners: true)
    }

    override func copy() -> Join<Out>? {
        guard !a.isEmpty, let a = a.borrowed.use(as: JoinSlot<A, Out>.self, { $0.copy() }),
            let b = b.borrowed.use(as: JoinSlot<B, Out>.self, { $0.copy() }),
            let c = c.borrowed.use(as: JoinSlot<C, Out>.self, { $0.copy() }),
            let d = d.borrowed.use(as: JoinSlot<D, Out>.self, { $0.copy() })
        else { return nil }
        return type(of: self).init(a, b, c, d, selector)
    }

    override func begin() {
        d.borrowed.use(as: JoinSlot<D, Out>.self) { $0.tie(self) }
        c.borrowed.use(as: JoinSlot<C, Out>.self) { $0.tie(self, before: d.borrowed) }
        b.borrowed.use(as: JoinSlot<B, Out>.self) { $0.tie(self, before: c.borrowed) }
        a.borrowed.use(as: JoinSlot<A, Out>.self) { $0.tie(self, before: b.borrowed) }
        start(a.borrowed.retained())
    }

    override func clear() {
        _ = a.take()
        _ = b.take()
        _ = c.take()
        _ = d.take()
    }

    override func combine() throws {
        guard !a.isEmpty else { return }
        send(
            try selector(
                a.borrowed.use(as: JoinSlot<A, Out>.self) { $0.storage.value },
                b.borrowed.use(as: JoinSlot<B, Out>.self) { $0.storage.value },
                c.borrowed.use(as: JoinSlot<C, Out>.self) { $0.storage.value },
                d.borrowed.use(as: JoinSlot<D, Out>.self) { $0.storage.value }))
    }
}
