extension ObservableType {
    /// The first values of two sources, combined, then the second ones, and so on. Values that wait for others
    /// are kept without bound.
    @inlinable
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType
    >(
        _ a: A, _ b: B,
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
        _ a: A, _ b: B
    ) -> Observable<(A.Element, B.Element)> {
        Zip2(
            ZipSlot(a.asObservable()), ZipSlot(b.asObservable()),
            { ($0, $1) })
    }
}

@usableFromInline
final class Zip2<A: Sendable, B: Sendable, Out: Sendable>: Zip<Out>, @unchecked Sendable {
    private let selector: @Sendable (A, B) throws -> Out
    @exclusivity(unchecked)
    private var a: ZipSlot<A, Out>?
    @exclusivity(unchecked)
    private var b: ZipSlot<B, Out>?

    @usableFromInline
    init(
        _ a: consuming ZipSlot<A, Out>, _ b: consuming ZipSlot<B, Out>,
        _ selector: @escaping @Sendable (A, B) throws -> Out
    ) {
        self.selector = selector
        self.a = consume a
        self.b = consume b
        super.init(count: 2)
    }

    override func copy() -> Join<Out>? {
        guard let a = a?.copy(), let b = b?.copy() else { return nil }
        return type(of: self).init(a, b, selector)
    }

    override func begin() -> Bool {
        guard let a, let b, !a.isRunning else { return false }
        b.tie(self, before: nil)
        a.tie(self, before: b)
        sources.set(a)
        a.begin()
        b.begin()
        return true
    }

    override func clear() {
        a = nil
        b = nil
    }

    override func combine() throws {
        guard let a, let b else { return }
        send(try selector(a.pop(), b.pop()))
    }
}
