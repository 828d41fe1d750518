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
    /// Whether a pattern was not matched to the end.
    var hasCostlyPattern = false

    init(_ tables: PlanTables, _ reader: ByteReader, _ scratch: consuming SchemaScratch) {
        self.tables = tables
        cursor = ValidCursor(reader)
        self.scratch = scratch
        work = tables.plan.limits.work(for: reader.count)
        patternBudget = PatternBudget(tables.plan.limits.patternTime)
    }

    /// Whether a bound has stopped the run.
    @inline(__always) var isStopped: Bool { work < 0 || hasCostlyPattern }

    /// Checks the whole value.
    mutating func verdict() -> Verdict {
        let root = tables.plan.root
        let isAccepted = root == SchemaPlan.anything || root != SchemaPlan.nothing && holds(root)
        if hasCostlyPattern { return .patternTooCostly }
        if work < 0 { return .tooMuchWork }
        return isAccepted ? .accepted : .refused
    }

    /// Moves past the value at the cursor if it follows a node. Else the cursor is somewhere in the value.
    mutating func holds(_ id: NodeID) -> Bool {
        work &-= 1
        guard work >= 0 else { return false }
        let first = cursor.reader[cursor.index]
        guard let nodes = tables.nodes.baseAddress else { return false }
        let place = nodes + Int(id)
        if place.pointee.dispatch >= 0 { return holdsByType(place.pointee, first) }
        if place.pointee.isComposed { return holdsComposed(id) }
        let types = place.pointee.types
        let hasValues = !place.pointee.values.isEmpty
        switch first {
        case Byte.quote:
            guard types.contains(.string) else { return false }
            guard place.pointee.string >= 0 || hasValues else {
                cursor.skipString()
                return true
            }
            return string(place.pointee)
        case Byte.openBrace:
            guard types.contains(.object), !hasValues || hasValue(place.pointee) else { return false }
            guard place.pointee.object >= 0 else {
                cursor.skipValue()
                return true
            }
            guard let rules = tables.objects.baseAddress else { return false }
            return object(rules + Int(place.pointee.object))
        case Byte.openBracket:
            guard types.contains(.array), !hasValues || hasValue(place.pointee) else { return false }
            guard place.pointee.array >= 0 else {
                cursor.skipValue()
                return true
            }
            return array(tables.arrays[Int(place.pointee.array)])
        case Byte.t, Byte.f:
            guard types.contains(.bool), !hasValues || hasValue(place.pointee) else { return false }
            cursor.index &+= first == Byte.t ? 4 : 5
            return true
        case Byte.n:
            guard types.contains(.null), !hasValues || hasValue(place.pointee) else { return false }
            cursor.index &+= 4
            return true
        default:
            return number(place.pointee)
        }
    }

    private mutating func holdsByType(_ node: SchemaPlan.Node, _ first: UInt8) -> Bool {
        let next = tables.nodeList[Int(node.dispatch) &+ TypeSet(firstByte: first).position]
        if next == SchemaPlan.nothing { return false }
        return holds(next)
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
            repeat {
                let (range, isEscaped) = cursor.name()
                count &+= 1
                work &-= 1
                guard member(rule, range, isEscaped, &seen) else { return false }
            } while cursor.next()
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

    @inline(__always)
    private mutating func member(
        _ rule: UnsafePointer<SchemaPlan.ObjectRule>, _ range: Range<Int>, _ isEscaped: Bool,
        _ seen: inout UInt64
    ) -> Bool {
        if rule.pointee.names != SchemaPlan.anything, !hasRightName(rule.pointee.names, range) {
            return false
        }
        if isEscaped { return escapedMember(rule, range, &seen) }
        guard !rule.pointee.table.isEmpty else {
            return rule.pointee.parts.isEmpty
                ? holdsInside(rule.pointee.rest) : otherMember(rule.pointee, cursor.reader.rawBytes(range))
        }
        guard let slot = tables.find(HashedName(cursor.reader, range), in: rule.pointee.table) else {
            return rule.pointee.parts.isEmpty
                ? holdsInside(rule.pointee.rest) : otherMember(rule.pointee, cursor.reader.rawBytes(range))
        }
        let number = slot.pointee.number
        if number >= 0 { seen |= 1 &<< UInt64(truncatingIfNeeded: number) }
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
            let number = slot.pointee.number
            if number >= 0 { seen |= 1 &<< UInt64(truncatingIfNeeded: number) }
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
        defer { scratch.nodes.removeSubrange(base...) }
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
        switch tables.plan.patterns[pattern].match(text, scratch.patterns, &patternBudget) {
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
        return Self.distinct(&scratch.digests, from: base)
    }

    /// The number of different digests. Sorts them.
    private static func distinct(_ digests: inout ContiguousArray<ValueDigest>, from base: Int) -> Int {
        digests.withUnsafeMutableBufferPointer { digests in
            let own = UnsafeMutableBufferPointer(rebasing: digests[base...])
            DigestOrder.sort(own, by: <)
            var distinct = min(own.count, 1)
            for index in own.indices.dropFirst() where own[index] != own[index - 1] { distinct += 1 }
            return distinct
        }
    }

    // MARK: - Arrays

    private mutating func array(_ rule: SchemaPlan.ArrayRule) -> Bool {
        let start = cursor.index
        var count = 0
        if cursor.enter() {
            repeat {
                let node =
                    count < Int(rule.first.count)
                    ? tables.nodeList[Int(rule.first.start) &+ count] : rule.rest
                guard holdsInside(node) else { return false }
                count &+= 1
            } while cursor.next()
        }
        cursor.index &+= 1
        guard count >= rule.least, count <= rule.most else { return false }
        return !rule.isUnique || count < 2 || isUnique(from: start)
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
        return Self.distinct(&scratch.digests, from: base) == count
    }

    // MARK: - Digests

    private mutating func takeDigester(at index: Int) -> DigestReader {
        var digester = DigestReader(
            cursor: ValidCursor(cursor.reader, at: index), work: work, members: [], decoded: [])
        swap(&digester.members, &scratch.members)
        swap(&digester.decoded, &scratch.otherDecoded)
        return digester
    }

    private mutating func giveBack(_ digester: inout DigestReader) {
        work = digester.work
        swap(&digester.members, &scratch.members)
        swap(&digester.decoded, &scratch.otherDecoded)
    }

    /// The digest of the value at the cursor, which stays there.
    mutating func digest() -> ValueDigest {
        var digester = takeDigester(at: cursor.index)
        let digest = digester.digest()
        giveBack(&digester)
        return digest
    }

    /// Whether the value at the cursor is in all lists of values of a node.
    mutating func hasValue(_ node: SchemaPlan.Node) -> Bool { isAllowed(digest(), by: node) }

    func isAllowed(_ digest: ValueDigest, by node: SchemaPlan.Node) -> Bool {
        for span in tables.valueSets[node.values.range] {
            var (low, high) = (Int(span.start), Int(span.start &+ span.count))
            while low < high {
                let middle = (low &+ high) / 2
                if tables.digests[middle] < digest { low = middle &+ 1 } else { high = middle }
            }
            guard low < Int(span.start &+ span.count), tables.digests[low] == digest else { return false }
        }
        return true
    }
}
