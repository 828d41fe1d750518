/// A join of sources of any types.
// Sound: only the gate's owner changes the slots after the start.
@usableFromInline
final class JoinPack<Out: Sendable, each In: Sendable>: Join<Out>, @unchecked Sendable {
    private let selector: @Sendable (repeat each In) throws -> Out
    /// A `JoinSlot<each In, Out>` for each source. A tuple would cost a metadata lookup at each event.
    private var slots: [Link]

    @usableFromInline
    convenience init(
        _ slot: repeat JoinSlot<each In, Out>, endsWithoutPartners: Bool,
        selector: @escaping @Sendable (repeat each In) throws -> Out
    ) {
        var slots: [Link] = []
        for slot in repeat each slot { slots.append(slot) }
        self.init(slots, endsWithoutPartners, selector)
    }

    private init(
        _ slots: [Link], _ endsWithoutPartners: Bool,
        _ selector: @escaping @Sendable (repeat each In) throws -> Out
    ) {
        self.selector = selector
        self.slots = slots
        super.init(count: slots.count, endsWithoutPartners: endsWithoutPartners)
    }

    override func copy() -> Join<Out>? {
        let slots = slots
        var copies: [Link] = []
        for type in repeat (each In).self {
            guard let copy = copy(slots, copies.count, type) else { return nil }
            copies.append(copy)
        }
        return JoinPack(copies, endsWithoutPartners, selector)
    }

    private func copy<Value: Sendable>(_ slots: [Link], _ index: Int, _ type: Value.Type) -> Link? {
        guard index < slots.count else { return nil }
        return BorrowedLink(slots[index]).use(as: JoinSlot<Value, Out>.self) { $0.copy() }
    }

    override func begin() {
        let slots = slots
        var index = 0
        for type in repeat (each In).self {
            tie(slots, index, type)
            index += 1
        }
        start(slots.first)
    }

    private func tie<Value: Sendable>(_ slots: [Link], _ index: Int, _ type: Value.Type) {
        let next = index + 1 < slots.count ? BorrowedLink(slots[index + 1]) : BorrowedLink()
        BorrowedLink(slots[index]).use(as: JoinSlot<Value, Out>.self) { $0.tie(self, before: next) }
    }

    override func clear() {
        slots = []
    }

    override func combine() throws {
        let slots = slots
        guard !slots.isEmpty else { return }
        var index = 0
        func value<Value: Sendable>(_ type: Value.Type) -> Value {
            defer { index += 1 }
            return BorrowedLink(slots[index]).use(as: JoinSlot<Value, Out>.self) { $0.takeValue() }
        }
        send(try selector(repeat value((each In).self)))
    }
}
