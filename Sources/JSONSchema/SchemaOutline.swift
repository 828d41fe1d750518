/// What a schema says about the form of a value, as far as it holds in any case.
package struct SchemaOutline: Sendable {
    private let schema: JSONSchema.Storage
    /// The schemas that hold together for the value.
    private let facts: [FactsID]

    init(_ schema: JSONSchema.Storage, _ roots: [FactsID]) {
        self.schema = schema
        var known: [FactsID] = []
        var open = roots
        while let next = open.popLast() {
            guard !known.contains(next) else { continue }
            known.append(next)
            open += schema.set.facts[next].unconditional
        }
        facts = known
    }

    private var all: [SchemaFacts] { facts.map { schema.set.facts[$0] } }

    private var typeSet: TypeSet { Self.types(of: facts, schema.set, 0) }

    /// Deeper alternatives are not looked at.
    private static let mostLevels = 8

    private static func types(of list: [FactsID], _ set: SchemaSet, _ level: Int) -> TypeSet {
        guard level < mostLevels else { return .all }
        return list.reduce(.all) { types, id in
            let facts = set.facts[id]
            var own = facts.types.intersection(facts.valueTypes)
            for branches in [facts.anyOf, facts.oneOf] where !branches.isEmpty {
                own.formIntersection(
                    branches.reduce([]) { $0.union(Self.types(of: [$1], set, level + 1)) })
            }
            if level > 0 { own.formIntersection(Self.types(of: facts.unconditional, set, level + 1)) }
            return types.intersection(own)
        }
    }

    /// Whether the schema says nothing about the type.
    package var hasAnyType: Bool { typeSet == .all }

    /// The name of the only type that a value other than null may have: `array`. Nil if there are several.
    package var type: String? {
        switch typeSet.subtracting(.null) {
        case .bool: "boolean"
        case .object: "object"
        case .array: "array"
        case .string: "string"
        case .integer: "integer"
        case .number, .fraction: "number"
        default: nil
        }
    }

    /// Whether the value may be null.
    package var mayBeNull: Bool { typeSet.contains(.null) }

    /// The format of a text; nil if none is asserted.
    package var format: String? { all.lazy.compactMap(\.format).first?.rawValue }

    /// Whether the schema says no more than the type of a value and the format of a date, a time or a UUID.
    package var isPlain: Bool {
        guard let only = all.first, all.count == 1 else { return false }
        let isKnown = only.format.map { [.date, .dateTime, .uuid].contains($0) } ?? true
        return isKnown && !only.refusesAll && !only.types.contains(.null)
            && only.places.allSatisfy {
                [.type, .format].contains($0.word) || $0.word.vocabulary == .metadata
            }
    }

    /// The most elements that an array may have.
    package var maxItems: Int? { all.compactMap(\.maxItems).min() }

    /// The names of the members that the schema describes, in its order.
    package var names: [String] {
        var known: Set<[UInt8]> = []
        return all.flatMap(\.properties).filter { known.insert($0.name).inserted }.map {
            String(decoding: $0.name, as: UTF8.self)
        }
    }

    package enum Member {
        case unknown
        /// No object may have it.
        case refused
        case found(SchemaOutline)
    }

    /// Returns what the schema says about a member.
    package func member(_ name: String) -> Member {
        let bytes = Array(name.utf8)
        var found: [FactsID] = []
        for facts in all {
            let named = facts.properties.filter { $0.name == bytes }.map(\.schema)
            // Patterns are not tried: the member may be described by them.
            guard named.isEmpty, facts.patternProperties.isEmpty else {
                found += named
                continue
            }
            guard let rest = facts.additionalProperties else { continue }
            if schema.set.facts[rest].refusesAll { return .refused }
            found.append(rest)
        }
        if found.contains(where: { schema.set.facts[$0].refusesAll }) { return .refused }
        return found.isEmpty ? .unknown : .found(SchemaOutline(schema, found))
    }

    /// What the schema says about an element of an array; nil if it says nothing.
    ///
    /// - Parameter index: its position; nil for any.
    package func element(_ index: Int? = nil) -> SchemaOutline? {
        let found = all.compactMap { facts -> FactsID? in
            if let index, index < facts.prefixItems.count { return facts.prefixItems[index] }
            return index == nil && !facts.prefixItems.isEmpty ? nil : facts.items
        }
        return found.isEmpty ? nil : SchemaOutline(schema, found)
    }
}

extension JSONSchema {
    /// What it says about the form of values.
    package var outline: SchemaOutline { SchemaOutline(storage, [storage.set.root]) }
}
