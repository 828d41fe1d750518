extension ObservableType {
    /// The first values of two sources, combined, then the second ones, and so on. Values that wait for others
    /// are kept without bound.
    @inlinable
    @preconcurrency
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType
    >(
        _ a: consuming A, _ b: consuming B,
        resultSelector: @escaping @Sendable (A.Element, B.Element) throws -> Element
    ) -> Observable<Element> {
        Zip2(
            ZipSlot(a.asObservable()), ZipSlot(b.asObservable()),
            resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// The first values of two sources as a tuple, then the second ones, and so on.
    @inlinable
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType
    >(
        _ a: consuming A, _ b: consuming B
    ) -> Observable<(A.Element, B.Element)> {
        Zip2(
            ZipSlot(a.asObservable()), ZipSlot(b.asObservable()),
            { ($0, $1) })
    }
}

@usableFromInline
final class Zip2<A: Sendable, B: Sendable, Out: Sendable>: Zip<Out>, @unchecked Sendable {
    // Sound: the slots change only before the start and at the end, by the gate's owner.
    private let selector: @Sendable (A, B) throws -> Out
    private var a: OwnedLink
    private var b: OwnedLink

    @usableFromInline
    init(
        _ a: consuming ZipSlot<A, Out>, _ b: consuming ZipSlot<B, Out>,
        _ selector: @escaping @Sendable (A, B) throws -> Out
    ) {
        self.selector = selector
        self.a = OwnedLink(consume a)
        self.b = OwnedLink(consume b)
        super.init(count: 2)
    }

    override func copy() -> Join<Out>? {
        guard let a = a.strong(as: ZipSlot<A, Out>.self)?.copy(),
            let b = b.strong(as: ZipSlot<B, Out>.self)?.copy()
        else { return nil }
        return type(of: self).init(a, b, selector)
    }

    override func begin() {
        b.use(as: ZipSlot<B, Out>.self) { $0.tie(self) }
        a.use(as: ZipSlot<A, Out>.self) { $0.tie(self, before: b) }
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
                a.use(as: ZipSlot<A, Out>.self) { $0.pop() }, b.use(as: ZipSlot<B, Out>.self) { $0.pop() }))
    }
}
