import ASCIIText
@_spi(Reading) import JSONBytes

extension SchemaExplanation {
    // MARK: - Members and elements

    /// Requires that a part of a value follows a schema. A word whose schema is `false` is told itself.
    private mutating func require(
        _ schema: FactsID, _ part: Int, by word: SchemaWord, of facts: Facts, _ tells: Bool,
        _ outcome: inout Outcome
    ) {
        guard !self.outcome(schema, part).holds else { return }
        outcome.holds = false
        guard tells else { return }
        if self.facts(schema).pointee.refusesAll {
            tell(word, facts, part, "absent")
        } else {
            explain(schema, part)
        }
    }

    mutating func checkObject(_ id: FactsID, _ value: Int, _ tells: Bool, _ outcome: inout Outcome) {
        let facts = facts(id)
        guard facts.pointee.looksAtMembers else { return }
        let members = tree.parts(of: value, &work)
        work -= members.count
        checkNames(facts, members, value, tells, &outcome)
        for member in openParts(members, tells) {
            guard !isDone else { return }
            checkMember(member, id, tells, &outcome)
        }
        guard set.asksForEvaluation, tells else { return }
        // The members before the stop of the run.
        for member in members { noteEvaluated(member, id, &outcome) }
    }

    /// The parts that the run has not found to hold: all, unless faults are told.
    private func openParts(_ parts: Range<Int>, _ tells: Bool) -> Range<Int> {
        guard tells, stop > 0 else { return parts }
        // The last part that begins before the stop may contain it.
        var (low, high) = (parts.lowerBound, parts.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if tree.values[middle].start <= stop { low = middle + 1 } else { high = middle }
        }
        return max(low - 1, parts.lowerBound)..<parts.upperBound
    }

    private mutating func checkMember(
        _ member: Int, _ id: FactsID, _ tells: Bool, _ outcome: inout Outcome
    ) {
        let facts = facts(id)
        var isNamed = false
        if let schema = property(of: id, member) {
            isNamed = true
            require(schema, member, by: .properties, of: facts, tells, &outcome)
        }
        if !facts.pointee.patternProperties.isEmpty {
            let name = tree.name(of: member)
            for (pattern, schema) in facts.pointee.patternProperties where matches(pattern, name) {
                isNamed = true
                require(schema, member, by: .patternProperties, of: facts, tells, &outcome)
            }
        }
        if !isNamed, work >= 0, let schema = facts.pointee.additionalProperties {
            isNamed = true
            require(schema, member, by: .additionalProperties, of: facts, tells, &outcome)
        }
        if isNamed, set.asksForEvaluation {
            outcome.evaluated.insert(Int(tree.values[member].position))
        }
        if let schema = facts.pointee.propertyNames, !nameHolds(schema, tree.name(of: member)) {
            outcome.holds = false
            if tells { tell(.propertyNames, facts, member, "a member with an allowed name") }
        }
    }

    /// Notes a member as evaluated if a schema names it, without a look at the member's value.
    private mutating func noteEvaluated(_ member: Int, _ id: FactsID, _ outcome: inout Outcome) {
        let position = Int(tree.values[member].position)
        guard !outcome.evaluated.contains(position) else { return }
        let facts = facts(id)
        let name = tree.name(of: member)
        if facts.pointee.additionalProperties != nil || property(of: id, member) != nil
            || facts.pointee.patternProperties.contains(where: { matches($0.pattern, name) })
        {
            outcome.evaluated.insert(position)
        }
    }

    /// The schema of a member by its name.
    private mutating func property(of id: FactsID, _ member: Int) -> FactsID? {
        let facts = facts(id)
        let count = facts.pointee.properties.count
        guard count > 0 else { return nil }
        if count <= 8, !tree.values[member].isEscaped {
            let range = tree.nameRange(of: member)
            for (name, schema) in facts.pointee.properties where tree.reader.equals(range, name) {
                return schema
            }
            return nil
        }
        if namedSchemas[id] == nil {
            work -= count
            namedSchemas[id] = Dictionary(
                facts.pointee.properties.map { ($0.name, $0.schema) }, uniquingKeysWith: { first, _ in first }
            )
        }
        return namedSchemas[id]?[tree.name(of: member)]
    }

