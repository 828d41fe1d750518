import ASCIIText
@_spi(Reading) import JSONBytes

// Objects with several tasks. The words of a task: the bits of present names, and for each group the bits of
// the names that apply schemas of `dependentSchemas`.

extension SchemaRun {
    @inline(__always)
    private func objectRule(_ task: Int) -> SchemaPlan.ObjectRule? {
        let node = node(of: task)
        guard node.dispatch < 0, node.object >= 0 else { return nil }
        return tables.objects[Int(node.object)]
    }

    mutating func runObject(_ tasks: Range<Int>) {
        let start = cursor.index
        for task in tasks where !scratch.tasks[task].hasFailed {
            guard let rule = objectRule(task) else { continue }
            reserveWords(Int(rule.noted &+ 63) / 64 &+ groupWords(rule.groups), for: task)
        }
        var count = 0
        if cursor.enter() {
            repeat {
                let (range, isEscaped) = cursor.name()
                count &+= 1
                work &-= 1
                if isEscaped {
                    let name = decode(range)
                    name.withUnsafeBytes { bytes in
                        Self.reading(bytes) { runMember(HashedName($0, 0..<$0.count), range, tasks) }
                    }
                    scratch.decoded = name
                } else {
                    runMember(HashedName(cursor.reader, range), range, tasks)
                }
                if isStopped { return }
            } while cursor.next()
        }
        cursor.index &+= 1
        for task in tasks where !scratch.tasks[task].hasFailed {
            guard let rule = objectRule(task) else { continue }
            if !hasNames(rule, task) || !hasRightCount(rule, count, from: start) {
                scratch.tasks[task].hasFailed = true
            }
        }
    }

    private func groupWords(_ groups: SchemaPlan.Span) -> Int {
        var words = 0
        for group in groups.range { words &+= Int(tables.plan.groups[group].presenceCount &+ 63) / 64 }
        return words
    }

    private func hasNames(_ rule: SchemaPlan.ObjectRule, _ task: Int) -> Bool {
        let words = Int(scratch.tasks[task].words)
        func has(_ span: SchemaPlan.Span) -> Bool {
            for offset in 0..<Int(span.count) {
                let mask = tables.plan.masks[Int(span.start) &+ offset]
                guard scratch.words[words &+ offset] & mask == mask else { return false }
            }
            return true
        }
        guard has(rule.required) else { return false }
        for dependency in tables.plan.dependencies[rule.dependencies.range] {
            let word = scratch.words[words &+ Int(dependency.name) / 64]
            if word >> UInt64(dependency.name % 64) & 1 == 1, !has(dependency.needs) { return false }
        }
        return true
    }

    /// Runs what all tasks ask of one member. The cursor is at its value.
    private mutating func runMember(_ name: HashedName, _ range: Range<Int>, _ tasks: Range<Int>) {
        for task in tasks where !scratch.tasks[task].hasFailed {
            guard let rule = objectRule(task), rule.names != SchemaPlan.anything else { continue }
            if !hasRightName(rule.names, range) { scratch.tasks[task].hasFailed = true }
            if isStopped { return }
        }
        let part = scratch.tasks.count
        let links = scratch.links.count
        beginRound()
        for task in tasks where !scratch.tasks[task].hasFailed {
            guard let rule = objectRule(task) else { continue }
            addNodes(of: rule, name, task, part)
            if !rule.groups.isEmpty { askGroups(rule, name, task, part) }
            if isStopped { return }
        }
        runPart(part..<scratch.tasks.count, links: links)
        if isStopped { return }
        for index in links..<scratch.links.count where scratch.links[index].kind == .unevaluated {
            let link = scratch.links[index]
            if hasFailed(link, part) { keepMember(name, link) }
        }
        scratch.tasks.cut(to: part)
        scratch.links.cut(to: links)
    }

