extension SchemaCompiler {
    /// Makes the folds of a node, and marks it as composed if it has any.
    mutating func makeFolds(
        _ schemas: [FactsID], _ parts: [SchemaFacts], _ names: NumberedNames, of id: NodeID,
        _ made: inout SchemaPlan.Node
    ) -> SchemaPlan.Span {
        var folds: [SchemaPlan.Fold] = []
        func add(_ kind: SchemaPlan.Fold.Kind, _ nodes: [NodeID], name: Int32 = -1) {
            let span = withPlan { SchemaPlan.append(nodes, to: &$0.nodeList) }
            folds.append(SchemaPlan.Fold(kind: kind, nodes: span, name: name))
        }
        for part in parts {
            if !part.anyOf.isEmpty, typesOfAlternatives(part) == nil {
                let nodes = part.anyOf.map { node([$0]) }
                // If one alternative accepts everything, the others matter only for what they evaluate.
                if asksForEvaluation || !nodes.contains(SchemaPlan.anything) { add(.anyOf, nodes) }
            }
            if !part.oneOf.isEmpty { add(.oneOf, part.oneOf.map { node([$0]) }) }
            if let not = part.not { add(.not, [node([not])]) }
            if let condition = part.condition,
                asksForEvaluation || part.then != nil || part.otherwise != nil
            {
                let then = node(part.then.map { [$0] } ?? [])
                let otherwise = node(part.otherwise.map { [$0] } ?? [])
                add(.condition, [node([condition]), then, otherwise])
            }
            if made.types.contains(.object) {
                for (name, schema) in part.dependentSchemas {
                    add(.dependency, [node([schema])], name: names.numbers[name] ?? -1)
                }
            }
        }
        made.isComposed = !folds.isEmpty
        return withPlan { SchemaPlan.append(folds, to: &$0.folds) }
    }

    // MARK: - Alternatives by type

    /// The types that an `anyOf` allows, if its alternatives say nothing but types.
    func typesOfAlternatives(_ facts: SchemaFacts) -> TypeSet? {
        guard !facts.anyOf.isEmpty, !asksForEvaluation else { return nil }
        var types: TypeSet = []
        for branch in facts.anyOf {
            let implied = closure([branch])
            guard !implied.isEmpty, implied.allSatisfy({ schema($0).saysOnlyTypes }) else { return nil }
            types.formUnion(implied.reduce(.all) { $0.intersection(schema($1).types) })
        }
        return types
    }

    private func types(of branch: FactsID) -> TypeSet {
        closure([branch]).reduce(.all) { types, id in
            schema(id).refusesAll
                ? [] : types.intersection(schema(id).types).intersection(schema(id).valueTypes)
        }
    }

    /// Makes a node for each type if the type of a value decides which alternative holds. Returns their place
    /// in the list of nodes; nil if no alternatives are decided so.
    mutating func dispatch(_ schemas: [FactsID], _ parts: [SchemaFacts], _ types: TypeSet) -> Int32? {
        guard !asksForEvaluation else { return nil }
        for (id, part) in zip(schemas, parts) {
            for isOneOf in [false, true] {
                let branches = isOneOf ? part.oneOf : part.anyOf
                guard branches.count > 1, isOneOf || typesOfAlternatives(part) == nil,
                    areDisjoint(branches, types)
                else { continue }
                let rest = without(isOneOf, id)
                let others = Set(schemas).subtracting([id]).union([rest])
                let nodes = TypeSet.byFirstByte.map { type -> NodeID in
                    guard !type.isDisjoint(with: types) else { return SchemaPlan.nothing }
                    // Only the types that the other schemas leave: of integers and fractions perhaps one.
                    let fitting = branches.first {
                        !self.types(of: $0).intersection(types).isDisjoint(with: type)
                    }
                    return fitting.map { node(closed: others.union(closure([$0])).sorted()) }
                        ?? SchemaPlan.nothing
                }
                let span = withPlan { SchemaPlan.append(nodes, to: &$0.nodeList) }
                return span.start
            }
        }
        return nil
    }

    /// Whether at most one alternative accepts values of a type.
    private func areDisjoint(_ branches: [FactsID], _ types: TypeSet) -> Bool {
        var seen: TypeSet = []
        for branch in branches {
            let own = self.types(of: branch).intersection(types)
            // The first byte of a number does not tell integers from fractions.
            let widened = own.isDisjoint(with: .number) ? own : own.union(.number)
            guard seen.isDisjoint(with: widened) else { return false }
            seen.formUnion(widened)
        }
        return true
    }

    /// The same schema without the alternatives that have been decided.
    private mutating func without(_ isOneOf: Bool, _ id: FactsID) -> FactsID {
        let key = DecidedAlternative(schema: id, isOneOf: isOneOf)
        if let known = decided[key] { return known }
        var copy = schema(id)
        if isOneOf { copy.oneOf = [] } else { copy.anyOf = [] }
        let made = derive(copy)
        decided[key] = made
        return made
    }
}

struct DecidedAlternative: Hashable {
    let schema: FactsID
    let isOneOf: Bool
}

extension TypeSet {
    /// The types that a first byte tells apart, in the order of `SchemaPlan.Node.dispatch`.
    static let byFirstByte: [TypeSet] = [.null, .bool, .object, .array, .string, .number]

    /// The position of a first byte's type in `byFirstByte`.
    @inline(__always) var position: Int { rawValue.trailingZeroBitCount }
}

extension SchemaFacts {
    fileprivate var saysOnlyTypes: Bool {
        guard types != .all else { return false }
        var copy = self
        copy.types = .all
        return !copy.saysSomething
    }
}
