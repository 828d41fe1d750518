/// Turns schemas into a plan: merges what must hold together into one node.
struct SchemaCompiler {
    let facts: [SchemaFacts]
    private(set) var plan = SchemaPlan()
    /// The nodes of sets of schemas, each in order and with all that it implies.
    private var known: [[FactsID]: NodeID] = [:]
    private var waiting: [(node: NodeID, schemas: [FactsID])] = []
    /// Copies of schemas without the alternatives that the type of a value has decided.
    private(set) var derived: [SchemaFacts] = []
    var decided: [DecidedAlternative: FactsID] = [:]
    /// What closures need to know of each schema, apart from the schemas, which are large to copy.
    private var digests: [FactsDigest]
    /// Whether the plan became too large.
    private(set) var isFull = false
    /// Whether a schema asks what other schemas have evaluated.
    let asksForEvaluation: Bool
    private var coversByNode: [NodeID: Int32] = [:]
    private var tableOfPatterns: PatternMatches

    init(_ set: SchemaSet) {
        facts = set.facts
        digests = set.facts.map(FactsDigest.init)
        asksForEvaluation = set.facts.contains {
            $0.unevaluatedItems != nil || $0.unevaluatedProperties != nil
        }
        plan.patterns = ContiguousArray(set.patterns)
        plan.limits = set.bounds
        tableOfPatterns = PatternMatches(set.patterns)
        var nothing = SchemaPlan.Node()
        nothing.types = []
        plan.nodes = [SchemaPlan.Node(), nothing]
    }

    /// Compiles schemas and all that they lead to. Returns the node of each in the plan.
    mutating func compile(_ roots: [FactsID]) -> (plan: SchemaPlan, roots: [NodeID]) {
        let nodes = roots.map { node([$0]) }
        while let (node, schemas) = waiting.popLast() {
            plan.nodes[Int(node)] = makeNode(schemas, node)
        }
        for index in plan.nodes.indices {
            let node = plan.nodes[index]
            plan.nodes[index].isPlain = node.dispatch < 0 && node.values.isEmpty && !node.isComposed
        }
        for index in plan.objects.indices
        where plan.objects[index].names == SchemaPlan.anything && !plan.objects[index].table.isEmpty {
            plan.objects[index].firstGuess = Int32(truncatingIfNeeded: plan.slots.count + index)
        }
        return (plan, nodes)
    }

    func schema(_ id: FactsID) -> SchemaFacts { id < facts.count ? facts[id] : derived[id - facts.count] }

    // MARK: - Sets of schemas

    /// Returns the node of schemas that must hold together.
    mutating func node(_ schemas: [FactsID]) -> NodeID { node(closed: closure(schemas)) }

    /// Returns the node of schemas, in order and with all that they imply.
    mutating func node(closed set: [FactsID]) -> NodeID {
        guard !set.isEmpty else { return SchemaPlan.anything }
        if set.contains(where: { digests[$0].refusesAll }) { return SchemaPlan.nothing }
        if let node = known[set] { return node }
        guard plan.nodes.count < plan.limits.nodes else {
            isFull = true
            return SchemaPlan.anything
        }
        let node = NodeID(truncatingIfNeeded: plan.nodes.count)
        plan.nodes.append(SchemaPlan.Node())
        known[set] = node
        waiting.append((node, set))
        return node
    }

    /// The schemas and what they imply, in order, without those that say nothing.
    func closure(_ schemas: [FactsID]) -> [FactsID] {
        if schemas.count == 1, digests[schemas[0]].implied.isEmpty {
            return digests[schemas[0]].saysSomething ? schemas : []
        }
        var found: Set<FactsID> = []
        var open = schemas
        while let next = open.popLast() {
            guard found.insert(next).inserted else { continue }
            open += digests[next].implied
        }
        return found.filter { digests[$0].saysSomething }.sorted()
    }

    mutating func derive(_ facts: SchemaFacts) -> FactsID {
        derived.append(facts)
        digests.append(FactsDigest(facts))
        return self.facts.count + derived.count - 1
    }

    /// Whether a pattern is found in a name that the schema knows.
    mutating func matches(_ pattern: Int, _ name: [UInt8]) -> Bool { tableOfPatterns.matches(pattern, name) }

    // MARK: - A node