    /// Adds the nodes that hold for a member, as one task asks.
    private mutating func addNodes(
        of rule: SchemaPlan.ObjectRule, _ name: HashedName, _ task: Int, _ part: Int
    ) {
        if let slot = tables.find(name, in: rule.table) {
            let number = slot.pointee.number
            if number >= 0 { setBit(number, at: scratch.tasks[task].words) }
            addLink(slot.pointee.node, task, part)
            return
        }
        guard !rule.parts.isEmpty else { return addLink(rule.rest, task, part) }
        let base = scratch.nodes.count
        collectNodes(rule, name.bytes)
        for index in base..<scratch.nodes.count { addLink(scratch.nodes[index], task, part) }
        if scratch.nodes.count > base { scratch.nodes.removeSubrange(base...) }
    }

    private mutating func setBit(_ number: Int32, at words: Int32) {
        scratch.words[Int(words &+ number / 64)] |= 1 << UInt64(number % 64)
    }

    /// Lets a task of an object or an array depend on a node of a part of it.
    mutating func addLink(
        _ node: NodeID, _ task: Int, _ part: Int, _ kind: SchemaScratch.Link.Kind = .must, position: Int = 0
    ) {
        let child: Int32
        switch node {
        case SchemaPlan.anything where kind == .must: return
        case SchemaPlan.nothing where kind == .must:
            scratch.tasks[task].hasFailed = true
            return
        default: child = addTask(node, from: part)
        }
        scratch.links.append(
            SchemaScratch.Link(
                parent: Int32(truncatingIfNeeded: task), child: child, kind: kind,
                position: Int32(truncatingIfNeeded: position)))
    }

    // MARK: - unevaluatedProperties

    private mutating func askGroups(
        _ rule: SchemaPlan.ObjectRule, _ name: HashedName, _ task: Int, _ part: Int
    ) {
        var words = scratch.tasks[task].words &+ (rule.noted &+ 63) / 64
        for (position, index) in rule.groups.range.enumerated() {
            let group = tables.plan.groups[index]
            if let slot = tables.find(name, in: group.presence) { setBit(slot.pointee.number, at: words) }
            words &+= (group.presenceCount &+ 63) / 64
            guard group.node != SchemaPlan.anything, !covers(Int(group.cover), name) else { continue }
            addLink(group.node, task, part, .unevaluated, position: position)
        }
    }

    private mutating func covers(_ index: Int, _ name: HashedName) -> Bool {
        work &-= 1
        let cover = tables.plan.covers[index]
        if cover.coversAll || tables.find(name, in: cover.table) != nil { return true }
        for pattern in tables.patternList[cover.patterns.range] where matches(Int(pattern), name.bytes) {
            return true
        }
        return false
    }

    /// Notes that a member fails unless one of the entries that cover it succeeds.
    private mutating func keepMember(_ name: HashedName, _ link: SchemaScratch.Link) {
        let task = Int(link.parent)
        guard !scratch.tasks[task].hasFailed, let rule = objectRule(task) else { return }
        let group = tables.plan.groups[Int(rule.groups.start &+ link.position)]
        keep(group, link) { run, entry in run.covers(Int(entry.cover), name) }
    }

    /// Keeps the set of entries for which `covers` is true, or fails the task without such an entry.
    ///
    /// A set is kept as its owner and its group, the number of its words, and its bits. Equal sets are kept
    /// once.
    mutating func keep(
        _ group: SchemaPlan.Group, _ link: SchemaScratch.Link,
        _ covers: (inout SchemaRun, SchemaPlan.GroupEntry) -> Bool
    ) {
        let count = Int(group.entries.count)
        let start = scratch.kept.count
        scratch.kept.append(
            UInt64(truncatingIfNeeded: link.parent) << 32 | UInt64(truncatingIfNeeded: link.position))
        scratch.kept.append(UInt64(truncatingIfNeeded: (count &+ 63) / 64))
        scratch.kept.append(contentsOf: repeatElement(0, count: (count &+ 63) / 64))
        var isCovered = false
        for position in 0..<count {
            let entry = tables.plan.entries[Int(group.entries.start) &+ position]
            work &-= 1
            guard work >= 0, covers(&self, entry) else { continue }
            isCovered = true
            scratch.kept[start &+ 2 &+ position / 64] |= 1 << UInt64(position % 64)
        }
        if !isCovered {
            scratch.kept.removeSubrange(start...)
            scratch.tasks[Int(link.parent)].hasFailed = true
        } else if isRepeated(start) {
            scratch.kept.removeSubrange(start...)
        }
    }

