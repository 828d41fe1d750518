import EndpointPlans
import HTTPModel
import JSONBytes
import Networking

/// Finds what the references of a planned endpoint lead to. Collects all faults.
struct PlanBinder {
    let endpoint: PlannedEndpoint
    /// By name.
    let upstreams: [String: PlannedUpstream]
    var faults: [PlanFault] = []
    var parameters: [BoundParameter] = []
    private(set) var segments: [BoundReference] = []
    var leaves: [PlanLeaf] = []
    /// Each before those in it.
    var groups: [PlanGroup] = []
    /// The conditions of the groups around the part that is being bound.
    var conditions: [BoundCondition] = []
    let stepCount: Int
    /// The numbers of the steps that start together, in the order of the plan.
    var stages: [Range<Int>] = []
    private(set) var layout: PartLayout?
    /// The answer's fields, first those that are known before the parts.
    private(set) var earlyFields: [AnswerField] = []
    private(set) var lateFields: [AnswerField] = []

    typealias AnswerField = (name: HTTPFieldName, value: TextTemplate<BoundReference>)

    /// Where a run keeps values that several references read.
    private(set) var slots = PlanSlots()
    /// Where the names of steps and parts lead.
    private let steps: PlanGraph
    private let parts: PlanGraph
    /// The numbers of steps and parts: of a leaf among the leaves, of a group among the groups.
    private let stepNumbers: [Int]
    private let partNumbers: [Int]
    /// What is being bound.
    var part: String?
    var isItem = false

    init(_ endpoint: PlannedEndpoint, _ upstreams: [String: PlannedUpstream]) {
        self.endpoint = endpoint
        self.upstreams = upstreams
        steps = PlanGraph(endpoint.first)
        parts = PlanGraph(endpoint.parts.list)
        stepNumbers = steps.numbers(from: 0)
        stepCount = steps.nodes.count { !$0.isGroup }
        partNumbers = parts.numbers(from: stepCount)
    }

    mutating func bind() {
        bindParameters()
        faults += PlanCheck.faults(of: endpoint) + ReferenceCheck.faults(of: endpoint)
        guard faults.isEmpty else { return }
        for stage in endpoint.first { bindStage(stage) }
        for part in endpoint.parts.list { bind(part, "", isQuorum: false) }
        part = nil
        bindAnswer()
        findDependencies()
        markRead()
        layOut()
        faults += parameters.compactMap(\.defaultFault).map { .init(part: nil, message: $0) }
    }

    mutating func complain(_ message: String) { faults.append(.init(part: part, message: message)) }

    // MARK: - Parameters

    private mutating func bindParameters() {
        for declared in endpoint.parameters {
            if parameters.contains(where: { $0.isNamed(declared.name.value, in: declared.place) }) {
                complain("\(declared.place.parameterPlace.subject(declared.name.value)) is declared twice")
            }
            do throws(BoundParameter.Fault) {
                parameters.append(try BoundParameter(declared))
            } catch {
                complain(
                    "\(declared.place.parameterPlace.subject(declared.name.value)): \(error.description)")
            }
        }
        do throws(PathTemplateError) {
            let names = try PathTemplate(endpoint.path.value.text).parameterNames
            for rule in endpoint.parameters(in: .path) where !names.contains(rule.name.value) {
                complain("the path has no parameter {\(rule.name.value)}")
            }
        } catch {
            complain("the path \(endpoint.path.value.text) \(error.description)")
        }
    }

    /// Returns the index of a parameter. One of the path need not be declared.
    private mutating func parameter(_ name: String, in place: ParameterRule.Place) -> Int? {
        if let known = parameters.firstIndex(where: { $0.isNamed(name, in: place) }) { return known }
        guard let text = try? BoundParameter(ParameterRule(place, Located(name))) else { return nil }
        parameters.append(text)
        return parameters.count - 1
    }

    // MARK: - References

    /// What a value is used for.
    enum Use { case value, segment, fieldValue }

