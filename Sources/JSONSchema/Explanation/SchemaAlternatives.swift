/// Lists the sets of schemas that may hold for a value together: one for each choice among alternatives.
struct SchemaAlternatives {
    /// Schemas that hold for a value together, with all that they imply.
    typealias Together = Set<FactsID>

    private static let most = 256

    private let set: SchemaSet

    init(_ set: SchemaSet) { self.set = set }

    /// The schemas and what they imply.
    func closure(_ schemas: some Sequence<FactsID>) -> Together {
        var found: Together = []
        var open = Array(schemas)
        while let next = open.popLast() {
            if found.insert(next).inserted { open += set.facts[next].unconditional }
        }
        return found
    }

    /// The types that all of them allow.
    func types(_ place: Together) -> TypeSet {
        place.reduce(TypeSet.all) { types, id in
            let facts = set.facts[id]
            if facts.refusesAll { return [] }
            return types.intersection(facts.types).intersection(facts.valueTypes)
        }
    }

    /// Each choice among `anyOf`, `oneOf` and conditions that a value may follow; nil if there are too many.
    func alternatives(_ places: [Together]) -> [Together]? {
        var done: Set<Together> = []
        var known: Set<Choice> = []
        var open = places.map { Choice(schemas: $0, decided: []) }
        while let choice = open.popLast() {
            guard known.insert(choice).inserted else { continue }
            guard known.count <= Self.most else { return nil }
            let undecided = choice.schemas.subtracting(choice.decided).sorted()
            guard let id = undecided.first(where: { hasBranches(set.facts[$0]) }) else {
                if !types(choice.schemas).isEmpty { done.insert(choice.schemas) }
                continue
            }
            for branch in branches(set.facts[id]) {
                open.append(
                    Choice(
                        schemas: choice.schemas.union(closure(branch)), decided: choice.decided.union([id])))
            }
        }
        return done.sorted { $0.sorted().lexicographicallyPrecedes($1.sorted()) }
    }

    private struct Choice: Hashable {
        let schemas: Together
        /// The schemas whose branches are chosen.
        let decided: Together
    }

    private func hasBranches(_ facts: SchemaFacts) -> Bool {
        !facts.anyOf.isEmpty || !facts.oneOf.isEmpty || facts.condition != nil
            || !facts.dependentSchemas.isEmpty || facts.discriminator != nil
    }

    private func branches(_ facts: SchemaFacts) -> [[FactsID]] {
        var lists: [[[FactsID]]] = []
        if !facts.anyOf.isEmpty { lists.append(facts.anyOf.map { [$0] }) }
        if !facts.oneOf.isEmpty { lists.append(facts.oneOf.map { [$0] }) }
        if facts.condition != nil {
            lists.append([facts.then.map { [$0] } ?? [], facts.otherwise.map { [$0] } ?? []])
        }
        for (_, schema) in facts.dependentSchemas { lists.append([[], [schema]]) }
        // Schemas that extend this one.
        if lists.isEmpty, let (_, schemas) = facts.discriminator {
            lists.append([[]] + schemas.map { [$0.schema] })
        }
        return lists.reduce([[]]) { product, list in
            product.count > Self.most ? product : product.flatMap { left in list.map { left + $0 } }
        }
    }
}
