@_spi(Reading) import JSONBytes

/// The memory of checks, used by one at a time and again by the next.
struct SchemaScratch: Sendable {
    /// A node that runs at a value.
    struct Task: Sendable {
        var node: NodeID
        var hasFailed = false
        /// Whether `hasFailed` is the verdict.
        var isFolded = false
        /// The positions of its branches, in `branches`.
        var branches: Int32 = 0
        /// Its words: the bits of present names, its counts of `contains`, the names of its groups.
        var words: Int32 = 0
        /// The rules of `contains` that the last element satisfied, one bit each.
        var contained: UInt64 = 0
    }

    /// What the verdict of a task of a member or an element means for a task of its object or array.
    struct Link: Sendable {
        enum Kind: UInt8, Sendable { case must, contains, unevaluated }

        var parent: Int32
        var child: Int32
        var kind: Kind
        /// The rule of `contains`, or the group, by its position in the rule of the parent.
        var position: Int32 = 0
    }

    var tasks: ContiguousArray<Task> = []
    var links: ContiguousArray<Link> = []
    /// Positions of tasks, or `Branch.succeeds` and `Branch.fails`.
    var branches: ContiguousArray<Int32> = []
    var words: ContiguousArray<UInt64> = []
    /// For each node the last round in which it was added, and its task.
    var stamps: ContiguousArray<(round: UInt64, task: Int32)> = []
    var round: UInt64 = 0
    /// The sets of entries that cover members without another schema: owner, group and bits.
    var kept: ContiguousArray<UInt64> = []
    /// The nodes that hold for a member because of its name.
    var nodes: ContiguousArray<NodeID> = []
    var digests: ContiguousArray<ValueDigest> = []
    var members: ContiguousArray<DigestReader.Member> = []
    var decoded: [UInt8] = []
    var otherDecoded: [UInt8] = []
    let patterns = PatternMemory()

    enum Branch {
        static let succeeds: Int32 = -1
        static let fails: Int32 = -2
    }

    /// Makes it empty, and keeps the memory unless it is large.
    mutating func reset() {
        tasks.removeAll(keepingCapacity: true)
        links.removeAll(keepingCapacity: true)
        branches.removeAll(keepingCapacity: true)
        words.removeAll(keepingCapacity: true)
        kept.removeAll(keepingCapacity: true)
        nodes.removeAll(keepingCapacity: true)
        digests.removeAll(keepingCapacity: digests.capacity < 1 << 16)
        members.removeAll(keepingCapacity: members.capacity < 1 << 16)
    }
}

/// A plan that checks share.
final class PlanStorage: Sendable {
    let plan: SchemaPlan

    init(_ plan: SchemaPlan) { self.plan = plan }
}

/// The tables of a plan, borrowed for one check, so that a table costs no reference count and no check of its
/// bounds in release builds.
struct PlanTables {
    let nodes: UnsafeBufferPointer<SchemaPlan.Node>
    let numbers: UnsafeBufferPointer<SchemaPlan.NumberRule>
    let strings: UnsafeBufferPointer<SchemaPlan.StringRule>
    let arrays: UnsafeBufferPointer<SchemaPlan.ArrayRule>
    let objects: UnsafeBufferPointer<SchemaPlan.ObjectRule>
    let nodeList: UnsafeBufferPointer<NodeID>
    let slots: UnsafeBufferPointer<NameTable.Slot>
    let nameBytes: UnsafeBufferPointer<UInt8>
    let valueSets: UnsafeBufferPointer<SchemaPlan.Span>
    let digests: UnsafeBufferPointer<ValueDigest>
    let patternList: UnsafeBufferPointer<Int32>
    private let storage: PlanStorage

    /// The tables that only composed nodes need.
    var plan: SchemaPlan {
        @inline(__always) _read { yield storage.plan }
    }

    /// Calls `body` with the tables, which are valid until it returns.
    static func borrow<Result>(_ storage: PlanStorage, _ body: (PlanTables) -> Result) -> Result {
        let plan = storage.plan
        return plan.nodes.withUnsafeBufferPointer { nodes in
            plan.numbers.withUnsafeBufferPointer { numbers in
                plan.strings.withUnsafeBufferPointer { strings in
                    plan.arrays.withUnsafeBufferPointer { arrays in
                        plan.objects.withUnsafeBufferPointer { objects in
                            plan.nodeList.withUnsafeBufferPointer { nodeList in
                                borrowValues(plan) { slots, nameBytes, valueSets, digests, patternList in
                                    body(
                                        PlanTables(
                                            nodes: nodes, numbers: numbers, strings: strings, arrays: arrays,
                                            objects: objects, nodeList: nodeList, slots: slots,
                                            nameBytes: nameBytes, valueSets: valueSets, digests: digests,
                                            patternList: patternList, storage: storage))
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private static func borrowValues<Result>(
        _ plan: SchemaPlan,
        _ body: (
            UnsafeBufferPointer<NameTable.Slot>, UnsafeBufferPointer<UInt8>,
            UnsafeBufferPointer<SchemaPlan.Span>, UnsafeBufferPointer<ValueDigest>, UnsafeBufferPointer<Int32>
        ) -> Result
    ) -> Result {
        plan.slots.withUnsafeBufferPointer { slots in
            plan.nameBytes.withUnsafeBufferPointer { nameBytes in
                plan.valueSets.withUnsafeBufferPointer { valueSets in
                    plan.digests.withUnsafeBufferPointer { digests in
                        plan.patternList.withUnsafeBufferPointer { patternList in
                            body(slots, nameBytes, valueSets, digests, patternList)
                        }
                    }
                }
            }
        }
    }

    /// Returns the slot of a name; nil if the table does not have it.
    @inline(__always)
    func find(_ name: HashedName, in table: NameTable) -> UnsafePointer<NameTable.Slot>? {
        guard let base = slots.baseAddress, table.mask >= 0 else { return nil }
        let mask = Int(table.mask)
        var place = Int(truncatingIfNeeded: name.hash) & mask
        while true {
            let slot = base + (Int(table.start) &+ place)
            if slot.pointee.length < 0 { return nil }
            if slot.pointee.prefix == name.prefix, Int(slot.pointee.length) == name.range.count,
                name.range.count <= 8 || hasBytes(name, slot.pointee)
            {
                return slot
            }
            place = (place &+ 1) & mask
        }
    }

    private func hasBytes(_ name: HashedName, _ slot: NameTable.Slot) -> Bool {
        let start = Int(slot.offset)
        return name.reader.equals(name.range, nameBytes[start..<start &+ Int(slot.length)])
    }
}
