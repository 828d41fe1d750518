import ASCIIText
import EndpointPlans
import JSONBytes

/// Decodes one part. References are resolved in the scope of the endpoint.
struct PartDecoder {
    let values: ShapeValues
    let name: Located<String>
    /// The part in the scope.
    let index: Int
    let scope: ReferenceScope

    private var reader: ConfigReader { values.reader }
    /// Whether another member is likely meant as `forEach`, so its companions do not count as mistakes.
    private var hasMisspelledForEach: Bool {
        values.unknown.contains { Suggestion.nearest(to: $0, among: [PartShape.forEach.name]) != nil }
    }

    /// Returns the part; nil after a problem.
    func decode() -> PlannedPart? {
        let condition = readCondition()
        let content = content()
        // Without a kind, the other members are read for their problems.
        var part = PlannedPart(name.value, content ?? .value(.constant(.null)), at: name.place)
        part.shape.kept = values.read(PartShape.keep)
        part.shape.dropped = values.read(PartShape.drop) ?? []
        part.shape.renamed = values.read(PartShape.rename) ?? []
        part.isMerged = values.read(PartShape.merge) ?? false
        part.isHidden = values.read(PartShape.hidden) ?? false
        part.schema = values.read(PartShape.schema)
        part.check = values.read(PartShape.check) ?? .report
        if !values.has(PartShape.schema), let place = values.place(of: PartShape.check) {
            reader.error("check needs schema", at: place)
        }
        part.operation = operation
        part.policy = policy()
        part.condition = condition
        if values.isUnknown(PartShape.optional) { reader.partsOfUnknownPolicy.insert(name.place) }
        if values.isUnknown(PartShape.merge) || values.isUnknown(PartShape.hidden) {
            reader.partsOfUnknownPlace.insert(name.place)
        }
        if part.isHidden, part.isMerged, let place = values.place(of: PartShape.merge) {
            reader.error("a hidden part has no place into which it could be merged", at: place)
        }
        return content == nil ? nil : part
    }

    /// The method and the path as the file has them, with variables instead of their values.
    private var operation: String? {
        for (method, member) in CallShape.methods {
            guard case .scalar(let path)? = values.node(member)?.content else { continue }
            return "\(method) \(path.substitution?.written ?? path.text)"
        }
        return nil
    }

    private func policy() -> PlannedPart.Policy {
        let isOptional = values.located(PartShape.optional)
        let fallback = values.located(PartShape.fallback)
        if let isOptional, isOptional.value, values.has(PartShape.fallback) {
            reader.error("a part with a fallback is optional anyway", at: isOptional.place)
        }
        if let fallback { return .fallback(fallback) }
        return isOptional?.value == true ? .optional : .required
    }

    private func readCondition() -> PlannedCondition? {
        scope.site = .init()
        return values.read(PartShape.when)
    }

    private func content() -> PlannedPart.Content? {
        let isGroup = values.has(PartShape.parts)
        let isValue = values.has(PartShape.value)
        let isCall = CallShape.isCall(values)
        guard [isGroup, isValue, isCall].count(where: { $0 }) == 1 else {
            reader.error(
                isGroup || isValue || isCall
                    ? "a part is a call (upstream), a group (parts) or a value, and only one of them"
                    : "a part needs the member \"upstream\", \"parts\" or \"value\"", at: name.place)
            return nil
        }
        if !isCall {
            refuse(PartShape.callMembers, "a call; this part is \(isGroup ? "a group" : "a value")")
        }
        if !values.has(PartShape.forEach), !hasMisspelledForEach {
            refuse(PartShape.itemMembers, "a part with forEach")
            if !isGroup { refuse([PartShape.atLeast.name], "a group or a part with forEach") }
        }
        if isGroup { return group() }
        if isValue {
            scope.site = .init()
            return values.read(PartShape.value).map { .value($0) }
        }
        return call()
    }

    private func refuse(_ names: [String], _ owner: String) {
        for member in values.map.members where names.contains(member.name) {
            reader.error("\(member.name) belongs to \(owner)", at: member.namePlace)
        }
    }

    private func group() -> PlannedPart.Content? {
        let node = values.node(PartShape.parts)
        let parts = PartList.read(node, Subject("parts"), reader, below: index)
        guard let parts, case .map(let map)? = node?.content else { return nil }
        let quorum = quorum { PlannedGroup.fault($0, of: map.members.count) }
        // After a problem, parts may be missing.
        guard !parts.isEmpty || map.members.isEmpty else { return nil }
        var group = PlannedGroup(parts)
        group.$atLeast = parts.count == map.members.count ? quorum : nil
        return .group(group)
    }

