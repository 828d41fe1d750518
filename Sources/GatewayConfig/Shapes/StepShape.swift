import ASCIIText
import EndpointPlans

/// What runs before the parts: a call, or a group of calls.
enum StepShape {
    static let parts: Member<[PlannedPart]> = Member(
        "parts", .steps, "The steps of a group, which start together. Each is a call.")

    static let shape: Shape = Shape(
        "a step", definition: "step", example: "{upstream: users, get: /me}", meant: PartShape.meant,
        CallShape.upstream,
        CallShape.get, CallShape.post, CallShape.put,
        CallShape.patch, CallShape.delete, CallShape.query, CallShape.headers, CallShape.body,
        CallShape.timeout,
        CallShape.attempts, CallShape.pick, CallShape.expect, parts)
}

/// Reads the steps of an endpoint.
enum StepList {
    private static var example: String { "{name: \(StepShape.shape.example)}" }

    /// - Parameters:
    ///   - node: the mapping of the steps, if it is there.
    ///   - scope: gets the names of the steps.
    static func read(_ node: YAMLNode?, _ scope: ReferenceScope, _ reader: ConfigReader) -> [PlannedPart] {
        guard let node,
            let map = reader.map(node, Subject(EndpointShape.first.name), example: example)
        else { return [] }
        var members: [String: NameList] = [:]
        for member in map.members {
            guard let group = group(of: member) else { continue }
            members[member.name] = NameList(group.members.map(\.name))
        }
        scope.declareSteps(map.members.map(\.name), members: members)
        return map.members.enumerated().compactMap { index, member in
            scope.site = .init(step: index)
            return step(member, isInGroup: false, reader)
        }
    }

    /// Returns the steps of a group; nil for a call.
    private static func group(of member: YAMLMember) -> YAMLMap? {
        guard case .map(let map) = member.value.content,
            case .map(let steps)? = map[StepShape.parts.name]?.value.content
        else { return nil }
        return steps
    }

    private static func step(
        _ member: YAMLMember, isInGroup: Bool, _ reader: ConfigReader
    ) -> PlannedPart? {
        guard PartName.isValid(member.name) else {
            reader.error(
                "\"\(Shown.text(member.name))\" is not a name for a step: \(PartName.rule)",
                at: member.namePlace)
            return nil
        }
        guard let values = StepShape.shape.open(member.value, Subject(member.name), reader) else {
            return nil
        }
        guard let place = values.place(of: StepShape.parts) else {
            return CallShape.decode(values).map {
                PlannedPart(member.name, .call($0), at: member.namePlace)
            }
        }
        if isInGroup {
            reader.error("a group of steps has no groups: its steps start together anyway", at: place)
            return nil
        }
        return steps(values, reader).map {
            PlannedPart(member.name, .group(PlannedGroup($0)), at: member.namePlace)
        }
    }

    /// Returns the steps of a group; nil after a problem.
    private static func steps(_ values: ShapeValues, _ reader: ConfigReader) -> [PlannedPart]? {
        for member in values.map.members where PartShape.callMembers.contains(member.name) {
            reader.error("\(member.name) belongs to a call; this step is a group", at: member.namePlace)
        }
        guard let node = values.node(StepShape.parts),
            let map = reader.map(node, Subject(StepShape.parts.name), example: example)
        else { return nil }
        let steps = map.members.compactMap { step($0, isInGroup: true, reader) }
        // After a problem, steps may be missing.
        return steps.isEmpty && !map.members.isEmpty ? nil : steps
    }
}

extension ValueType where Value == [PlannedPart] {
    /// Described here, and read by `StepList`.
    static let steps: ValueType<[PlannedPart]> = ValueType<[PlannedPart]> { definitions in
        let step = definitions.reference(StepShape.shape)
        return .type("object", [("additionalProperties", step)])
    } read: { _, _, _ in
        nil
    }
}
