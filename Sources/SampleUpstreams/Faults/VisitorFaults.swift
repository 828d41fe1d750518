/// The faults of each visitor who has set one, for a bounded number of visitors.
struct VisitorFaults {
    private struct Entry {
        var faults: [FaultSwitch: Fault]
        /// The value of `uses` at the last request of the visitor.
        var lastUse: Int
    }

    private let limit: Int
    private var entries: [SampleVisitor: Entry] = [:]
    private var uses = 0

    /// - Parameter limit: the number of visitors. One more replaces the visitor whose last request is the
    ///   oldest.
    init(limit: Int) {
        self.limit = limit
    }

    /// The number of visitors with faults.
    var count: Int { entries.count }

    /// Returns the faults that a visitor has set. `none` hides a fault that is set for everybody.
    mutating func faults(of visitor: SampleVisitor) -> [FaultSwitch: Fault] {
        guard let entry = entries[visitor] else { return [:] }
        uses += 1
        entries[visitor]?.lastUse = uses
        return entry.faults
    }

    mutating func set(_ faults: [FaultSwitch: Fault], of visitor: SampleVisitor) {
        guard !faults.isEmpty else {
            entries[visitor] = nil
            return
        }
        if entries[visitor] == nil, entries.count >= limit,
            let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            entries[oldest.key] = nil
        }
        uses += 1
        entries[visitor] = Entry(faults: faults, lastUse: uses)
    }
}
