package import JSONBytes

/// Finds out which values a schema describes at a path, for checks before any value is there.
///
/// A schema describes the members that it names. One that names none, and one with `additionalProperties`,
/// describes all.
package struct SchemaPaths {
    package enum Answer: Sendable, Equatable {
        /// The schema describes a value there, of one of these kinds.
        case described(Set<JSONFragment.Kind>)
        /// It describes nothing there. Up to a step it does, and there it has these names.
        case nothing(step: Int, names: [String])
    }

    /// The members of an object.
    package struct Members: Sendable {
        /// In order, each once.
        package let names: [String]
        /// Whether it describes others, too.
        package let isOpen: Bool
    }

    private enum Step {
        case name([UInt8])
        /// A member of an object, or of each object of an array.
        case nameWithin([UInt8])
        case index(Int)
        case all
        /// A name or a number, as the value at this place has it.
        case token(String)
    }

    private enum Described {
        case anything
        case schemas([SchemaAlternatives.Together])
    }

    private static let all: Set<JSONFragment.Kind> = [.null, .bool, .number, .string, .array, .object]
    /// Arrays in arrays through which a name goes.
    private static let mostLevels = 8

    private let set: SchemaSet
    private let choices: SchemaAlternatives

    package init(_ schema: JSONSchema) {
        set = schema.storage.set
        choices = SchemaAlternatives(set)
    }

    // MARK: - Questions

    package func answer(at pointer: JSONPointer) -> Answer { answer(pointer.names.map { .token($0) }) }

    /// Names go through arrays without mention.
    package func answer(at path: JSONMemberPath) -> Answer { answer(path.names.map { .nameWithin($0) }) }

    package func answer(at path: [JSONPathStep]) -> Answer {
        answer(
            path.map { step in
                switch step {
                case .name(let name): .name(name)
                case .index(let index): .index(index)
                case .all: .all
                }
            })
    }

    /// The kinds of values that the schema describes.
    package var kinds: Set<JSONFragment.Kind> { kinds(root) }

    /// The members of the objects that the schema describes.
    package var members: Members {
        var names: [String] = []
        var isOpen = false
        for place in root where choices.types(place).contains(.object) {
            names += self.names(place)
            isOpen = isOpen || place.contains { describesOthers(set.facts[$0]) }
        }
        return Members(names: Self.distinct(names), isOpen: isOpen || names.isEmpty)
    }

    private static func distinct(_ names: [String]) -> [String] {
        var known: Set<String> = []
        return names.filter { known.insert($0).inserted }
    }

    private var root: [SchemaAlternatives.Together] {
        choices.alternatives([choices.closure([set.root])]) ?? [[]]
    }

    private func answer(_ path: [Step]) -> Answer {
        var places = root
        for (index, step) in path.enumerated() {
            guard case .schemas(let next) = follow(step, places), let open = choices.alternatives(next) else {
                return .described(Self.all)
            }
            guard !open.isEmpty else {
                return .nothing(step: index, names: Self.distinct(places.flatMap { names(within: $0) }))
            }
            places = open
        }
        let kinds = kinds(places)
        return kinds.isEmpty ? .nothing(step: path.count, names: []) : .described(kinds)
    }

    // MARK: - Steps

    private func follow(_ step: Step, _ places: [SchemaAlternatives.Together]) -> Described {
        union(places.map { follow(step, $0) })
    }

    private func follow(_ step: Step, _ place: SchemaAlternatives.Together) -> Described {
        let types = choices.types(place)
        var found: [Described] = []
        switch step {
        case .name(let name):
            if types.contains(.object) { found.append(member(name, of: place)) }
        case .index(let index):
            if types.contains(.array) { found.append(element(index, of: place)) }
        case .all:
            if types.contains(.array) { found.append(elements(of: place)) }
            if types.contains(.object) { found.append(anyMember(of: place)) }
        case .nameWithin(let name): found.append(member(name, within: place, levels: Self.mostLevels))
        case .token(let text):
            if types.contains(.object) { found.append(member(Array(text.utf8), of: place)) }
            if types.contains(.array), let index = Int(text), index >= 0 {
                found.append(element(index, of: place))
            }
        }
        return union(found)
    }

    private func union(_ found: [Described]) -> Described {
        var schemas: [SchemaAlternatives.Together] = []
        for described in found {
            switch described {
            case .anything: return .anything
            case .schemas(let more): schemas += more
            }
        }
        return .schemas(schemas)
    }

    private func member(_ name: [UInt8], of place: SchemaAlternatives.Together) -> Described {
        var schemas: [FactsID] = []
        var isNamed = false
        for id in place {
            let facts = set.facts[id]
            var found = facts.properties.filter { $0.name == name }.map(\.schema)
            found += facts.patternProperties.filter { matches($0.pattern, name) }.map(\.schema)
            if found.isEmpty, let others = facts.additionalProperties { found.append(others) }
            isNamed = isNamed || !found.isEmpty
            schemas += found
        }
        if !isNamed {
            schemas = place.compactMap { set.facts[$0].unevaluatedProperties }
            if schemas.isEmpty { return names(place).isEmpty ? .anything : .schemas([]) }
        }
        return described(schemas)
    }

    private func member(
        _ name: [UInt8], within place: SchemaAlternatives.Together, levels: Int
    ) -> Described {
        let types = choices.types(place)
        var found: [Described] = []
        if types.contains(.object) { found.append(member(name, of: place)) }
        if types.contains(.array) {
            guard levels > 0, case .schemas(let schemas) = elements(of: place),
                let elements = choices.alternatives(schemas)
            else { return .anything }
            found += elements.map { member(name, within: $0, levels: levels - 1) }
        }
        return union(found)
    }

    private func anyMember(of place: SchemaAlternatives.Together) -> Described {
        if place.contains(where: { describesOthers(set.facts[$0]) }) { return .anything }
        let found = names(place).map { member(Array($0.utf8), of: place) }
        return found.isEmpty ? .anything : union(found)
    }

    private func element(_ index: Int, of place: SchemaAlternatives.Together) -> Described {
        var schemas: [FactsID] = []
        for id in place {
            let facts = set.facts[id]
            if let most = facts.maxItems, index >= most { return .schemas([]) }
            if index < facts.prefixItems.count {
                schemas.append(facts.prefixItems[index])
            } else if let items = facts.items ?? facts.unevaluatedItems {
                schemas.append(items)
            }
        }
        return schemas.isEmpty ? .anything : described(schemas)
    }

    private func elements(of place: SchemaAlternatives.Together) -> Described {
        let first = place.map { set.facts[$0].prefixItems.count }.max() ?? 0
        return union((0...first).map { element($0, of: place) })
    }

    private func described(_ schemas: [FactsID]) -> Described {
        let together = choices.closure(schemas)
        return together.contains { set.facts[$0].refusesAll } ? .schemas([]) : .schemas([together])
    }

    private func matches(_ pattern: Int, _ name: [UInt8]) -> Bool {
        var budget = PatternBudget(set.bounds.patternTime)
        var memory: PatternMemory?
        return name.withUnsafeBytes { set.patterns[pattern].match($0, &memory, &budget) } == .matches
    }

    private func describesOthers(_ facts: SchemaFacts) -> Bool {
        guard let others = facts.additionalProperties ?? facts.unevaluatedProperties else {
            return !facts.patternProperties.isEmpty
        }
        return !set.facts[others].refusesAll
    }

    private func names(_ place: SchemaAlternatives.Together) -> [String] {
        place.sorted().flatMap { id in
            set.facts[id].properties.filter { !set.facts[$0.schema].refusesAll }.map {
                String(decoding: $0.name, as: UTF8.self)
            }
        }
    }

    /// The names of an object, or of the objects of an array.
    private func names(within place: SchemaAlternatives.Together) -> [String] {
        let own = names(place)
        guard own.isEmpty, choices.types(place).contains(.array),
            case .schemas(let schemas) = elements(of: place)
        else { return own }
        return (choices.alternatives(schemas) ?? []).flatMap { names($0) }
    }

    private func kinds(_ places: [SchemaAlternatives.Together]) -> Set<JSONFragment.Kind> {
        var kinds: Set<JSONFragment.Kind> = []
        for place in places {
            let types = choices.types(place)
            if types.contains(.null) { kinds.insert(.null) }
            if types.contains(.bool) { kinds.insert(.bool) }
            if !types.isDisjoint(with: .number) { kinds.insert(.number) }
            if types.contains(.string) { kinds.insert(.string) }
            if types.contains(.array) { kinds.insert(.array) }
            if types.contains(.object) { kinds.insert(.object) }
        }
        return kinds
    }
}