    private mutating func makeNode(_ schemas: [FactsID], _ id: NodeID) -> SchemaPlan.Node {
        var node = SchemaPlan.Node()
        let parts = schemas.map { schema($0) }
        for part in parts {
            node.types.formIntersection(part.types.intersection(part.valueTypes))
            if let types = typesOfAlternatives(part) { node.types.formIntersection(types) }
        }
        if node.types.isEmpty { return node }
        if let dispatch = dispatch(schemas, parts, node.types) {
            node.dispatch = dispatch
            return node
        }
        node.values = valueSets(parts)
        if !node.types.isDisjoint(with: .number) { node.number = numberRule(parts) }
        if node.types.contains(.string) { node.string = stringRule(parts) }
        var names = NumberedNames()
        if node.types.contains(.object) { node.object = objectRule(schemas, parts, &names) }
        if node.types.contains(.array) { node.array = arrayRule(schemas, parts) }
        node.folds = makeFolds(schemas, parts, names, of: id, &node)
        if node.array >= 0 {
            let rule = plan.arrays[Int(node.array)]
            node.isComposed = node.isComposed || !rule.contains.isEmpty || !rule.groups.isEmpty
        }
        if node.object >= 0 {
            let rule = plan.objects[Int(node.object)]
            node.isComposed = node.isComposed || !rule.groups.isEmpty || rule.noted > 64
        }
        return node
    }

    private mutating func valueSets(_ parts: [SchemaFacts]) -> SchemaPlan.Span {
        let start = plan.valueSets.count
        for part in parts {
            for values in [part.const.map { [$0] }, part.values].compactMap({ $0 }) {
                plan.valueSets.append(SchemaPlan.append(values, to: &plan.digests))
            }
        }
        return SchemaPlan.span(from: start, in: plan.valueSets)
    }

    private mutating func numberRule(_ parts: [SchemaFacts]) -> Int32 {
        var rule = SchemaPlan.NumberRule()
        var (lower, upper): (DecimalBound?, DecimalBound?)
        for part in parts {
            for (bound, isExclusive) in [(part.minimum, false), (part.exclusiveMinimum, true)] {
                guard let bound else { continue }
                let order = lower.map { bound.compare(with: $0) } ?? 1
                if order > 0 { (lower, rule.isLowerExclusive) = (bound, isExclusive) }
                if order == 0 { rule.isLowerExclusive = rule.isLowerExclusive || isExclusive }
            }
            for (bound, isExclusive) in [(part.maximum, false), (part.exclusiveMaximum, true)] {
                guard let bound else { continue }
                let order = upper.map { bound.compare(with: $0) } ?? -1
                if order < 0 { (upper, rule.isUpperExclusive) = (bound, isExclusive) }
                if order == 0 { rule.isUpperExclusive = rule.isUpperExclusive || isExclusive }
            }
        }
        if let lower {
            rule.lower = Int32(truncatingIfNeeded: plan.bounds.count)
            plan.bounds.append(lower)
            rule.least = lower.leastInteger(isExclusive: rule.isLowerExclusive)
        }
        if let upper {
            rule.upper = Int32(truncatingIfNeeded: plan.bounds.count)
            plan.bounds.append(upper)
            rule.most = upper.largestInteger(isExclusive: rule.isUpperExclusive)
        }
        rule.divisors = SchemaPlan.append(parts.compactMap(\.multipleOf), to: &plan.divisors)
        let formats = Set(parts.compactMap(\.format)).filter(\.isNumeric)
        rule.formats = SchemaPlan.append(formats.sorted { $0.rawValue < $1.rawValue }, to: &plan.formatList)
        guard lower != nil || upper != nil || !rule.divisors.isEmpty || !rule.formats.isEmpty else {
            return -1
        }
        plan.numbers.append(rule)
        return Int32(truncatingIfNeeded: plan.numbers.count - 1)
    }

    private mutating func stringRule(_ parts: [SchemaFacts]) -> Int32 {
        var rule = SchemaPlan.StringRule()
        rule.least = parts.compactMap(\.minLength).max() ?? 0
        rule.most = parts.compactMap(\.maxLength).min() ?? .max
        let patterns = Set(parts.compactMap(\.pattern)).sorted()
        rule.patterns = SchemaPlan.append(
            patterns.map { Int32(truncatingIfNeeded: $0) }, to: &plan.patternList)
        let formats = Set(parts.compactMap(\.format)).filter { !$0.isNumeric }
        rule.formats = SchemaPlan.append(formats.sorted { $0.rawValue < $1.rawValue }, to: &plan.formatList)
        guard rule.least > 0 || rule.most < .max || !patterns.isEmpty || !formats.isEmpty else { return -1 }
        plan.strings.append(rule)
        return Int32(truncatingIfNeeded: plan.strings.count - 1)
    }

