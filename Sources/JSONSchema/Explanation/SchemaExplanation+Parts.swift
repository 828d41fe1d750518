import ASCIIText
@_spi(Reading) import JSONBytes

extension SchemaExplanation {
    // MARK: - Members and elements

    /// Requires that a part of a value follows a schema. A word whose schema is `false` is told itself.
    private mutating func require(
        _ schema: FactsID, _ part: Int, by word: SchemaWord, of facts: SchemaFacts, _ tells: Bool,
        _ outcome: inout Outcome
    ) {
        guard !self.outcome(schema, part).holds else { return }
        outcome.holds = false
        guard tells else { return }
        if set.facts[schema].refusesAll {
            tell(word, facts, part, "absent")
        } else {
            explain(schema, part)
        }
    }

    mutating func checkObject(
        _ facts: SchemaFacts, _ value: Int, _ tells: Bool, _ outcome: inout Outcome
    ) {
        let children = tree.values[value].children
        work -= children.count
        let names = children.map { tree.name(of: $0) }
        checkNames(facts, names, value, tells, &outcome)
        let properties = Dictionary(
            facts.properties.map { ($0.name, $0.schema) }, uniquingKeysWith: { first, _ in first })
        for (position, child) in children.enumerated() {
            guard work >= 0 else { return }
            var isNamed = false
            if let schema = properties[names[position]] {
                isNamed = true
                require(schema, child, by: .properties, of: facts, tells, &outcome)
            }
            for (pattern, schema) in facts.patternProperties where matches(pattern, names[position]) {
                isNamed = true
                require(schema, child, by: .patternProperties, of: facts, tells, &outcome)
            }
            if !isNamed, let schema = facts.additionalProperties {
                isNamed = true
                require(schema, child, by: .additionalProperties, of: facts, tells, &outcome)
            }
            if isNamed { outcome.evaluated.insert(position) }
            if let schema = facts.propertyNames, !nameHolds(schema, names[position]) {
                outcome.holds = false
                if tells { tell(.propertyNames, facts, child, "a member with an allowed name") }
            }
        }
    }

