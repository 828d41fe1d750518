import ASCIIText
@_spi(Reading) import JSONBytes

/// One pass over a valid value that finds out whether the value follows a schema.
///
/// A node that holds in any case needs no memory: `holds(_:)` moves over its value and stops at the first
/// fault. Where schemas are tried, `SchemaRun+Composed` runs all of them side by side.
struct SchemaRun {
    enum Verdict: Equatable {
        case accepted, refused
        /// The check would take more work than its bound.
        case tooMuchWork
        /// A pattern would take more work than its bound.
        case patternTooCostly
    }

    let tables: PlanTables
    var cursor: ValidCursor
    var scratch: SchemaScratch
    /// What is left of the work.
    var work: Int
    var patternBudget: PatternBudget
    /// Where `scratch.kept` has the first set of the current value.
    var firstKept = 0
    /// Whether a pattern was not matched to the end.
    var hasCostlyPattern = false

    init(_ tables: PlanTables, _ reader: ByteReader) {
        self.tables = tables
        cursor = ValidCursor(reader)
        scratch = SchemaScratch()
        work = tables.plan.limits.work(for: reader.count)
        patternBudget = PatternBudget(tables.plan.limits.patternTime)
    }

    /// Whether a bound has stopped the run.
    @inline(__always) var isStopped: Bool { work < 0 || hasCostlyPattern }

    /// Checks the whole value.
    mutating func verdict() -> Verdict {
        scratch.reserveGuesses(tables.slots.count &+ tables.objects.count)
        let root = tables.root
        let isAccepted = root == SchemaPlan.anything || root != SchemaPlan.nothing && holds(root)
        if hasCostlyPattern { return .patternTooCostly }
        if work < 0 { return .tooMuchWork }
        return isAccepted ? .accepted : .refused
    }

    /// Moves past the value at the cursor if it follows a node. Else the cursor is somewhere in the value.
    mutating func holds(_ id: NodeID) -> Bool {
        work &-= 1
        guard work >= 0, let nodes = tables.nodes.baseAddress else { return false }
        let node = nodes + Int(id)
        let first = cursor.reader[cursor.index]
        guard node.pointee.isPlain else { return holdsOther(id, node, first) }
        return holdsPlain(node, first)
    }

    /// Moves past the value at the cursor if its type, and the rule for its type, are as a node says.
    @inline(__always)
    private mutating func holdsPlain(_ node: UnsafePointer<SchemaPlan.Node>, _ first: UInt8) -> Bool {
        let types = node.pointee.types
        switch first {
        case Byte.quote:
            guard types.contains(.string) else { return false }
            return string(node.pointee.string)
        case Byte.openBrace:
            guard types.contains(.object) else { return false }
            guard node.pointee.object >= 0, let rules = tables.objects.baseAddress else {
                cursor.skipValue()
                return true
            }
            return object(rules + Int(node.pointee.object))
        case Byte.openBracket:
            guard types.contains(.array) else { return false }
            guard node.pointee.array >= 0, let rules = tables.arrays.baseAddress else {
                cursor.skipValue()
                return true
            }
            return array(rules + Int(node.pointee.array))
        case Byte.t, Byte.f:
            guard types.contains(.bool) else { return false }
            cursor.index &+= first == Byte.t ? 4 : 5
            return true
        case Byte.n:
            guard types.contains(.null) else { return false }
            cursor.index &+= 4
            return true
        default: return number(node)
        }
    }

    @inline(never)
    private mutating func holdsOther(
        _ id: NodeID, _ node: UnsafePointer<SchemaPlan.Node>, _ first: UInt8
    ) -> Bool {
        if node.pointee.dispatch >= 0 {
            let next = tables.nodeList[Int(node.pointee.dispatch) &+ TypeSet(firstByte: first).position]
            return next != SchemaPlan.nothing && holds(next)
        }
        if node.pointee.isComposed { return holdsComposed(id) }
        // The other nodes that are not plain allow only some values.
        guard !node.pointee.types.isDisjoint(with: TypeSet(firstByte: first)), hasValue(node.pointee) else {
            return false
        }
        return holdsPlain(node, first)
    }

    /// Moves past a member or an element, whatever holds for it.
    @inline(__always)
    private mutating func holdsInside(_ id: NodeID) -> Bool {
        if id > SchemaPlan.nothing { return holds(id) }
        guard id == SchemaPlan.anything else { return false }
        cursor.skipValue()
        return true
    }

    // MARK: - Objects

