extension ObservableType {
    /// The last values of all sources whenever one of them sends a value and all have sent one; `[]` without sources.
    @inlinable
    @preconcurrency
    public static func combineLatest<Sources: Collection>(
        _ collection: Sources,
        resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
    ) -> Observable<Element> where Sources.Element: ObservableType {
        if collection.isEmpty {
            .deferred { .just(try resultSelector([])) }
        } else {
            CombineLatestCollection(collection.map { LatestSlot($0.asObservable()) }, resultSelector)
        }
    }

    /// The last values of all sources; `[]` without sources.
    @inlinable
    public static func combineLatest<Sources: Collection>(
        _ collection: Sources
    ) -> Observable<[Element]>
    where Sources.Element: ObservableType, Sources.Element.Element == Element {
        Observable<[Element]>.combineLatest(collection) { $0 }
    }

    /// The first values of all sources, then the second ones, and so on. Completes at once without sources.
    @inlinable
    @preconcurrency
    public static func zip<Sources: Collection>(
        _ collection: Sources,
        resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
    ) -> Observable<Element> where Sources.Element: ObservableType {
        if collection.isEmpty {
            .empty()
        } else {
            ZipCollection(collection.map { ZipSlot($0.asObservable()) }, resultSelector)
        }
    }

    /// The first values of all sources, then the second ones, and so on. Completes at once without sources.
    @inlinable
    public static func zip<Sources: Collection>(
        _ collection: Sources
    ) -> Observable<[Element]>
    where Sources.Element: ObservableType, Sources.Element.Element == Element {
        Observable<[Element]>.zip(collection) { $0 }
    }
}

@usableFromInline
final class CombineLatestCollection<In: Sendable, Out: Sendable>: CombineLatest<Out>,
    @unchecked Sendable
{
    private let selector: @Sendable ([In]) throws -> Out
    private var slots: [LatestSlot<In, Out>]

    @usableFromInline
    init(_ slots: [LatestSlot<In, Out>], _ selector: @escaping @Sendable ([In]) throws -> Out) {
        self.selector = selector
        self.slots = slots
        super.init(count: slots.count)
    }

    override func copy() -> Join<Out>? {
        let copies = slots.compactMap { $0.copy() }
        guard copies.count == count else { return nil }
        return type(of: self).init(copies, selector)
    }

    override func begin() {
        begin(slots)
    }

    override func clear() {
        slots = []
    }

    override func combine() throws {
        guard slots.count == count else { return }
        var values: [In] = []
        values.reserveCapacity(count)
        for slot in slots { values.append(slot.cell.value) }
        send(try selector(values))
    }
}

@usableFromInline
final class ZipCollection<In: Sendable, Out: Sendable>: Zip<Out>, @unchecked Sendable {
    private let selector: @Sendable ([In]) throws -> Out
    private var slots: [ZipSlot<In, Out>]

    @usableFromInline
    init(_ slots: [ZipSlot<In, Out>], _ selector: @escaping @Sendable ([In]) throws -> Out) {
        self.selector = selector
        self.slots = slots
        super.init(count: slots.count)
    }

    override var endsWithLastLive: Bool { true }

    override func copy() -> Join<Out>? {
        let copies = slots.compactMap { $0.copy() }
        guard copies.count == count else { return nil }
        return type(of: self).init(copies, selector)
    }

    override func begin() {
        begin(slots)
    }

    override func clear() {
        slots = []
    }

    override func combine() throws {
        guard slots.count == count else { return }
        send(try selector(slots.map { $0.pop() }))
    }
}
