extension SchemaCompiler {
    /// What one schema says about elements by their positions.
    private struct ElementPart {
        /// Nil for elements that are free.
        var first: [FactsID?]
        var rest: FactsID?
    }

    mutating func arrayRule(_ schemas: [FactsID], _ parts: [SchemaFacts]) -> Int32 {
        var rule = SchemaPlan.ArrayRule()
        rule.least = parts.compactMap(\.minItems).max() ?? 0
        rule.most = parts.compactMap(\.maxItems).min() ?? .max
        rule.isUnique = parts.contains(where: \.uniqueItems)
        var elements: [ElementPart] = []
        var contains: [SchemaPlan.ContainsRule] = []
        var containsOf: [FactsID: Int] = [:]
        for (id, part) in zip(schemas, parts) {
            if !part.prefixItems.isEmpty || part.items != nil {
                elements.append(ElementPart(first: part.prefixItems, rest: part.items))
            }
            if let schema = part.contains {
                containsOf[id] = contains.count
                contains.append(
                    SchemaPlan.ContainsRule(
                        node: node([schema]), least: part.minContains ?? 1, most: part.maxContains ?? .max))
            }
        }
        var groups: [SchemaPlan.Group] = []
        for (id, part) in zip(schemas, parts) {
            guard let unevaluated = part.unevaluatedItems else { continue }
            addUnevaluated(unevaluated, of: id, to: &elements, &groups, containsOf)
        }
        let longest = elements.map(\.first.count).max() ?? 0
        let first = (0..<longest).map { position in
            node(elements.compactMap { position < $0.first.count ? $0.first[position] : $0.rest })
        }
        rule.first = withPlan { SchemaPlan.append(first, to: &$0.nodeList) }
        rule.rest = node(elements.compactMap(\.rest))
        rule.contains = withPlan { SchemaPlan.append(contains, to: &$0.contains) }
        rule.groups = withPlan { SchemaPlan.append(groups, to: &$0.groups) }
        let isEmpty =
            rule.least == 0 && rule.most == .max && !rule.isUnique && rule.rest == SchemaPlan.anything
            && first.allSatisfy { $0 == SchemaPlan.anything } && contains.isEmpty && groups.isEmpty
        return isEmpty ? -1 : add(rule)
    }

    private mutating func addUnevaluated(
        _ unevaluated: FactsID, of id: FactsID, to elements: inout [ElementPart],
        _ groups: inout [SchemaPlan.Group], _ containsOf: [FactsID: Int]
    ) {
        let evaluating = closure([id])
        let isMoot = evaluating.contains {
            schema($0).items != nil || $0 != id && schema($0).unevaluatedItems != nil
        }
        guard !isMoot else { return }
        let isTried = evaluating.contains {
            !schema($0).evaluatingBranches.isEmpty || schema($0).contains != nil
        }
        guard isTried else {
            let count = evaluating.map { schema($0).prefixItems.count }.max() ?? 0
            elements.append(ElementPart(first: Array(repeating: nil, count: count), rest: unevaluated))
            return
        }
        var group = makeGroup(unevaluated, of: id, evaluating)
        for other in evaluating {
            // Beyond 64 rules of one node none counts: a schema that nobody writes is held too strictly.
            if let index = containsOf[other], index < 64 { group.contains |= 1 << UInt64(index) }
        }
        groups.append(group)
    }
}

// MARK: - What schemas evaluate

extension SchemaCompiler {
    /// Makes the group of an `unevaluatedProperties` or `unevaluatedItems`. `evaluating` is what its schema
    /// implies.
    mutating func makeGroup(
        _ unevaluated: FactsID, of id: FactsID, _ evaluating: [FactsID]
    ) -> SchemaPlan.Group {
        let cover = makeCover(evaluating.map { id == $0 ? schema($0).withoutUnevaluated : schema($0) })
        let index = withPlan { plan in
            plan.covers.append(cover)
            return Int32(truncatingIfNeeded: plan.covers.count - 1)
        }
        var entries = GroupEntries()
        addEntries(of: evaluating, below: -1, to: &entries)
        let node = node([unevaluated])
        return withPlan { plan in
            let names = entries.names.numbers.map {
                (name: $0.key, node: SchemaPlan.anything, number: $0.value)
            }
            return SchemaPlan.Group(
                cover: index, node: node, entries: SchemaPlan.append(entries.list, to: &plan.entries),
                presence: plan.makeTable(names), presenceCount: Int32(truncatingIfNeeded: names.count))
        }
    }

    private struct GroupEntries {
        var list: [SchemaPlan.GroupEntry] = []
        /// The names whose presence applies a schema of `dependentSchemas`.
        var names = NumberedNames()
    }

    private mutating func addEntries(
        of schemas: [FactsID], below parent: Int32, to entries: inout GroupEntries
    ) {
        for id in schemas {
            let facts = schema(id)
            for branch in facts.anyOf + facts.oneOf { addEntry(of: branch, below: parent, to: &entries) }
            if let condition = facts.condition {
                let index = addEntry(of: condition, below: parent, to: &entries)
                if let then = facts.then { addEntry(of: then, below: index, to: &entries) }
                if let otherwise = facts.otherwise {
                    let refuted = node([condition])
                    addEntry(of: otherwise, below: parent, to: &entries) { $0.refuted = refuted }
                }
            }
            for (name, schema) in facts.dependentSchemas {
                let number = entries.names.number(name)
                addEntry(of: schema, below: parent, to: &entries) { $0.presence = number }
            }
        }
    }

    @discardableResult
    private mutating func addEntry(
        of schema: FactsID, below parent: Int32, to entries: inout GroupEntries,
        _ change: (inout SchemaPlan.GroupEntry) -> Void = { _ in }
    ) -> Int32 {
        let implied = closure([schema])
        let node = node([schema])
        let cover = cover(of: node) { compiler in
            compiler.makeCover(implied.map { compiler.schema($0) })
        }
        var entry = SchemaPlan.GroupEntry(cover: cover, node: node, parent: parent)
        change(&entry)
        entries.list.append(entry)
        let index = Int32(truncatingIfNeeded: entries.list.count - 1)
        addEntries(of: implied, below: index, to: &entries)
        return index
    }

    private mutating func makeCover(_ schemas: [SchemaFacts]) -> SchemaPlan.Cover {
        var cover = SchemaPlan.Cover()
        var names: Set<[UInt8]> = []
        var patterns: Set<Int> = []
        for schema in schemas {
            if schema.additionalProperties != nil || schema.unevaluatedProperties != nil {
                cover.coversAll = true
            }
            if schema.items != nil || schema.unevaluatedItems != nil { cover.coversAllItems = true }
            cover.items = max(cover.items, schema.prefixItems.count)
            names.formUnion(schema.properties.map(\.name))
            patterns.formUnion(schema.patternProperties.map(\.pattern))
        }
        withPlan { plan in
            cover.table = plan.makeTable(
                names.sorted { $0.lexicographicallyPrecedes($1) }.map { ($0, SchemaPlan.anything, 0) })
            cover.patterns = SchemaPlan.append(
                patterns.sorted().map { Int32(truncatingIfNeeded: $0) }, to: &plan.patternList)
        }
        return cover
    }
}

extension SchemaFacts {
    /// The schema without the words that ask what others have evaluated.
    fileprivate var withoutUnevaluated: SchemaFacts {
        var copy = self
        copy.unevaluatedItems = nil
        copy.unevaluatedProperties = nil
        return copy
    }
}
