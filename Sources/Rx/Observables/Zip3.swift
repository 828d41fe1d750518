extension ObservableType {
    /// The first values of three sources, combined, then the second ones, and so on. Values that wait for others
    /// are kept without bound.
    @inlinable
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C,
        resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element) throws -> Element
    ) -> Observable<Element> {
        Zip3(
            ZipSlot(a.asObservable()), ZipSlot(b.asObservable()), ZipSlot(c.asObservable()),
            resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// The first values of three sources as a tuple, then the second ones, and so on.
    @inlinable
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C
    ) -> Observable<(A.Element, B.Element, C.Element)> {
        Zip3(
            ZipSlot(a.asObservable()), ZipSlot(b.asObservable()), ZipSlot(c.asObservable()),
            { ($0, $1, $2) })
    }
}

@usableFromInline
final class Zip3<A: Sendable, B: Sendable, C: Sendable, Out: Sendable>: Zip<Out>, @unchecked Sendable {
    private let selector: @Sendable (A, B, C) throws -> Out
    @exclusivity(unchecked)
    private var a: ZipSlot<A, Out>?
    @exclusivity(unchecked)
    private var b: ZipSlot<B, Out>?
    @exclusivity(unchecked)
    private var c: ZipSlot<C, Out>?

    @usableFromInline
    init(
        _ a: consuming ZipSlot<A, Out>, _ b: consuming ZipSlot<B, Out>, _ c: consuming ZipSlot<C, Out>,
        _ selector: @escaping @Sendable (A, B, C) throws -> Out
    ) {
        self.selector = selector
        self.a = consume a
        self.b = consume b
        self.c = consume c
        super.init(count: 3)
    }

    override func copy() -> Join<Out>? {
        guard let a = a?.copy(), let b = b?.copy(), let c = c?.copy() else { return nil }
        return type(of: self).init(a, b, c, selector)
    }

    override func begin() -> Bool {
        guard let a, let b, let c, !a.isRunning else { return false }
        c.tie(self, before: nil)
        b.tie(self, before: c)
        a.tie(self, before: b)
        sources.set(a)
        a.begin()
        b.begin()
        c.begin()
        return true
    }

    override func clear() {
        a = nil
        b = nil
        c = nil
    }

    override func combine() throws {
        guard let a, let b, let c else { return }
        send(try selector(a.pop(), b.pop(), c.pop()))
    }
}