    // MARK: - Access for the other files

    mutating func add(_ rule: SchemaPlan.ArrayRule) -> Int32 {
        plan.arrays.append(rule)
        return Int32(truncatingIfNeeded: plan.arrays.count - 1)
    }

    mutating func add(_ rule: SchemaPlan.ObjectRule) -> Int32 {
        plan.objects.append(rule)
        return Int32(truncatingIfNeeded: plan.objects.count - 1)
    }

    mutating func withPlan<Result>(_ body: (inout SchemaPlan) -> Result) -> Result { body(&plan) }

    /// Returns the index of the cover that `make` describes, made once for each node.
    mutating func cover(of node: NodeID, _ make: (inout SchemaCompiler) -> SchemaPlan.Cover) -> Int32 {
        if let known = coversByNode[node] { return known }
        let cover = make(&self)
        plan.covers.append(cover)
        let index = Int32(truncatingIfNeeded: plan.covers.count - 1)
        coversByNode[node] = index
        return index
    }
}

/// What a set of schemas needs to know of one of them.
private struct FactsDigest {
    /// The schemas that hold for the same value in any case.
    let implied: [FactsID]
    let saysSomething: Bool
    let refusesAll: Bool

    init(_ facts: SchemaFacts) {
        implied = facts.unconditional
        saysSomething = facts.saysSomething
        refusesAll = facts.refusesAll
    }
}

extension SchemaPlan {
    static func span<Element>(from start: Int, in list: ContiguousArray<Element>) -> Span {
        Span(
            start: Int32(truncatingIfNeeded: start), count: Int32(truncatingIfNeeded: list.count - start))
    }

    static func append<Element>(
        _ elements: some Collection<Element>, to list: inout ContiguousArray<Element>
    ) -> Span {
        let start = list.count
        list.append(contentsOf: elements)
        return span(from: start, in: list)
    }
}

/// The names of an object whose presence matters, numbered in the order of their first use.
struct NumberedNames {
    private(set) var numbers: [[UInt8]: Int32] = [:]

    mutating func number(_ name: [UInt8]) -> Int32 {
        if let known = numbers[name] { return known }
        let number = Int32(truncatingIfNeeded: numbers.count)
        numbers[name] = number
        return number
    }
}

/// Finds out which patterns are found in names that a schema knows, each pair once.
struct PatternMatches {
    private struct Pair: Hashable {
        let pattern: Int
        let name: [UInt8]
    }

    private let patterns: [ECMAPattern]
    private var memory: PatternMemory?
    private var known: [Pair: Bool] = [:]

    init(_ patterns: [ECMAPattern]) { self.patterns = patterns }

    mutating func matches(_ pattern: Int, _ name: [UInt8]) -> Bool {
        let pair = Pair(pattern: pattern, name: name)
        if let known = known[pair] { return known }
        var budget = PatternBudget(.seconds(1))
        let outcome = name.withUnsafeBytes { patterns[pattern].match($0, &memory, &budget) }
        known[pair] = outcome == .matches
        return outcome == .matches
    }
}

extension SchemaFacts {
    /// Whether the schema asserts anything itself, rather than only by references and `allOf`.
    var saysSomething: Bool {
        if refusesAll || types != .all || const != nil || values != nil || multipleOf != nil { return true }
        if minimum != nil || maximum != nil || exclusiveMinimum != nil || exclusiveMaximum != nil {
            return true
        }
        if minLength != nil || maxLength != nil || pattern != nil || format != nil { return true }
        if minItems != nil || maxItems != nil || uniqueItems || !prefixItems.isEmpty || items != nil {
            return true
        }
        if contains != nil || unevaluatedItems != nil || unevaluatedProperties != nil { return true }
        if minProperties != nil || maxProperties != nil || !required.isEmpty { return true }
        if !dependentRequired.isEmpty || !properties.isEmpty || !patternProperties.isEmpty { return true }
        return additionalProperties != nil || propertyNames != nil || !conditional.isEmpty
    }
}
