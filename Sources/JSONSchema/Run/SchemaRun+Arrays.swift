import ASCIIText
@_spi(Reading) import JSONBytes

// Arrays with several tasks. The words of a task: for each rule of `contains` the number of elements that
// follow it, and for each group the names that apply schemas of `dependentSchemas`.

extension SchemaRun {
    @inline(__always)
    private func arrayRule(_ task: Int) -> SchemaPlan.ArrayRule? {
        let node = node(of: task)
        guard node.dispatch < 0, node.array >= 0 else { return nil }
        return tables.arrays[Int(node.array)]
    }

    mutating func runArray(_ tasks: Range<Int>) {
        let start = cursor.index
        for task in tasks where !scratch.tasks[task].hasFailed {
            guard let rule = arrayRule(task) else { continue }
            var presence = 0
            for group in rule.groups.range {
                presence &+= Int(tables.plan.groups[group].presenceCount &+ 63) / 64
            }
            // No array has a name, so that the words of groups stay 0.
            reserveWords(Int(rule.contains.count) &+ presence, for: task)
        }
        var count = 0
        if cursor.enter() {
            repeat {
                runElement(count, tasks)
                if isStopped { return }
                count &+= 1
            } while cursor.next()
        }
        cursor.index &+= 1
        var isUnique: Bool?
        for task in tasks where !scratch.tasks[task].hasFailed {
            guard let rule = arrayRule(task) else { continue }
            if rule.isUnique, count > 1 { isUnique = isUnique ?? self.isUnique(from: start) }
            if count < rule.least || count > rule.most || rule.isUnique && isUnique == false
                || !containsEnough(rule, task)
            {
                scratch.tasks[task].hasFailed = true
            }
        }
    }

    private func containsEnough(_ rule: SchemaPlan.ArrayRule, _ task: Int) -> Bool {
        for (position, index) in rule.contains.range.enumerated() {
            let contains = tables.plan.contains[index]
            let count = Int(scratch.words[Int(scratch.tasks[task].words) &+ position])
            guard count >= contains.least, count <= contains.most else { return false }
        }
        return true
    }

    private mutating func runElement(_ index: Int, _ tasks: Range<Int>) {
        let part = scratch.tasks.count
        let links = scratch.links.count
        beginRound()
        for task in tasks where !scratch.tasks[task].hasFailed {
            guard let rule = arrayRule(task) else { continue }
            scratch.tasks[task].contained = 0
            let node =
                index < Int(rule.first.count)
                ? tables.nodeList[Int(rule.first.start) &+ index] : rule.rest
            addLink(node, task, part)
            for (position, contains) in rule.contains.range.enumerated() {
                let node = tables.plan.contains[contains].node
                if node == SchemaPlan.anything {
                    countContained(position, task)
                } else if node != SchemaPlan.nothing {
                    addLink(node, task, part, .contains, position: position)
                }
            }
            if !rule.groups.isEmpty { askGroups(rule, index, task, part) }
        }
        runPart(part..<scratch.tasks.count, links: links)
        if isStopped { return }
        for position in links..<scratch.links.count where scratch.links[position].kind == .unevaluated {
            let link = scratch.links[position]
            if hasFailed(link, part) { keepElement(index, link, tasks) }
        }
        scratch.tasks.cut(to: part)
        scratch.links.cut(to: links)
    }

    private mutating func countContained(_ position: Int, _ task: Int) {
        if position < 64 { scratch.tasks[task].contained |= 1 << UInt64(position) }
        scratch.words[Int(scratch.tasks[task].words) &+ position] &+= 1
    }

    // MARK: - unevaluatedItems

    private mutating func askGroups(
        _ rule: SchemaPlan.ArrayRule, _ index: Int, _ task: Int, _ part: Int
    ) {
        for (position, place) in rule.groups.range.enumerated() {
            let group = tables.plan.groups[place]
            let cover = tables.plan.covers[Int(group.cover)]
            guard group.node != SchemaPlan.anything, !cover.coversAllItems, index >= cover.items else {
                continue
            }
            addLink(group.node, task, part, .unevaluated, position: position)
        }
    }

    private mutating func keepElement(_ index: Int, _ link: SchemaScratch.Link, _ tasks: Range<Int>) {
        let task = Int(link.parent)
        guard !scratch.tasks[task].hasFailed, let rule = arrayRule(task) else { return }
        let group = tables.plan.groups[Int(rule.groups.start &+ link.position)]
        guard scratch.tasks[task].contained & group.contains == 0 else { return }
        keep(group, link) { run, entry in
            let cover = run.tables.plan.covers[Int(entry.cover)]
            return cover.coversAllItems || index < cover.items || run.hasContained(entry.node, tasks)
        }
    }

    /// Whether the last element follows a `contains` of a node that runs at the array.
    private func hasContained(_ node: NodeID, _ tasks: Range<Int>) -> Bool {
        tasks.contains { scratch.tasks[$0].node == node && scratch.tasks[$0].contained != 0 }
    }
}
