import HTTPModel
import JSONBytes

/// Checks a planned endpoint: its names, bounds, groups, shapes and merged members. The reader of files and
/// the engine use it.
package struct PlanCheck {
    /// The most steps and parts of an endpoint.
    private static let mostParts = 256
    /// The deepest nesting of groups.
    private static let deepestGroup = 16

    private let endpoint: PlannedEndpoint
    private let isUnknown: (ConfigPlace) -> Bool
    private var faults: [PlanFault] = []
    /// The part that is being checked.
    private var part: String?
    private var isStep = false

    /// Returns all faults of an endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint.
    ///   - isUnknown: whether a value, or the place of a part in the answer, depends on a variable that is
    ///     not read.
    package static func faults(
        of endpoint: PlannedEndpoint, isUnknown: @escaping (ConfigPlace) -> Bool = { _ in false }
    ) -> [PlanFault] {
        var check = PlanCheck(endpoint: endpoint, isUnknown: isUnknown)
        check.run()
        return check.faults
    }

    private init(endpoint: PlannedEndpoint, isUnknown: @escaping (ConfigPlace) -> Bool) {
        self.endpoint = endpoint
        self.isUnknown = isUnknown
    }

    private mutating func run() {
        let (steps, parts) = (PlanGraph(endpoint.first), PlanGraph(endpoint.parts.list))
        checkNames(steps)
        checkNames(parts)
        part = nil
        // Other faults would follow from these.
        guard faults.isEmpty else { return }
        if (steps.nodes + parts.nodes).count(where: { !$0.isGroup }) > Self.mostParts {
            complain("more than \(Self.mostParts) steps and parts", at: endpoint.place)
        }
        isStep = true
        _ = names(of: endpoint.first, below: "", [])
        isStep = false
        switch endpoint.parts {
        case .named(let parts): _ = names(of: parts, below: "", [])
        case .data(let part): check(data: part)
        }
        part = nil
        check(endpoint.answer)
        for cycle in parts.cycles() { complain(cycle.message, at: cycle.place) }
    }

    private mutating func complain(_ message: String, at place: ConfigPlace) {
        faults.append(PlanFault(part: part, message: message, place: place))
    }

    private mutating func complain(_ faults: [Located<String>]) {
        for fault in faults { complain(fault.value, at: fault.place) }
    }

    /// Reports names that are missing or come twice in a group, and groups that are nested too deep.
    private mutating func checkNames(_ graph: PlanGraph) {
        var known: Set<[String]> = []
        var leaves: Set<String> = []
        for node in graph.nodes {
            part = node.name
            if node.part.name.isEmpty { complain("the name is missing", at: node.part.place) }
            if node.isGroup, node.groups.count == Self.deepestGroup - 1 {
                complain("more than \(Self.deepestGroup) groups in groups", at: node.part.place)
            }
            // The members of a group whose name comes twice have their group's fault.
            let group = node.groups.last.map { "\($0)" } ?? ""
            if !known.insert([group, node.part.name]).inserted {
                complain("two parts have this name", at: node.part.place)
            } else if !node.isGroup, !leaves.insert(node.name).inserted {
                // A name with a point may belong to a part in a group.
                complain("two parts have this name in errors", at: node.part.place)
            }
        }
    }

    // MARK: Steps and parts

    private mutating func check(data part: PlannedPart) {
        _ = names(in: part, "", [])
        if part.isHidden { complain("the part that is all of data cannot be hidden", at: part.place) }
        if part.isMerged {
            complain(
                "the part that is all of data has no object into which it could be merged", at: part.place)
        }
    }

    /// Checks parts that make an object, and returns its members.
    ///
    /// - Parameters:
    ///   - prefix: the names of the groups, each with a point.
    ///   - shapes: what the object goes through, from the inside.
    private mutating func names(
        of parts: [PlannedPart], below prefix: String, _ shapes: [JSONShape]
    ) -> MemberNames {
        var names = MemberNames()
        for part in parts {
            let change = shapes.change(of: Array(part.name.utf8))
            let below = part.isMerged ? shapes : change.name == nil ? [] : change.shapes
            let inner = self.names(in: part, prefix, part.isHidden ? [] : below)
            if !part.isHidden, !isUnknown(part.place) { complain(names.add(part, inner)) }
        }
        return names
    }

    /// Checks a part, and returns the members of a group.
    ///
    /// - Parameter shapes: what its value goes through after its own shape.
    private mutating func names(in part: PlannedPart, _ prefix: String, _ shapes: [JSONShape]) -> MemberNames?
    {
        let full = prefix + part.name
        self.part = full
        if isStep { check(step: part) }
        var names: MemberNames?
        switch part.content {
        case .call(let call): check(call)
        case .group(let group):
            if group.parts.isEmpty {
                complain("a group has at least one \(isStep ? "step" : "part")", at: part.place)
            }
            check(group.$atLeast) { PlannedGroup.fault($0, of: group.parts.count) }
            let own = part.shape.json.map { [$0] } ?? []
            names = self.names(of: group.parts, below: full + ".", own + shapes)
            self.part = full
            complain(names?.shape(of: part) ?? [])
        case .value: break
        }
        complain(part.shape.faults)
        if part.isMerged { check(merged: part) }
        if case .fallback(let fallback) = part.policy, !isUnknown(fallback.place),
            (try? shapes.applied(to: fallback.value)) == nil
        {
            complain("the fallback lacks the members that its group keeps", at: fallback.place)
        }
        return names
    }

    private mutating func check(step: PlannedPart) {
        if !step.isRequired { complain("a step is always required", at: step.place) }
        if step.isMerged || step.isHidden { complain("a step has no place in the answer", at: step.place) }
        switch step.content {
        case .call(let call):
            guard let items = call.items, items.failure != .fail else { break }
            complain("a step's itemFailure must be fail", at: step.place)
        case .group(let group):
            if group.atLeast != nil { complain("all steps of a group must succeed", at: step.place) }
        case .value: break
        }
    }

    private mutating func check(_ call: PlannedCall) {
        check(call.$attempts) { PlannedCall.attemptRange.fault(of: "attempts", $0) }
        check(call.$timeout) { $0 > 0 ? nil : "the timeout is not positive" }
        check(call.headers, in: .request)
        guard let items = call.items else { return }
        check(items.$concurrency) { PlannedItems.concurrencyRange.fault(of: "concurrency", $0) }
        check(items.$limit) { PlannedItems.limitRange.fault(of: "limit", $0) }
        guard items.$limit.map({ !isUnknown($0.place) }) ?? true else { return }
        check(items.$atLeast) { PlannedItems.fault($0, limit: items.limit) }
    }

    private mutating func check(_ number: Located<Int>?, _ fault: (Int) -> String?) {
        guard let number, !isUnknown(number.place), let fault = fault(number.value) else { return }
        complain(fault, at: number.place)
    }

    private mutating func check(_ fields: [PlannedField], in message: FieldRules.Message) {
        for field in fields {
            guard let fault = FieldRules.fault(field.name.value, in: message) else { continue }
            complain(fault, at: field.name.place)
        }
    }

    private mutating func check(merged part: PlannedPart) {
        switch part.content {
        case .call(let call):
            if call.items != nil {
                complain("merge: the value must be an object, but forEach makes an array", at: part.place)
            } else if let expect = call.$expected, expect.value != .object {
                complain(
                    "merge: the value must be an object, but \"expect\" declares another kind",
                    at: expect.place)
            }
        case .group, .value(.object), .value(.reference): break
        case .value(let value):
            if value.constant?.kind != .object {
                complain("merge: the value must be an object", at: part.place)
            }
        }
        if case .fallback(let fallback) = part.policy, fallback.value.kind != .object {
            complain("merge: the fallback must be an object", at: fallback.place)
        }
    }

    // MARK: The answer

    private mutating func check(_ answer: PlannedAnswer) {
        check(answer.fields, in: .answer)
        guard answer.envelope == .bare, let complete = answer.$completeField, !isUnknown(complete.place),
            answer.$envelope.map({ !isUnknown($0.place) }) ?? true,
            let field = answer.fields.first(where: { $0.name.value == complete.value })
        else { return }
        // Of the two, the one that the endpoint itself sets: `defaults` comes first.
        complain(
            "answer.headers and answer.completeHeader both set \(field.name.value); case does not matter",
            at: max(complete.place, field.name.place))
    }
}
