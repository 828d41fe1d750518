extension ObservableType {
    /// Combines the last values of all sources whenever one of them sends a value and all have sent one; `[]`
    /// without sources.
    @inlinable
    @preconcurrency
    public static func combineLatest<Sources: Collection>(
        _ collection: Sources,
        resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
    ) -> Observable<Element> where Sources.Element: ObservableType {
        if collection.isEmpty {
            .deferred { .just(try resultSelector([])) }
        } else {
            JoinCollection(collection.map { JoinSlot($0.asObservable()) }, resultSelector)
        }
    }

    /// Sends the last values of all sources whenever one of them sends a value and all have sent one; `[]`
    /// without sources.
    @inlinable
    public static func combineLatest<Sources: Collection>(
        _ collection: Sources
    ) -> Observable<[Element]>
    where Sources.Element: ObservableType, Sources.Element.Element == Element {
        Observable<[Element]>.combineLatest(collection) { $0 }
    }

    /// Combines the first values of all sources, then the second ones, and so on. Completes at once without
    /// sources.
    @inlinable
    @preconcurrency
    public static func zip<Sources: Collection>(
        _ collection: Sources,
        resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
    ) -> Observable<Element> where Sources.Element: ObservableType {
        if collection.isEmpty {
            .empty()
        } else {
            JoinCollection(collection.map { .queued($0.asObservable()) }, resultSelector)
        }
    }

    /// Sends the first values of all sources, then the second ones, and so on. Completes at once without
    /// sources.
    @inlinable
    public static func zip<Sources: Collection>(
        _ collection: Sources
    ) -> Observable<[Element]>
    where Sources.Element: ObservableType, Sources.Element.Element == Element {
        Observable<[Element]>.zip(collection) { $0 }
    }
}

/// A join of any number of sources of one type.
// Sound: only the gate's owner changes the slots after the start.
@usableFromInline
final class JoinCollection<In: Sendable, Out: Sendable>: Join<Out>, @unchecked Sendable {
    private let selector: @Sendable ([In]) throws -> Out
    private var slots: [JoinSlot<In, Out>]

    @usableFromInline
    init(_ slots: [JoinSlot<In, Out>], _ selector: @escaping @Sendable ([In]) throws -> Out) {
        self.selector = selector
        self.slots = slots
        super.init(count: slots.count, endsWithoutPartners: true)
    }

    override func copy() -> Join<Out>? {
        let copies = slots.compactMap { $0.copy() }
        guard copies.count == count else { return nil }
        return type(of: self).init(copies, selector)
    }

    override func begin() {
        let slots = slots
        var next = BorrowedLink()
        for slot in slots.reversed() {
            slot.tie(self, before: next)
            next = BorrowedLink(slot)
        }
        if let first = slots.first { sources.set(first) }
        down.attach(self)
        // In a loop, because nested starts would take stack for each source.
        for slot in slots { slot.begin() }
    }

    override func clear() {
        slots = []
    }

    override func combine() throws {
        let slots = slots
        guard slots.count == count else { return }
        var values: [In] = []
        values.reserveCapacity(count)
        for slot in slots { values.append(slot.takeValue()) }
        send(try selector(values))
    }
}