    /// Returns `atLeast`; nil after a problem.
    ///
    /// - Parameter fault: why it cannot be reached.
    private func quorum(_ fault: (Int) -> String?) -> Located<Int>? {
        guard let quorum = values.located(PartShape.atLeast) else { return nil }
        guard !values.isUnknown(PartShape.atLeast), let fault = fault(quorum.value) else { return quorum }
        reader.error(fault, at: quorum.place)
        return nil
    }

    private func call() -> PlannedPart.Content? {
        scope.site = .init()
        let hasItems = values.has(PartShape.forEach)
        let source = values.read(PartShape.forEach)
        scope.site = .init(hasItem: hasItems || hasMisspelledForEach)
        var call = CallShape.decode(values)
        guard hasItems else { return call.map { .call($0) } }
        let limit = values.located(PartShape.limit)
        let hasWrongLimit = limit == nil && values.has(PartShape.limit)
        let isLimitKnown = !hasWrongLimit && !values.isUnknown(PartShape.limit)
        let quorum = quorum { isLimitKnown ? PlannedItems.fault($0, limit: limit?.value) : nil }
        let (concurrency, itemFailure) = (
            values.located(PartShape.concurrency), values.located(PartShape.itemFailure)
        )
        guard let source else { return nil }
        var items = PlannedItems(source)
        items.$concurrency = concurrency
        // After a problem the least, so that no warning follows from it.
        items.$limit = hasWrongLimit ? Located(1, at: name.place) : limit
        items.$failure = itemFailure
        items.$atLeast = hasWrongLimit ? nil : quorum
        call?.items = items
        return call.map { .call($0) }
    }
}

/// Reads the parts of an endpoint or a group.
enum PartList {
    /// - Parameters:
    ///   - node: the mapping of the parts, if it is there.
    ///   - subject: its name.
    ///   - reader: has the scope, to which the parts were added before.
    ///   - parent: the group in the scope.
    static func read(
        _ node: YAMLNode?, _ subject: Subject, _ reader: ConfigReader, below parent: Int
    ) -> [PlannedPart]? {
        guard let node, let scope = reader.scope,
            let map = reader.map(node, subject, example: "{name: \(PartShape.shape.example)}")
        else { return nil }
        var parts: [PlannedPart] = []
        parts.reserveCapacity(map.members.count)
        for member in map.members {
            guard let index = scope.child(member.name, of: parent),
                let part = read(member, index, scope, reader)
            else { continue }
            parts.append(part)
        }
        return parts
    }

    static func read(
        _ member: YAMLMember, _ index: Int, _ scope: ReferenceScope, _ reader: ConfigReader
    ) -> PlannedPart? {
        guard let values = PartShape.shape.open(member.value, Subject(member.name), reader) else {
            return nil
        }
        let name = Located(member.name, at: member.namePlace)
        return PartDecoder(values: values, name: name, index: index, scope: scope).decode()
    }

    /// Adds the parts of a mapping and of its groups to the scope, so that a reference may name a later one.
    static func declare(
        _ node: YAMLNode?, in scope: ReferenceScope, below parent: Int, _ problems: ProblemList
    ) {
        guard case .map(let map)? = node?.content else { return }
        for member in map.members {
            guard PartName.isValid(member.name) else {
                problems.error(
                    "\"\(Shown.text(member.name))\" is not a name for a part: \(PartName.rule)",
                    at: member.namePlace)
                continue
            }
            declare(member.name, member.value, in: scope, below: parent, problems)
        }
    }

    static func declare(
        _ name: String, _ node: YAMLNode, in scope: ReferenceScope, below parent: Int, _ problems: ProblemList
    ) {
        guard case .map(let map) = node.content else {
            _ = scope.add(name, to: parent, isMerged: false)
            return
        }
        let index = scope.add(name, to: parent, isMerged: map[PartShape.merge.name] != nil)
        declare(map[PartShape.parts.name]?.value, in: scope, below: index, problems)
    }
}

/// The names of parts and steps: those that a reference can have without quotes.
enum PartName {
    static let rule = "letters, digits, _ and -, at most 64 bytes, and no digit first"

    static func isValid(_ name: String) -> Bool {
        guard name.utf8.count <= 64 else { return false }
        var parser = ReferenceParser(Array("parts.\(name)}".utf8), from: 0)
        guard let (_, path, end) = try? parser.parse() else { return false }
        return path == [.name(Array(name.utf8))] && end == name.utf8.count + 7
    }
}

extension ValueType where Value == [PlannedPart] {
    /// Described here, and read by `PartList`.
    static let parts: ValueType<[PlannedPart]> = ValueType<[PlannedPart]> { definitions in
        let part = definitions.reference(PartShape.shape)
        return .type("object", [("additionalProperties", part)])
    } read: { _, _, _ in
        nil
    }
}
