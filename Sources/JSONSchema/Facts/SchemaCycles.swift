import JSONBytes

/// Finds schemas that lead only to themselves: no value could ever be checked by them.
enum SchemaCycles {
    /// Returns the first problem: a cycle, or schemas for one value that are nested too deep.
    static func problem(in set: SchemaSet, _ resources: SchemaResources) -> SchemaProblem? {
        // 0 for schemas that no walk has reached, 1 for those on the way, 2 for others.
        var states = [UInt8](repeating: 0, count: set.facts.count)
        var depths = [Int](repeating: 0, count: set.facts.count)
        for start in set.facts.indices where states[start] == 0 {
            var path: [(schema: FactsID, rest: [FactsID])] = [(start, next(set.facts[start]))]
            states[start] = 1
            while let (schema, left) = path.popLast() {
                var rest = left
                guard let other = rest.popLast() else {
                    states[schema] = 2
                    depths[schema] = 1 + (next(set.facts[schema]).map { depths[$0] }.max() ?? 0)
                    continue
                }
                path.append((schema, rest))
                if states[other] == 1 { return cycle(path.map(\.schema), to: other, set, resources) }
                if states[other] == 2 { continue }
                states[other] = 1
                path.append((other, next(set.facts[other])))
            }
            if depths[start] > set.bounds.levels {
                let facts = set.facts[start]
                return SchemaProblem(
                    document: set.documents[facts.location.document], place: facts.place,
                    message: "at most \(set.bounds.levels) schemas may be nested for one value")
            }
        }
        return nil
    }

    private static func next(_ facts: SchemaFacts) -> [FactsID] { facts.unconditional + facts.conditional }

    private static func cycle(
        _ path: [FactsID], to schema: FactsID, _ set: SchemaSet, _ resources: SchemaResources
    ) -> SchemaProblem {
        let cycle = Array(path.drop { $0 != schema }) + [schema]
        let isOneDocument = Set(cycle.map { set.facts[$0].location.document }).count == 1
        let pointers = cycle.map { id -> String in
            let location = set.facts[id].location
            let document = resources.documents[location.document]
            let pointer = document.tree.pointer(to: location.node).description
            guard isOneDocument else { return document.title + pointer }
            return pointer.isEmpty ? "#" : pointer
        }
        let facts = set.facts[schema]
        let word = facts.references.first?.word ?? .ref
        return SchemaProblem(
            document: set.documents[facts.location.document], place: facts.place(of: word),
            message: "\(word.rawValue): this schema leads only to itself: "
                + pointers.joined(separator: " -> "))
    }
}
