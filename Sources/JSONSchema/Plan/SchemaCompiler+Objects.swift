extension SchemaCompiler {
    /// What one schema says about members by their names.
    struct MemberPart {
        /// Nil for names whose members are free.
        var names: [[UInt8]: FactsID?] = [:]
        var patterns: [(pattern: Int, schema: FactsID?)] = []
        /// What holds for members that neither names nor patterns name.
        var rest: FactsID?
    }

    mutating func objectRule(
        _ schemas: [FactsID], _ parts: [SchemaFacts], _ names: inout NumberedNames
    ) -> Int32 {
        var rule = SchemaPlan.ObjectRule()
        rule.least = parts.compactMap(\.minProperties).max() ?? 0
        rule.most = parts.compactMap(\.maxProperties).min() ?? .max
        var members: [MemberPart] = []
        var groups: [SchemaPlan.Group] = []
        for (id, part) in zip(schemas, parts) {
            if !part.properties.isEmpty || !part.patternProperties.isEmpty || part.additionalProperties != nil
            {
                var member = MemberPart(patterns: part.patternProperties.map { ($0.pattern, $0.schema) })
                for (name, schema) in part.properties { member.names[name] = schema }
                member.rest = part.additionalProperties
                members.append(member)
            }
            if let unevaluated = part.unevaluatedProperties {
                addUnevaluated(unevaluated, of: id, to: &members, &groups)
            }
        }
        rule.groups = withPlan { SchemaPlan.append(groups, to: &$0.groups) }
        rule.names = node(parts.compactMap(\.propertyNames))
        notePresence(parts, &names, &rule)
        rule.table = table(members, names)
        rule.noted = Int32(truncatingIfNeeded: names.numbers.count)
        rule.rest = node(members.filter(\.patterns.isEmpty).compactMap(\.rest))
        rule.parts = patternParts(members)
        let isEmpty =
            rule.least == 0 && rule.most == .max && rule.table.isEmpty && rule.rest == SchemaPlan.anything
            && rule.parts.isEmpty && rule.names == SchemaPlan.anything && rule.groups.isEmpty
        return isEmpty ? -1 : add(rule)
    }

    /// Numbers the names whose presence matters.
    private mutating func notePresence(
        _ parts: [SchemaFacts], _ names: inout NumberedNames, _ rule: inout SchemaPlan.ObjectRule
    ) {
        var required: [Int32] = []
        for part in parts {
            for name in part.required { required.append(names.number(name)) }
            for (name, needs) in part.dependentRequired {
                _ = names.number(name)
                for need in needs { _ = names.number(need) }
            }
            for (name, _) in part.dependentSchemas { _ = names.number(name) }
        }
        let count = names.numbers.count
        rule.required = withPlan { SchemaPlan.append(Self.bits(required, of: count), to: &$0.masks) }
        rule.requiredBits = Self.bits(required, of: min(count, 64)).first ?? 0
        var dependencies: [SchemaPlan.Dependency] = []
        for part in parts {
            for (name, needs) in part.dependentRequired {
                let numbers = needs.map { names.number($0) }
                let bits = Self.bits(numbers, of: count)
                let span = withPlan { SchemaPlan.append(bits, to: &$0.masks) }
                dependencies.append(
                    SchemaPlan.Dependency(name: names.number(name), needs: span, needBits: bits.first ?? 0))
            }
        }
        rule.dependencies = withPlan { SchemaPlan.append(dependencies, to: &$0.dependencies) }
    }

    private static func bits(_ numbers: [Int32], of count: Int) -> [UInt64] {
        var words = [UInt64](repeating: 0, count: (count + 63) / 64)
        for number in numbers where Int(number) < 64 * words.count {
            words[Int(number) / 64] |= 1 << UInt64(number % 64)
        }
        return words
    }

    private mutating func table(_ members: [MemberPart], _ names: NumberedNames) -> NameTable {
        var known = Set(names.numbers.keys)
        for member in members { known.formUnion(member.names.keys) }
        // In a fixed order, so that the same schema always makes the same plan.
        let entries = known.sorted { $0.lexicographicallyPrecedes($1) }.map { name in
            (
                name: name, node: node(schemas(for: name, members)),
                number: names.numbers[name] ?? -1
            )
        }
        return withPlan { $0.makeTable(entries) }
    }

    /// The schemas that hold for a member whose name the schema knows.
    private mutating func schemas(for name: [UInt8], _ members: [MemberPart]) -> [FactsID] {
        var schemas: [FactsID] = []
        for member in members {
            var isNamed = false
            if let schema = member.names[name] {
                isNamed = true
                if let schema { schemas.append(schema) }
            }
            for (pattern, schema) in member.patterns where matches(pattern, name) {
                isNamed = true
                if let schema { schemas.append(schema) }
            }
            if !isNamed, let rest = member.rest { schemas.append(rest) }
        }
        return schemas
    }

    private mutating func patternParts(_ members: [MemberPart]) -> SchemaPlan.Span {
        var parts: [SchemaPlan.PatternPart] = []
        for member in members where !member.patterns.isEmpty {
            var entries: [SchemaPlan.PatternEntry] = []
            for (pattern, schema) in member.patterns {
                entries.append(
                    SchemaPlan.PatternEntry(
                        pattern: Int32(truncatingIfNeeded: pattern), node: node(schema.map { [$0] } ?? [])))
            }
            let rest = node(member.rest.map { [$0] } ?? [])
            // Patterns whose members are free matter only if other members are not.
            guard rest != SchemaPlan.anything || entries.contains(where: { $0.node != SchemaPlan.anything })
            else { continue }
            let span = withPlan { SchemaPlan.append(entries, to: &$0.partPatterns) }
            parts.append(SchemaPlan.PatternPart(patterns: span, rest: rest))
        }
        return withPlan { SchemaPlan.append(parts, to: &$0.parts) }
    }

    // MARK: - unevaluatedProperties

    private mutating func addUnevaluated(
        _ unevaluated: FactsID, of id: FactsID, to members: inout [MemberPart],
        _ groups: inout [SchemaPlan.Group]
    ) {
        let evaluating = closure([id])
        let isMoot = evaluating.contains {
            schema($0).additionalProperties != nil || $0 != id && schema($0).unevaluatedProperties != nil
        }
        guard !isMoot else { return }
        guard evaluating.contains(where: { !schema($0).evaluatingBranches.isEmpty }) else {
            var member = MemberPart(rest: unevaluated)
            for other in evaluating {
                for (name, _) in schema(other).properties { member.names[name] = .some(nil) }
                for (pattern, _) in schema(other).patternProperties { member.patterns.append((pattern, nil)) }
            }
            members.append(member)
            return
        }
        groups.append(makeGroup(unevaluated, of: id, evaluating))
    }
}

extension SchemaFacts {
    /// The schemas that are tried on the same value and, if they succeed, evaluate members and elements.
    var evaluatingBranches: [FactsID] {
        anyOf + oneOf + dependentSchemas.map(\.schema)
            + (condition == nil ? [] : [condition, then, otherwise].compactMap { $0 })
    }
}
