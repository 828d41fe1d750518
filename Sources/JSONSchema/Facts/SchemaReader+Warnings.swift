import ASCIIText

// What is allowed in the schemas of a file, and likely a mistake.

extension SchemaReader {
    /// Warns of a pattern without an anchor at both ends, the commonest hole in a schema.
    mutating func noteAnchors(of pattern: String, at value: SchemaLocation) {
        guard isOwn(value), !node(value).isHidden else { return }
        let start = pattern.utf8.first == UInt8(ascii: "^")
        let end = pattern.hasSuffix("$") && !pattern.hasSuffix("\\$")
        guard !start || !end else { return }
        let missing = start ? "$ at its end" : end ? "^ at its start" : "^ at its start and $ at its end"
        resources.complain(
            "pattern: \"\(Shown.text(pattern))\" matches anywhere in a text; the whole text needs \(missing)",
            at: node(value).place, of: value, isWarning: true)
    }

    /// Warns of schemas whose words let values of other types pass.
    mutating func noteOpenTypes(_ root: FactsID) {
        guard options.refusesUnknownWords else { return }
        var values: Set<FactsID> = [root]
        for schema in facts {
            values.formUnion(schema.properties.map(\.schema))
            values.formUnion(schema.patternProperties.map(\.schema))
            values.formUnion(schema.prefixItems)
            values.formUnion([schema.items, schema.additionalProperties].compactMap { $0 })
        }
        for id in values.sorted() where isOwn(facts[id].location) { noteOpenType(facts[id]) }
    }

    private mutating func noteOpenType(_ facts: SchemaFacts) {
        guard facts.types == .all, facts.valueTypes == .all, !facts.hidden.contains(.type),
            facts.unconditional.isEmpty,
            facts.conditional.isEmpty, !node(facts.location).isHidden
        else { return }
        for (word, place) in facts.places {
            guard let types = word.types, let name = types.name else { continue }
            return resources.complain(
                "\(word.rawValue) only holds for type \(name), and values of other types pass; add type: \(name)",
                at: place, of: facts.location, isWarning: true)
        }
    }
}

extension TypeSet {
    /// The name of the only type that a word is about.
    fileprivate var name: String? {
        switch self {
        case .string: "string"
        case .number: "number"
        case .array: "array"
        case .object: "object"
        default: nil
        }
    }
}

extension SchemaResources {
    /// Whether what a word says is hidden.
    ///
    /// - Parameter isValue: whether that is a value, which is hidden if anything in it is. Schemas in it have
    ///   words of their own.
    func hasHidden(_ location: SchemaLocation, isValue: Bool) -> Bool {
        let nodes = documents[location.document].tree.nodes
        var open = [location.node] + (nodes[location.node].elements ?? [])
        while let next = open.popLast() {
            if nodes[next].isHidden { return true }
            guard isValue else { continue }
            open += nodes[next].elements ?? []
            open += (nodes[next].members ?? []).map(\.value)
        }
        return false
    }
}
