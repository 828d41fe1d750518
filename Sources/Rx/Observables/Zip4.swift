extension ObservableType {
    /// The first values of four sources, combined, then the second ones, and so on. Values that wait for others
    /// are kept without bound.
    @inlinable
    public static func zip<
        A: ObservableConvertibleType, B: ObservableConvertibleType, C: ObservableConvertibleType,
        D: ObservableConvertibleType
    >(
        _ a: A, _ b: B, _ c: C, _ d: D,
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
        _ a: A, _ b: B, _ c: C, _ d: D
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
    private let selector: @Sendable (A, B, C, D) throws -> Out
    @exclusivity(unchecked)
    private var a: ZipSlot<A, Out>?
    @exclusivity(unchecked)
    private var b: ZipSlot<B, Out>?
    @exclusivity(unchecked)
    private var c: ZipSlot<C, Out>?
    @exclusivity(unchecked)
    private var d: ZipSlot<D, Out>?

    @usableFromInline
    init(
        _ a: consuming ZipSlot<A, Out>, _ b: consuming ZipSlot<B, Out>, _ c: consuming ZipSlot<C, Out>,
        _ d: consuming ZipSlot<D, Out>,
        _ selector: @escaping @Sendable (A, B, C, D) throws -> Out
    ) {
        self.selector = selector
        self.a = consume a
        self.b = consume b
        self.c = consume c
        self.d = consume d
        super.init(count: 4)
    }

    override func copy() -> Join<Out>? {
        guard let a = a?.copy(), let b = b?.copy(), let c = c?.copy(), let d = d?.copy() else { return nil }
        return type(of: self).init(a, b, c, d, selector)
    }

    override func begin() -> Bool {
        guard let a, let b, let c, let d, !a.isRunning else { return false }
        d.tie(self, before: nil)
        c.tie(self, before: d)
        b.tie(self, before: c)
        a.tie(self, before: b)
        sources.set(a)
        a.begin()
        b.begin()
        c.begin()
        d.begin()
        return true
    }

    override func clear() {
        a = nil
        b = nil
        c = nil
        d = nil
    }

    override func combine() throws {
        guard let a, let b, let c, let d else { return }
        send(try selector(a.pop(), b.pop(), c.pop(), d.pop()))
    }
}
