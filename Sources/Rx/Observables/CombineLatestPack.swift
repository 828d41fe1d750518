extension ObservableType {
    /// The last values of any number of sources, at least one, combined, whenever one of them sends a value and all have
    /// sent one. Two to eight sources have forms of their own, which are preferred.
    @inlinable
    @_disfavoredOverload
    @preconcurrency
    public static func combineLatest<
        First: ObservableConvertibleType, each Source: ObservableConvertibleType
    >(
        _ first: First, _ source: repeat each Source,
        resultSelector: @escaping @Sendable (First.Element, repeat (each Source).Element) throws -> Element
    ) -> Observable<Element> {
        CombineLatestPack<Element, First.Element, repeat (each Source).Element>(
            LatestSlot(first.asObservable()), repeat LatestSlot((each source).asObservable()),
            selector: resultSelector)
    }
}

extension ObservableType where Element == any Sendable {
    /// The last values of any number of sources, at least one, as a tuple.
    @inlinable
    @_disfavoredOverload
    public static func combineLatest<
        First: ObservableConvertibleType, each Source: ObservableConvertibleType
    >(
        _ first: First, _ source: repeat each Source
    ) -> Observable<(First.Element, repeat (each Source).Element)> {
        CombineLatestPack<
            (First.Element, repeat (each Source).Element), First.Element, repeat (each Source).Element
        >(
            LatestSlot(first.asObservable()), repeat LatestSlot((each source).asObservable()),
            selector: { (first: First.Element, rest: repeat (each Source).Element) in
                (first, repeat each rest)
            })
    }
}

extension Infallible {
    /// The last values of any number of sources, at least one, combined, whenever one of them sends a value and all have
    /// sent one. Two to eight sources have forms of their own, which are preferred.
    @inlinable
    @_disfavoredOverload
    @preconcurrency
    public static func combineLatest<First: InfallibleType, each Source: InfallibleType>(
        _ first: First, _ source: repeat each Source,
        resultSelector: @escaping @Sendable (First.Element, repeat (each Source).Element) -> Element
    ) -> Infallible<Element> {
        Infallible(
            raw: CombineLatestPack<Element, First.Element, repeat (each Source).Element>(
                LatestSlot(first.asObservable()), repeat LatestSlot((each source).asObservable()),
                selector: resultSelector))
    }
}

/// Sources of any types, each in its slot.
@usableFromInline
final class CombineLatestPack<Out: Sendable, each In: Sendable>: CombineLatest<Out>, @unchecked Sendable {
    // Sound: the slots change only before the start and at the end, by the gate's owner.
    private let selector: @Sendable (repeat each In) throws -> Out
    private var slots: (repeat LatestSlot<each In, Out>)?

    @usableFromInline
    init(
        _ slot: repeat LatestSlot<each In, Out>, selector: @escaping @Sendable (repeat each In) throws -> Out
    ) {
        self.selector = selector
        slots = (repeat each slot)
        var count = 0
        for _ in repeat each slot { count += 1 }
        super.init(count: count)
    }

    override func copy() -> Join<Out>? {
        guard let slots else { return nil }
        var copies = 0
        for slot in repeat each slots {
            if slot.description != nil { copies += 1 }
        }
        guard copies == count else { return nil }
        return CombineLatestPack(repeat (each slots).copy() ?? (each slots), selector: selector)
    }

    override func begin() {
        guard let slots else { return }
        var links: [Link] = []
        for slot in repeat each slots { links.append(slot) }
        var index = 0
        for slot in repeat each slots {
            index += 1
            if index < count { slot.tie(self, before: OwnedLink(links[index])) } else { slot.tie(self) }
        }
        begin(OwnedLink(links[0]))
    }

    override func clear() {
        slots = nil
    }

    override func combine() throws {
        guard let slots else { return }
        send(try selector(repeat (each slots).cell.value))
    }
}