    private mutating func object(_ rule: UnsafePointer<SchemaPlan.ObjectRule>) -> Bool {
        let start = cursor.index
        var seen: UInt64 = 0
        var count = 0
        if cursor.enter() {
            // Where `successors` has the slot of the next name, if the last object of this kind had the same.
            var guess = Int(rule.pointee.firstGuess)
            repeat {
                count &+= 1
                work &-= 1
                if let slot = expectedName(&guess) {
                    seen |= slot.pointee.bit
                    guard holdsInside(slot.pointee.node) else { return false }
                } else {
                    let (range, isEscaped) = cursor.name()
                    guard member(rule, range, isEscaped, &seen, &guess) else { return false }
                }
            } while nextPart()
        }
        cursor.index &+= 1
        guard seen & rule.pointee.requiredBits == rule.pointee.requiredBits else { return false }
        if !rule.pointee.dependencies.isEmpty {
            for dependency in tables.plan.dependencies[rule.pointee.dependencies.range]
            where seen &>> UInt64(dependency.name) & 1 == 1
                && seen & dependency.needBits != dependency.needBits
            {
                return false
            }
        }
        // The usual case: any number of members.
        if rule.pointee.least == 0, rule.pointee.most == .max { return true }
        return hasRightCount(rule.pointee, count, from: start)
    }

    /// Moves to the next member or element. Returns false after the last.
    @inline(__always)
    private mutating func nextPart() -> Bool {
        var index = cursor.index
        if cursor.reader[index] != Byte.comma {
            cursor.skipWhiteSpace()
            index = cursor.index
            guard cursor.reader[index] == Byte.comma else { return false }
        }
        cursor.index = indexOfValue(from: index &+ 1)
        return true
    }

    /// The index of the next byte that is not white space. Most often no byte or one space comes before it.
    @inline(__always)
    private func indexOfValue(from index: Int) -> Int {
        if cursor.reader[index] > 0x20 { return index }
        if cursor.reader[index &+ 1] > 0x20 { return index &+ 1 }
        var cursor = cursor
        cursor.index = index
        cursor.skipWhiteSpace()
        return cursor.index
    }

    /// Moves past the name at the cursor to its value if it is the name that came next in the last object.
    /// Returns its slot.
    @inline(__always)
    private mutating func expectedName(_ guess: inout Int) -> UnsafePointer<NameTable.Slot>? {
        let place = scratch.expected(guess)
        guard place >= 0, let slots = tables.slots.baseAddress else { return nil }
        let slot = slots + place
        let start = cursor.index &+ 1
        let end = start &+ Int(slot.pointee.length)
        let reader = cursor.reader
        guard let word = reader.word(at: start), word & slot.pointee.prefixMask == slot.pointee.prefix,
            reader[end] == Byte.quote, reader[end &+ 1] == Byte.colon
        else { return nil }
        if slot.pointee.length > 8 {
            guard reader.word(at: end &- 8) == slot.pointee.suffix else { return nil }
        }
        guess = place
        cursor.index = indexOfValue(from: end &+ 2)
        return slot
    }

    @inline(never)
    private mutating func member(
        _ rule: UnsafePointer<SchemaPlan.ObjectRule>, _ range: Range<Int>, _ isEscaped: Bool,
        _ seen: inout UInt64, _ guess: inout Int
    ) -> Bool {
        if rule.pointee.names != SchemaPlan.anything, !hasRightName(rule.pointee.names, range) {
            return false
        }
        if isEscaped { return escapedMember(rule, range, &seen) }
        guard let slot = tables.find(HashedName(cursor.reader, range), in: rule.pointee.table) else {
            return rule.pointee.parts.isEmpty
                ? holdsInside(rule.pointee.rest) : otherMember(rule.pointee, cursor.reader.rawBytes(range))
        }
        if guess >= 0, let slots = tables.slots.baseAddress {
            scratch.expect(slot.pointee.canBeGuessed ? slot - slots : -1, at: guess)
            guess = slot - slots
        }
        seen |= slot.pointee.bit
        return holdsInside(slot.pointee.node)
    }

    @inline(never)
    private mutating func escapedMember(
        _ rule: UnsafePointer<SchemaPlan.ObjectRule>, _ range: Range<Int>, _ seen: inout UInt64
    ) -> Bool {
        let name = decode(range)
        defer { scratch.decoded = name }
        return name.withUnsafeBytes { bytes in
            let slot = Self.reading(bytes) {
                tables.find(HashedName($0, 0..<$0.count), in: rule.pointee.table)
            }
            guard let slot else {
                return rule.pointee.parts.isEmpty
                    ? holdsInside(rule.pointee.rest) : otherMember(rule.pointee, bytes)
            }
            seen |= slot.pointee.bit
            return holdsInside(slot.pointee.node)
        }
    }

    /// Calls `body` with a reader of bytes, which may have no address.
    static func reading<Result>(_ bytes: UnsafeRawBufferPointer, _ body: (ByteReader) -> Result) -> Result {
        withUnsafePointer(to: UInt8(0)) { spare in
            body(ByteReader(base: bytes.baseAddress ?? UnsafeRawPointer(spare), count: bytes.count))
        }
    }

    /// Takes the memory for decoded text. The caller gives it back.
    mutating func decode(_ range: Range<Int>) -> [UInt8] {
        var decoded: [UInt8] = []
        swap(&decoded, &scratch.decoded)
        decoded.removeAll(keepingCapacity: true)
        EscapedText.append(range, of: cursor.reader, to: &decoded)
        return decoded
    }

