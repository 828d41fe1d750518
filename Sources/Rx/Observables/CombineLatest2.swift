extension ObservableType {
    /// The last values of two sources, combined, whenever one of them sends a value and all have sent one.
    @inlinable
    @preconcurrency
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType
    >(
        _ a: consuming A, _ b: consuming B,
        resultSelector: @escaping @Sendable (A.Element, B.Element) throws -> Element
    ) -> Observable<Element> {
        CombineLatest2(
            LatestSlot(a.asObservable()), LatestSlot(b.asObservable()),
            resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// The last values of two sources as a tuple.
    @inlinable
    public static func combineLatest<
        A: ObservableConvertibleType, B: ObservableConvertibleType
    >(
        _ a: consuming A, _ b: consuming B
    ) -> Observable<(A.Element, B.Element)> {
        CombineLatest2(
            LatestSlot(a.asObservable()), LatestSlot(b.asObservable()),
            { ($0, $1) })
    }
}

@usableFromInline
final class CombineLatest2<A: Sendable, B: Sendable, Out: Sendable>: CombineLatest<Out>, @unchecked Sendable {
    // Sound: the slots change only before the start and at the end, by the gate's owner.
    private let selector: @Sendable (A, B) throws -> Out
    private var a: OwnedLink
    private var b: OwnedLink

    @usableFromInline
    init(
        _ a: consuming LatestSlot<A, Out>, _ b: consuming LatestSlot<B, Out>,
        _ selector: @escaping @Sendable (A, B) throws -> Out
    ) {
        self.selector = selector
        self.a = OwnedLink(consume a)
        self.b = OwnedLink(consume b)
        super.init(count: 2)
    }

    override func copy() -> Join<Out>? {
        guard let a = a.strong(as: LatestSlot<A, Out>.self)?.copy(),
            let b = b.strong(as: LatestSlot<B, Out>.self)?.copy()
        else { return nil }
        return type(of: self).init(a, b, selector)
    }

    override func begin() {
        b.use(as: LatestSlot<B, Out>.self) { $0.tie(self) }
        a.use(as: LatestSlot<A, Out>.self) { $0.tie(self, before: b) }
        begin(a)
    }

    override func clear() {
        a.drop()
        b.drop()
    }

    override func combine() throws {
        guard !a.isEmpty else { return }
        send(
            try selector(
                a.use(as: LatestSlot<A, Out>.self) { $0.cell.value },
                b.use(as: LatestSlot<B, Out>.self) { $0.cell.value }))
    }
}