    /// The words about which names an object has, and how many.
    private mutating func checkNames(
        _ facts: Facts, _ members: Range<Int>, _ value: Int, _ tells: Bool, _ outcome: inout Outcome
    ) {
        guard facts.pointee.looksAtNames else { return }
        work -= members.count
        let present = Set(members.lazy.map { [tree] in tree.name(of: $0) })
        for name in facts.pointee.required where !present.contains(name) {
            outcome.holds = false
            if tells {
                tell(
                    .required, facts, value, missing: String(decoding: name, as: UTF8.self),
                    "an object with the member \(Self.shown(name))")
            }
        }
        for (name, needs) in facts.pointee.dependentRequired where present.contains(name) {
            for need in needs where !present.contains(need) {
                outcome.holds = false
                if tells {
                    tell(
                        .dependentRequired, facts, value,
                        "an object with the member \(Self.shown(need)), because it has \(Self.shown(name))")
                }
            }
        }
        if let least = facts.pointee.minProperties, present.count < least {
            outcome.holds = false
            if tells { tell(.minProperties, facts, value, "an object of at least \(least) members") }
        }
        if let most = facts.pointee.maxProperties, present.count > most {
            outcome.holds = false
            if tells { tell(.maxProperties, facts, value, "an object of at most \(most) members") }
        }
    }

    private static func shown(_ name: [UInt8]) -> String {
        "\"\(Shown.text(String(decoding: name, as: UTF8.self)))\""
    }

    /// Whether a name follows a schema, as a value of its own.
    private mutating func nameHolds(_ schema: FactsID, _ name: [UInt8]) -> Bool {
        let text = Array(JSONFragment(string: String(decoding: name, as: UTF8.self)).bytes)
        return text.withUnsafeBytes { bytes in
            SchemaRun.reading(bytes) { reader in
                var explanation = forName(reader)
                defer { (work, budget) = (explanation.work, explanation.budget) }
                return explanation.outcome(schema, 0).holds
            }
        }
    }

    mutating func checkArray(
        _ facts: Facts, _ value: Int, _ tells: Bool, _ outcome: inout Outcome
    ) {
        guard facts.pointee.looksAtElements else { return }
        let elements = tree.parts(of: value, &work)
        if let least = facts.pointee.minItems, elements.count < least {
            outcome.holds = false
            if tells { tell(.minItems, facts, value, "an array of at least \(least) elements") }
        }
        if let most = facts.pointee.maxItems, elements.count > most {
            outcome.holds = false
            if tells { tell(.maxItems, facts, value, "an array of at most \(most) elements") }
        }
        if facts.pointee.uniqueItems { checkUnique(facts, elements, tells, &outcome) }
        let first = facts.pointee.prefixItems.count
        if first > 0 || facts.pointee.items != nil {
            for element in openParts(elements, tells) {
                guard !isDone else { return }
                let position = element - elements.lowerBound
                if position < first {
                    require(
                        facts.pointee.prefixItems[position], element, by: .prefixItems, of: facts, tells,
                        &outcome)
                } else if let items = facts.pointee.items {
                    require(items, element, by: .items, of: facts, tells, &outcome)
                }
            }
            if set.asksForEvaluation {
                work -= elements.count
                outcome.evaluated.formUnion(
                    0..<(facts.pointee.items == nil ? min(first, elements.count) : elements.count))
            }
        }
        checkContained(facts, elements, value, tells, &outcome)
    }

    private mutating func checkUnique(
        _ facts: Facts, _ elements: Range<Int>, _ tells: Bool, _ outcome: inout Outcome
    ) {
        var seen: Set<ValueDigest> = []
        for element in elements where !isDone {
            work -= 1
            if seen.insert(digest(of: element)).inserted { continue }
            outcome.holds = false
            guard tells else { return }
            tell(.uniqueItems, facts, element, "different from the elements before it")
        }
    }

    private mutating func checkContained(
        _ facts: Facts, _ elements: Range<Int>, _ value: Int, _ tells: Bool, _ outcome: inout Outcome
    ) {
        guard let schema = facts.pointee.contains else { return }
        var count = 0
        for element in elements where self.outcome(schema, element).holds {
            count += 1
            guard set.asksForEvaluation else { continue }
            work -= 1
            outcome.evaluated.insert(element - elements.lowerBound)
        }
        let least = facts.pointee.minContains ?? 1
        if count < least {
            outcome.holds = false
            let word: SchemaWord = facts.pointee.minContains == nil ? .contains : .minContains
            if tells {
                tell(word, facts, value, "an array of at least \(least) elements that the schema describes")
            }
        }
        if let most = facts.pointee.maxContains, count > most {
            outcome.holds = false
            if tells {
                tell(
                    .maxContains, facts, value,
                    "an array of at most \(most) elements that the schema describes")
            }
        }
    }

    // MARK: - The same value

    private mutating func add(_ other: Outcome, to outcome: inout Outcome) {
        work -= other.evaluated.count >> 2
        outcome.evaluated.formUnion(other.evaluated)
    }

    mutating func checkReferences(
        _ facts: Facts, _ value: Int, _ tells: Bool, _ outcome: inout Outcome
    ) {
        guard !facts.pointee.references.isEmpty || !facts.pointee.allOf.isEmpty else { return }
        let all =
            facts.pointee.references.map { ($0.word, $0.schema) } + facts.pointee.allOf.map { (.allOf, $0) }
        for (word, schema) in all {
            let other = self.outcome(schema, value)
            if other.holds { add(other, to: &outcome) }
            require(schema, value, by: word, of: facts, tells, &outcome)
        }
    }

