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

    var tasks = ScratchStack<Task>()
    var links = ScratchStack<Link>()
    /// Positions of tasks, or `Branch.succeeds` and `Branch.fails`.
    var branches = ScratchStack<Int32>()
    var words = ScratchStack<UInt64>()
    /// For each node the last round in which it was added, and its task.
    var stamps: ContiguousArray<(round: UInt64, task: Int32)> = []
    var round: UInt64 = 0
    /// The sets of entries that cover members without another schema: owner, group and bits.
    var kept: ContiguousArray<UInt64> = []
    /// The nodes that hold for a member because of its name.
    var nodes: ContiguousArray<NodeID> = []
    var digests: ContiguousArray<ValueDigest> = []
    var table = DigestTable()
    var members: ContiguousArray<DigestReader.Member> = []
    /// For each slot of a name the slot of the name that came next, as long as objects have the same names in
    /// the same order. After the slots, for each object rule the slot of the first name. -1 without a guess.
    private var successors: ContiguousArray<Int32> = []
    var decoded: [UInt8] = []
    var otherDecoded: [UInt8] = []
    /// What PCRE2 needs; nil until a pattern needs it.
    var patterns: PatternMemory?

    enum Branch {
        static let succeeds: Int32 = -1
        static let fails: Int32 = -2
    }

    /// The slot that is expected at a place of `successors`; -1 without a guess.
    @inline(__always)
    func expected(_ place: Int) -> Int {
        UInt(bitPattern: place) < UInt(bitPattern: successors.count) ? Int(successors[place]) : -1
    }

    /// Expects a slot the next time.
    mutating func expect(_ slot: Int, at place: Int) { successors[place] = Int32(truncatingIfNeeded: slot) }

    /// Makes room for the guesses of a plan.
    mutating func reserveGuesses(_ count: Int) {
        guard successors.count < count else { return }
        successors.append(contentsOf: repeatElement(-1, count: count - successors.count))
    }

    /// Makes it empty, and keeps the memory unless it is large.
    mutating func reset() {
        tasks.reset()
        links.reset()
        branches.reset()
        words.reset()
        kept.removeAll(keepingCapacity: true)
        nodes.removeAll(keepingCapacity: true)
        digests.removeAll(keepingCapacity: digests.capacity < 1 << 16)
        table.reset()
        members.removeAll(keepingCapacity: members.capacity < 1 << 16)
    }
}

/// Values of open JSON values, the innermost last. Cutting the last ones off costs nothing, unlike in an
/// array.
struct ScratchStack<Element: BitwiseCopyable & Sendable>: Sendable {
    private var storage: ContiguousArray<Element> = []
    private(set) var count = 0

    @inline(__always)
    subscript(index: Int) -> Element {
        get { storage[index] }
        _modify { yield &storage[index] }
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count < storage.count { storage[count] = element } else { storage.append(element) }
        count &+= 1
    }

    mutating func append(_ element: Element, times: Int) {
        for _ in 0..<times { append(element) }
    }

    /// Leaves the first elements.
    @inline(__always)
    mutating func cut(to count: Int) { self.count = count }

    /// Makes it empty, and keeps the memory unless it is large.
    mutating func reset() {
        count = 0
        if storage.count > 1 << 14 { storage = [] }
    }
}

/// The memory of checks that begin, of one schema. A check takes one and gives it back: each is moved,
/// because a copy would count references.
struct ScratchPool: Sendable {
    private var kept: [SchemaScratch] = []
    /// How many of `kept` are free: the first.
    private var free = 0

    private static let most = 16

    /// Exchanges an empty scratch for one with memory, if one is free.
    mutating func take(_ scratch: inout SchemaScratch) {
        guard free > 0 else { return }
        free -= 1
        swap(&kept[free], &scratch)
    }

    /// Keeps a scratch, and leaves an empty one.
    mutating func giveBack(_ scratch: inout SchemaScratch) {
        if free == kept.count {
            guard kept.count < Self.most else { return }
            kept.append(SchemaScratch())
        }
        swap(&kept[free], &scratch)
        free += 1
    }
}

/// A plan that checks share.
final class PlanStorage: Sendable {
    /// The tables that only some checks need. The others are in `tables`.
    let plan: SchemaPlan
    /// `nonisolated(unsafe)`: constant. Freed in `deinit`.
    nonisolated(unsafe) let tables: PlanTables.Buffers

    init(_ plan: consuming SchemaPlan) {
        tables = PlanTables.Buffers(moving: &plan)
        self.plan = plan
    }

    deinit { tables.deallocate() }
}

/// The tables of a plan, so that a table costs neither a reference count nor, in release builds, a check of
/// its bounds.
@dynamicMemberLookup
struct PlanTables {
    struct Buffers {
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

        /// Moves the tables out of a plan. All have elements that need no end.
        fileprivate init(moving plan: inout SchemaPlan) {
            func move<Element>(_ list: inout ContiguousArray<Element>) -> UnsafeBufferPointer<Element> {
                let buffer = UnsafeMutableBufferPointer<Element>.allocate(capacity: list.count)
                _ = buffer.initialize(from: list)
                list = []
                return UnsafeBufferPointer(buffer)
            }
            nodes = move(&plan.nodes)
            numbers = move(&plan.numbers)
            strings = move(&plan.strings)
            arrays = move(&plan.arrays)
            objects = move(&plan.objects)
            nodeList = move(&plan.nodeList)
            slots = move(&plan.slots)
            nameBytes = move(&plan.nameBytes)
            valueSets = move(&plan.valueSets)
            digests = move(&plan.digests)
            patternList = move(&plan.patternList)
        }

        fileprivate func deallocate() {
            nodes.deallocate()
            numbers.deallocate()
            strings.deallocate()
            arrays.deallocate()
            objects.deallocate()
            nodeList.deallocate()
            slots.deallocate()
            nameBytes.deallocate()
            valueSets.deallocate()
            digests.deallocate()
            patternList.deallocate()
        }
    }

    private let storage: PlanStorage
    private let buffers: Buffers
    /// The node of the whole value.
    let root: NodeID

    init(_ storage: PlanStorage, root: NodeID) {
        self.storage = storage
        self.root = root
        buffers = storage.tables
    }

    /// The tables that only composed nodes need.
    var plan: SchemaPlan {
        @inline(__always) _read { yield storage.plan }
    }

    @inline(__always)
    subscript<Table>(dynamicMember table: KeyPath<Buffers, Table>) -> Table { buffers[keyPath: table] }

    /// Returns the slot of a name; nil if the table does not have it.
    @inline(__always)
    func find(_ name: HashedName, in table: NameTable) -> UnsafePointer<NameTable.Slot>? {
        guard let base = self.slots.baseAddress, table.mask >= 0 else { return nil }
        let mask = Int(table.mask)
        var place = Int(truncatingIfNeeded: name.hash) & mask
        while true {
            let slot = base + (Int(table.start) &+ place)
            if slot.pointee.length < 0 { return nil }
            if slot.pointee.prefix == name.prefix, Int(slot.pointee.length) == name.range.count,
                name.range.count <= 8 || hasBytes(name, slot)
            {
                return slot
            }
            place = (place &+ 1) & mask
        }
    }

    private func hasBytes(_ name: HashedName, _ slot: UnsafePointer<NameTable.Slot>) -> Bool {
        if name.range.count <= 16 { return name.suffix == slot.pointee.suffix }
        let start = Int(slot.pointee.offset)
        return name.reader.equals(name.range, self.nameBytes[start..<start &+ Int(slot.pointee.length)])
    }
}