    /// Returns nil for a reference that leads nowhere, which `ReferenceCheck` has reported.
    mutating func bind(_ reference: PlanReference, for use: Use = .value) -> BoundReference? {
        switch reference.source {
        case .path(let name): return bind(reference, name, in: .path, use)
        case .query(let name): return bind(reference, name, in: .query, use)
        case .header(let name): return bind(reference, name, in: .header, use)
        case .body:
            let bound = bound(.body, reference.path, reference)
            if use == .segment, !segments.contains(bound) { segments.append(bound) }
            return bound
        case .step(let names):
            guard let (step, rest) = steps.find(names, reference.path) else { return nil }
            return bound(.leaf(stepNumbers[step]), rest, reference)
        case .part(let names):
            guard let (part, rest) = parts.find(names, reference.path) else { return nil }
            let number = partNumbers[part]
            return bound(parts.nodes[part].isGroup ? .group(number) : .leaf(number), rest, reference)
        case .item: return BoundReference(source: .item, path: reference.path, text: reference.name)
        case .claims: return bound(.claims, reference.path, reference)
        }
    }

    private mutating func bind(
        _ reference: PlanReference, _ name: String, in place: ParameterRule.Place, _ use: Use
    ) -> BoundReference? {
        guard let index = parameter(name, in: place) else { return nil }
        switch use {
        case .value: break
        case .segment: parameters[index].restrictToSegment()
        case .fieldValue: parameters[index].restrictToFieldValue()
        }
        return BoundReference(source: .parameter(index), path: ValuePath(), text: reference.name)
    }

    private mutating func bound(
        _ source: BoundReference.Source, _ path: ValuePath, _ reference: PlanReference
    ) -> BoundReference {
        var bound = BoundReference(source: source, path: path, text: reference.name)
        // The calls for the elements of an array read the same value again and again.
        bound.slot = slots.slot(of: bound, isRepeated: isItem)
        return bound
    }

    // MARK: - The answer

    private mutating func bindAnswer() {
        for field in endpoint.answer.fields {
            let value = field.value.value.map { bind($0, for: .fieldValue) }
            if value.references.contains(where: \.readsPart) {
                lateFields.append((field.name.value, value))
            } else {
                earlyFields.append((field.name.value, value))
            }
        }
    }

    private mutating func findDependencies() {
        for number in leaves.indices {
            let leaf = leaves[number]
            leaves[number].dependencies = self.leaves(behind: [leaf.read] + leaf.conditions.map(\.read))
        }
    }

    /// Returns the leaves that have to end before what is read is known, each once.
    private func leaves(behind reads: [PlanReads]) -> [Int] {
        var found: [Int] = []
        for number in reads.flatMap(\.leaves) + reads.flatMap(\.groups).flatMap({ groups[$0].leaves })
        where !found.contains(number) {
            found.append(number)
        }
        return found
    }

    private mutating func markRead() {
        let late = PlanReads(lateFields.flatMap(\.value.references))
        for number in leaves.flatMap(\.dependencies) + leaves(behind: [late]) { leaves[number].isRead = true }
        let conditions = leaves.flatMap(\.conditions).flatMap(\.read.groups)
        for number in Set(leaves.flatMap(\.read.groups) + late.groups + conditions) {
            var maker = LayoutMaker(first: stepCount)
            groups[number].value = maker.value(of: groups[number], number, endpoint.parts)
        }
    }

    // MARK: - The layout

    private mutating func layOut() {
        var maker = LayoutMaker(first: stepCount)
        layout = maker.layout(endpoint.parts, isNeeded: !lateFields.isEmpty)
        for (number, leaf) in maker.leaves {
            leaves[number].shapes = leaf.shapes
            if case .fallback = leaves[number].policy, let fallback = leaf.fallback {
                leaves[number].policy = .fallback(fallback)
            }
        }
    }
}

extension PlanGraph {
    /// Returns the number of each leaf among the leaves, and of each group among the groups.
    fileprivate func numbers(from first: Int) -> [Int] {
        var (leaves, groups) = (first, 0)
        return nodes.map { node in
            if node.isGroup {
                defer { groups += 1 }
                return groups
            }
            defer { leaves += 1 }
            return leaves
        }
    }
}