    mutating func checkAlternatives(
        _ facts: Facts, _ value: Int, _ tells: Bool, _ outcome: inout Outcome
    ) {
        for (word, branches) in [(SchemaWord.anyOf, facts.pointee.anyOf), (.oneOf, facts.pointee.oneOf)]
        where !branches.isEmpty {
            var count = 0
            for branch in branches {
                let other = self.outcome(branch, value)
                guard other.holds else { continue }
                count += 1
                add(other, to: &outcome)
            }
            if count == 0 || word == .oneOf && count > 1 {
                outcome.holds = false
                if tells { explainAlternatives(word, branches, count, facts, value) }
            }
        }
        if let schema = facts.pointee.not, self.outcome(schema, value).holds {
            outcome.holds = false
            if tells { tell(.not, facts, value, "something that the schema does not exclude") }
        }
        if let condition = facts.pointee.condition {
            let tested = self.outcome(condition, value)
            if tested.holds { add(tested, to: &outcome) }
            if let schema = tested.holds ? facts.pointee.then : facts.pointee.otherwise {
                let other = self.outcome(schema, value)
                if other.holds { add(other, to: &outcome) }
                require(schema, value, by: tested.holds ? .then : .else, of: facts, tells, &outcome)
            }
        }
        guard tree.values[value].type == .object, !facts.pointee.dependentSchemas.isEmpty else { return }
        let members = tree.parts(of: value, &work)
        work -= members.count
        let present = Set(members.map { tree.name(of: $0) })
        for (name, schema) in facts.pointee.dependentSchemas where present.contains(name) {
            let other = self.outcome(schema, value)
            if other.holds { add(other, to: &outcome) }
            require(schema, value, by: .dependentSchemas, of: facts, tells, &outcome)
        }
    }

    /// Explains the alternative that was meant: the only one whose type fits, or whose constants fit.
    private mutating func explainAlternatives(
        _ word: SchemaWord, _ branches: [FactsID], _ count: Int, _ facts: Facts, _ value: Int
    ) {
        if count > 0 { return tell(word, facts, value, "exactly one of several alternatives") }
        if let branch = discriminated(facts, value), !outcome(branch, value).holds {
            return explain(branch, value)
        }
        let fitting = branches.filter { self.fitting($0, value) != .differs }
        let meant = fitting.filter { self.fitting($0, value) == .fits }
        if let branch = meant.count == 1 ? meant.first : fitting.count == 1 ? fitting.first : nil {
            explain(branch, value)
        } else {
            tell(word, facts, value, "one of several alternatives")
        }
    }

    private enum Fitting { case fits, mayFit, differs }

    /// Whether the type of a value, and the constants of its members, are as a schema says.
    private mutating func fitting(_ schema: FactsID, _ value: Int) -> Fitting {
        var result = Fitting.mayFit
        var open = [schema]
        while let next = open.popLast() {
            let facts = facts(next)
            work -= 1
            guard work >= 0 else { return .differs }
            open += facts.pointee.unconditional
            if facts.pointee.refusesAll || !facts.pointee.types.contains(tree.values[value].type) {
                return .differs
            }
            if facts.pointee.const != nil || facts.pointee.values != nil {
                let digest = digest(of: value)
                if let const = facts.pointee.const, const != digest { return .differs }
                if let values = facts.pointee.values, !values.contains(digest) { return .differs }
                result = .fits
            }
            guard tree.values[value].type == .object else { continue }
            work -= facts.pointee.properties.count
            let constants = facts.pointee.properties.compactMap { name, schema in
                self.facts(schema).pointee.const.map { (name, $0) }
            }
            guard !constants.isEmpty else { continue }
            let byName = Dictionary(constants) { first, _ in first }
            let members = tree.parts(of: value, &work)
            work -= members.count
            for child in members where work >= 0 {
                guard let const = byName[tree.name(of: child)] else { continue }
                if digest(of: child) != const { return .differs }
                result = .fits
            }
        }
        return result
    }

    mutating func checkUnevaluated(
        _ facts: Facts, _ value: Int, _ tells: Bool, _ outcome: inout Outcome
    ) {
        let schema: FactsID?
        let word: SchemaWord
        switch tree.values[value].type {
        case .object: (schema, word) = (facts.pointee.unevaluatedProperties, .unevaluatedProperties)
        case .array: (schema, word) = (facts.pointee.unevaluatedItems, .unevaluatedItems)
        default: return
        }
        guard let schema else { return }
        let parts = tree.parts(of: value, &work)
        for part in parts where !outcome.evaluated.contains(part - parts.lowerBound) {
            guard !isDone else { return }
            require(schema, part, by: word, of: facts, tells, &outcome)
            outcome.evaluated.insert(part - parts.lowerBound)
        }
    }
}