    /// Checks a name as a string value. Leaves the cursor where it is.
    mutating func hasRightName(_ node: NodeID, _ range: Range<Int>) -> Bool {
        guard node != SchemaPlan.nothing else { return false }
        let index = cursor.index
        defer { cursor.index = index }
        cursor.index = range.lowerBound &- 1
        return holds(node)
    }

    /// Checks a member whose name only patterns may know.
    private mutating func otherMember(_ rule: SchemaPlan.ObjectRule, _ name: UnsafeRawBufferPointer) -> Bool {
        let base = scratch.nodes.count
        defer { if scratch.nodes.count > base { scratch.nodes.removeSubrange(base...) } }
        collectNodes(rule, name)
        if isStopped { return false }
        switch scratch.nodes.count &- base {
        case 0: return holdsInside(SchemaPlan.anything)
        case 1: return holdsInside(scratch.nodes[base])
        default: return holdsTogether(from: base)
        }
    }

    /// Appends the nodes of a member whose name the rule does not know: at most once each, and only the
    /// refusing node if it is among them.
    mutating func collectNodes(_ rule: SchemaPlan.ObjectRule, _ name: UnsafeRawBufferPointer) {
        let base = scratch.nodes.count
        appendNode(rule.rest, from: base)
        for part in tables.plan.parts[rule.parts.range] {
            var isNamed = false
            for entry in tables.plan.partPatterns[part.patterns.range] where matches(Int(entry.pattern), name)
            {
                isNamed = true
                appendNode(entry.node, from: base)
            }
            if !isNamed { appendNode(part.rest, from: base) }
        }
    }

    private mutating func appendNode(_ node: NodeID, from base: Int) {
        guard node != SchemaPlan.anything, !scratch.nodes[base...].contains(node) else { return }
        if node == SchemaPlan.nothing { scratch.nodes.removeSubrange(base...) }
        if scratch.nodes.count > base, scratch.nodes[base] == SchemaPlan.nothing { return }
        scratch.nodes.append(node)
    }

    mutating func matches(_ pattern: Int, _ text: UnsafeRawBufferPointer) -> Bool {
        work &-= 1 &+ text.count &>> 6
        switch tables.plan.patterns[pattern].match(text, &scratch.patterns, &patternBudget) {
        case .matches: return true
        case .differs: return false
        case .exceedsLimits:
            hasCostlyPattern = true
            return false
        }
    }

    /// Whether an object has the right number of members. A name that is given twice counts once.
    mutating func hasRightCount(_ rule: SchemaPlan.ObjectRule, _ count: Int, from start: Int) -> Bool {
        if count < rule.least { return false }
        if rule.least <= 1, count <= rule.most { return true }
        let distinct = distinctNames(from: start)
        return distinct >= rule.least && distinct <= rule.most
    }

    private mutating func distinctNames(from start: Int) -> Int {
        let base = scratch.digests.count
        defer { scratch.digests.removeSubrange(base...) }
        var digester = takeDigester(at: start)
        if digester.cursor.enter() {
            repeat {
                let (range, isEscaped) = digester.cursor.name()
                digester.work &-= 1
                scratch.digests.append(digester.text(range, isEscaped))
                digester.cursor.skipValue()
            } while digester.cursor.next()
        }
        giveBack(&digester)
        return distinct(from: base, stopsAtEqual: false)
    }

    private mutating func distinct(from base: Int, stopsAtEqual: Bool) -> Int {
        scratch.digests.withUnsafeBufferPointer { digests in
            scratch.table.distinct(
                UnsafeBufferPointer(rebasing: digests[base...]), stopsAtEqual: stopsAtEqual)
        }
    }

    // MARK: - Arrays

    private mutating func array(_ rule: UnsafePointer<SchemaPlan.ArrayRule>) -> Bool {
        let start = cursor.index
        var count = 0
        if cursor.enter() {
            let first = Int(rule.pointee.first.count)
            repeat {
                let node =
                    count < first
                    ? tables.nodeList[Int(rule.pointee.first.start) &+ count] : rule.pointee.rest
                guard holdsInside(node) else { return false }
                count &+= 1
            } while nextPart()
        }
        cursor.index &+= 1
        guard count >= rule.pointee.least, count <= rule.pointee.most else { return false }
        return !rule.pointee.isUnique || count < 2 || isUnique(from: start)
    }

    /// Whether all elements of an array differ.
    mutating func isUnique(from start: Int) -> Bool {
        let base = scratch.digests.count
        defer { scratch.digests.removeSubrange(base...) }
        var digester = takeDigester(at: start)
        if digester.cursor.enter() {
            repeat { scratch.digests.append(digester.digest()) } while digester.cursor.next()
        }
        giveBack(&digester)
        let count = scratch.digests.count &- base
        work &-= count
        return distinct(from: base, stopsAtEqual: true) == count
    }
}