    /// Whether the last set equals the one before it, as for the elements of most arrays.
    private func isRepeated(_ start: Int) -> Bool {
        let length = scratch.kept.count &- start
        guard start &- firstKept >= length else { return false }
        return scratch.kept[(start &- length)..<start].elementsEqual(scratch.kept[start...])
    }

    /// Whether each kept set of a task has an entry that succeeded.
    mutating func areEvaluated(_ task: Int, _ tasks: Range<Int>) -> Bool {
        let node = node(of: task)
        guard node.dispatch < 0 else { return true }
        let first = cursor.reader[cursor.index &- 1]
        let groups: SchemaPlan.Span
        var words = scratch.tasks[task].words
        if first == Byte.closeBrace, node.object >= 0 {
            let rule = tables.objects[Int(node.object)]
            groups = rule.groups
            words &+= (rule.noted &+ 63) / 64
        } else if first == Byte.closeBracket, node.array >= 0 {
            let rule = tables.arrays[Int(node.array)]
            groups = rule.groups
            words &+= rule.contains.count
        } else {
            return true
        }
        guard !groups.isEmpty else { return true }
        var set = firstKept
        while set < scratch.kept.count {
            work &-= 1
            let owner = scratch.kept[set]
            let count = Int(scratch.kept[set &+ 1])
            let bits = set &+ 2
            set = bits &+ count
            guard owner >> 32 == UInt64(task) else { continue }
            let position = Int32(truncatingIfNeeded: owner & 0xFFFF_FFFF)
            var presence = words
            for group in 0..<position {
                presence &+= (tables.plan.groups[Int(groups.start &+ group)].presenceCount &+ 63) / 64
            }
            let group = tables.plan.groups[Int(groups.start &+ position)]
            guard hasSuccess(group, bits, presence, tasks) else { return false }
        }
        return true
    }

    private mutating func hasSuccess(
        _ group: SchemaPlan.Group, _ bits: Int, _ presence: Int32, _ tasks: Range<Int>
    ) -> Bool {
        for position in 0..<Int(group.entries.count)
        where scratch.kept[bits &+ position / 64] >> UInt64(position % 64) & 1 == 1 {
            if succeeds(position, group, presence, tasks) { return true }
        }
        return false
    }

    /// Whether an entry and all entries around it have succeeded.
    private mutating func succeeds(
        _ position: Int, _ group: SchemaPlan.Group, _ presence: Int32, _ tasks: Range<Int>
    ) -> Bool {
        var position = Int32(truncatingIfNeeded: position)
        while position >= 0 {
            let entry = tables.plan.entries[Int(group.entries.start &+ position)]
            guard verdict(of: entry.node, tasks) else { return false }
            if entry.refuted >= 0, verdict(of: entry.refuted, tasks) { return false }
            if entry.presence >= 0 {
                let word = scratch.words[Int(presence &+ entry.presence / 64)]
                guard word >> UInt64(entry.presence % 64) & 1 == 1 else { return false }
            }
            position = entry.parent
        }
        return true
    }

    private mutating func verdict(of node: NodeID, _ tasks: Range<Int>) -> Bool {
        if node <= SchemaPlan.nothing { return node == SchemaPlan.anything }
        guard let task = tasks.first(where: { scratch.tasks[$0].node == node }) else { return false }
        work &-= tasks.count &>> 3
        return fold(task, tasks)
    }
}