    /// The words about which names an object has, and how many.
    private mutating func checkNames(
        _ facts: SchemaFacts, _ names: [[UInt8]], _ value: Int, _ tells: Bool, _ outcome: inout Outcome
    ) {
        let present = Set(names)
        for name in facts.required where !present.contains(name) {
            outcome.holds = false
            if tells { tell(.required, facts, value, "an object with the member \(Self.shown(name))") }
        }
        for (name, needs) in facts.dependentRequired where present.contains(name) {
            for need in needs where !present.contains(need) {
                outcome.holds = false
                if tells {
                    tell(
                        .dependentRequired, facts, value,
                        "an object with the member \(Self.shown(need)), because it has \(Self.shown(name))")
                }
            }
        }
        if let least = facts.minProperties, present.count < least {
            outcome.holds = false
            if tells { tell(.minProperties, facts, value, "an object of at least \(least) members") }
        }
        if let most = facts.maxProperties, present.count > most {
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
                var explanation = SchemaExplanation(set, reader, work: work)
                defer { work = explanation.work }
                return explanation.outcome(schema, 0).holds
            }
        }
    }

    mutating func checkArray(
        _ facts: SchemaFacts, _ value: Int, _ tells: Bool, _ outcome: inout Outcome
    ) {
        let children = tree.values[value].children
        work -= children.count
        if let least = facts.minItems, children.count < least {
            outcome.holds = false
            if tells { tell(.minItems, facts, value, "an array of at least \(least) elements") }
        }
        if let most = facts.maxItems, children.count > most {
            outcome.holds = false
            if tells { tell(.maxItems, facts, value, "an array of at most \(most) elements") }
        }
        if facts.uniqueItems {
            var seen: Set<ValueDigest> = []
            for child in children where !seen.insert(digest(of: child)).inserted {
                outcome.holds = false
                if tells { tell(.uniqueItems, facts, child, "different from the elements before it") }
            }
        }
        for (position, child) in children.enumerated() {
            guard work >= 0 else { return }
            if position < facts.prefixItems.count {
                require(facts.prefixItems[position], child, by: .prefixItems, of: facts, tells, &outcome)
                outcome.evaluated.insert(position)
            } else if let items = facts.items {
                require(items, child, by: .items, of: facts, tells, &outcome)
                outcome.evaluated.insert(position)
            }
        }
        guard let schema = facts.contains else { return }
        var count = 0
        for (position, child) in children.enumerated() where self.outcome(schema, child).holds {
            count += 1
            outcome.evaluated.insert(position)
        }
        let least = facts.minContains ?? 1
        if count < least {
            outcome.holds = false
            let word: SchemaWord = facts.minContains == nil ? .contains : .minContains
            if tells {
                tell(word, facts, value, "an array of at least \(least) elements that the schema describes")
            }
        }
        if let most = facts.maxContains, count > most {
            outcome.holds = false
            if tells {
                tell(
                    .maxContains, facts, value,
                    "an array of at most \(most) elements that the schema describes")
            }
        }
    }

    // MARK: - The same value

    mutating func checkReferences(
        _ facts: SchemaFacts, _ value: Int, _ tells: Bool, _ outcome: inout Outcome
    ) {
        let all = facts.references.map { ($0.word, $0.schema) } + facts.allOf.map { (.allOf, $0) }
        for (word, schema) in all {
            let other = self.outcome(schema, value)
            if other.holds { outcome.evaluated.formUnion(other.evaluated) }
            require(schema, value, by: word, of: facts, tells, &outcome)
        }
    }

    mutating func checkAlternatives(
        _ facts: SchemaFacts, _ value: Int, _ tells: Bool, _ outcome: inout Outcome
    ) {
        for (word, branches) in [(SchemaWord.anyOf, facts.anyOf), (.oneOf, facts.oneOf)]
        where !branches.isEmpty {
            var count = 0
            for branch in branches {
                let other = self.outcome(branch, value)
                guard other.holds else { continue }
                count += 1
                outcome.evaluated.formUnion(other.evaluated)
            }
            if count == 0 || word == .oneOf && count > 1 {
                outcome.holds = false
                if tells { explainAlternatives(word, branches, count, facts, value) }
            }
        }
        if let schema = facts.not, self.outcome(schema, value).holds {
            outcome.holds = false
            if tells { tell(.not, facts, value, "something that the schema does not exclude") }
        }
        if let condition = facts.condition {
            let tested = self.outcome(condition, value)
            if tested.holds { outcome.evaluated.formUnion(tested.evaluated) }
            if let schema = tested.holds ? facts.then : facts.otherwise {
                let other = self.outcome(schema, value)
                if other.holds { outcome.evaluated.formUnion(other.evaluated) }
                require(schema, value, by: tested.holds ? .then : .else, of: facts, tells, &outcome)
            }
        }
        guard tree.values[value].type == .object, !facts.dependentSchemas.isEmpty else { return }
        let present = Set(tree.values[value].children.map { tree.name(of: $0) })
        for (name, schema) in facts.dependentSchemas where present.contains(name) {
            let other = self.outcome(schema, value)
            if other.holds { outcome.evaluated.formUnion(other.evaluated) }
            require(schema, value, by: .dependentSchemas, of: facts, tells, &outcome)
        }
    }

    /// Explains the alternative that was meant: the only one whose type fits, or whose constants fit.
    private mutating func explainAlternatives(
        _ word: SchemaWord, _ branches: [FactsID], _ count: Int, _ facts: SchemaFacts, _ value: Int
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
            let facts = set.facts[next]
            work -= 1
            guard work >= 0 else { return .differs }
            open += facts.unconditional
            if facts.refusesAll || !facts.types.contains(tree.values[value].type) { return .differs }
            if facts.const != nil || facts.values != nil {
                let digest = digest(of: value)
                if let const = facts.const, const != digest { return .differs }
                if let values = facts.values, !values.contains(digest) { return .differs }
                result = .fits
            }
            guard tree.values[value].type == .object else { continue }
            for child in tree.values[value].children {
                let name = tree.name(of: child)
                guard let member = facts.properties.first(where: { $0.name == name })?.schema,
                    let const = set.facts[member].const
                else { continue }
                if digest(of: child) != const { return .differs }
                result = .fits
            }
        }
        return result
    }

    mutating func checkUnevaluated(
        _ facts: SchemaFacts, _ value: Int, _ tells: Bool, _ outcome: inout Outcome
    ) {
        let schema: FactsID?
        let word: SchemaWord
        switch tree.values[value].type {
        case .object: (schema, word) = (facts.unevaluatedProperties, .unevaluatedProperties)
        case .array: (schema, word) = (facts.unevaluatedItems, .unevaluatedItems)
        default: return
        }
        guard let schema else { return }
        for (position, child) in tree.values[value].children.enumerated()
        where !outcome.evaluated.contains(position) {
            require(schema, child, by: word, of: facts, tells, &outcome)
            outcome.evaluated.insert(position)
        }
    }
}
