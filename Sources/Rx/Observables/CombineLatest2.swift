// A separate class is faster than `JoinPack`: see the rows "charts pipeline" of RxBench.
extension ObservableType {
    /// Combines the last values of two sources whenever one of them sends a value and all have sent one.
    @inlinable
    @preconcurrency
    public static func combineLatest<A: ObservableConvertibleType, B: ObservableConvertibleType>(
        _ a: consuming A, _ b: consuming B,
        resultSelector: @escaping @Sendable (A.Element, B.Element) throws -> Element
    ) -> Observable<Element> {
        CombineLatest2(JoinSlot(a.asObservable()), JoinSlot(b.asObservable()), resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// Sends the last values of two sources as a tuple whenever one of them sends a value and all have sent
    /// one.
    @inlinable
    public static func combineLatest<A: ObservableConvertibleType, B: ObservableConvertibleType>(
        _ a: consuming A, _ b: consuming B
    ) -> Observable<(A.Element, B.Element)> {
        CombineLatest2(JoinSlot(a.asObservable()), JoinSlot(b.asObservable())) { ($0, $1) }
    }
}

// Sound: only the gate's owner changes the slots after the start.
@usableFromInline
final class CombineLatest2<A: Sendable, B: Sendable, Out: Sendable>: Join<Out>, @unchecked Sendable {
    private let selector: @Sendable (A, B) throws -> Out
    // Unchecked, all, for the row "charts pipeline, built for each request" of RxBench.
    @exclusivity(unchecked)
    private var a: OwnedLink
    @exclusivity(unchecked)
    private var b: OwnedLink

    @usableFromInline
    init(
        _ a: consuming JoinSlot<A, Out>, _ b: consuming JoinSlot<B, Out>,
        _ selector: @escaping @Sendable (A, B) throws -> Out
    ) {
        self.selector = selector
        self.a = OwnedLink(consume a)
        self.b = OwnedLink(consume b)
        super.init(count: 2, endsWithoutPartners: true)
    }

    override func copy() -> Join<Out>? {
        guard !a.isEmpty, let a = a.borrowed.use(as: JoinSlot<A, Out>.self, { $0.copy() }),
            let b = b.borrowed.use(as: JoinSlot<B, Out>.self, { $0.copy() })
        else { return nil }
        return type(of: self).init(a, b, selector)
    }

    override func begin() {
        b.borrowed.use(as: JoinSlot<B, Out>.self) { $0.tie(self) }
        a.borrowed.use(as: JoinSlot<A, Out>.self) { $0.tie(self, before: b.borrowed) }
        start(a.borrowed.retained())
    }

    override func clear() {
        _ = a.take()
        _ = b.take()
    }

    override func combine() throws {
        guard !a.isEmpty else { return }
        send(
            try selector(
                a.borrowed.use(as: JoinSlot<A, Out>.self) { $0.storage.value },
                b.borrowed.use(as: JoinSlot<B, Out>.self) { $0.storage.value }))
    }
}
