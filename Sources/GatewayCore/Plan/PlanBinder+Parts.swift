import EndpointPlans
import HTTPModel
import JSONBytes
@_spi(Encoded) import Networking

extension TextTemplate {
    /// The path of a call may also be empty: the upstream's base URL.
    fileprivate var beginsWithSlash: Bool {
        guard let first = pieces.first else { return true }
        if case .text(let text) = first { return text.utf8.first == UInt8(ascii: "/") }
        return false
    }
}

/// The steps and parts of a planned endpoint.
extension PlanBinder {
    /// Binds steps that start together: one step, or the steps of a group.
    mutating func bindStage(_ stage: PlannedPart) {
        let first = leaves.count
        bindStep(stage, "")
        stages.append(first..<leaves.count)
    }

    /// - Parameter prefix: the names of its groups, each with a point.
    private mutating func bindStep(_ step: PlannedPart, _ prefix: String) {
        part = prefix + step.name
        guard case .group(let group) = step.content else { return bind(step, prefix, isQuorum: false) }
        let outer = conditions
        if let condition = bind(step.condition) { conditions.append(condition) }
        defer { conditions = outer }
        for member in group.parts { bindStep(member, prefix + step.name + ".") }
    }

    /// - Parameters:
    ///   - planned: the part.
    ///   - prefix: the names of its groups, each with a point.
    ///   - isQuorum: whether its group counts successes, so that it is not required.
    mutating func bind(_ planned: PlannedPart, _ prefix: String, isQuorum: Bool) {
        part = prefix + planned.name
        var policy = Part.Policy(planned.policy)
        if isQuorum, case .required = policy { policy = .optional }
        switch planned.content {
        case .group(let group): bind(group, of: planned)
        case .value(let template):
            let references = template.references
            let value = template.map { bind($0) }
            append(
                planned, policy, .value(value), nil, nil, reading: references.isEmpty ? [] : value.references)
        case .call(let call): bind(call, of: planned, policy)
        }
    }

    private mutating func bind(_ group: PlannedGroup, of planned: PlannedPart) {
        let outer = conditions
        if let condition = bind(planned.condition) { conditions.append(condition) }
        defer { conditions = outer }
        let (number, name) = (groups.count, part ?? "")
        groups.append(
            PlanGroup(name: name, leaves: leaves.count..<leaves.count, conditions: conditions))
        for member in group.parts { bind(member, name + ".", isQuorum: group.atLeast != nil) }
        groups[number].leaves = groups[number].leaves.lowerBound..<leaves.count
    }

    private mutating func bind(_ condition: PlannedCondition?) -> BoundCondition? {
        guard let condition, let reference = bind(condition.reference) else { return nil }
        return BoundCondition(reference, isNegated: condition.isNegated)
    }

    private mutating func bind(_ call: PlannedCall, of planned: PlannedPart, _ policy: Part.Policy) {
        guard let upstream = upstreams[call.upstream.value] else {
            return complain("there is no upstream \"\(call.upstream.value)\"")
        }
        var read: [BoundReference] = []
        var items = call.items.flatMap { bind($0) }
        if let items { read.append(items.source) }
        isItem = call.items != nil
        defer { isItem = false }
        let path = bind(path: call, below: upstream.prefix)
        let headers = call.headers.map { header in
            (name: header.name.value, value: header.value.value.map { bind($0, for: .fieldValue) })
        }
        let query = call.query.flatMap { bind($0.name, $0.value) }
        let body = call.body?.map { bind($0) }
        for case .segment(let reference) in path { read.append(reference) }
        read += headers.flatMap(\.value.references) + (body?.references ?? [])
        for pair in query { read += pair.template?.references ?? [] }
        items?.read = read
        check(upstream)
        append(
            planned, policy,
            .call(
                CallTemplate(
                    call, upstream, path: path, query: query, headers: headers, body: body,
                    withoutFields: endpoint.settings.credentialFields(for: upstream.name))), items,
            PartContract(planned, call), reading: read)
    }

    private mutating func check(_ upstream: PlannedUpstream) {
        for (text, _) in upstream.headers {
            guard let name = HTTPFieldName(text), let fault = FieldRules.fault(name, in: .request) else {
                continue
            }
            complain("upstream \(upstream.name): \(fault)")
        }
    }

    /// Returns the path below the upstream's prefix, its constants encoded and checked.
    private mutating func bind(path call: PlannedCall, below prefix: [UInt8]) -> [CallTemplate.Piece] {
        let template = call.path.value
        var pieces: [CallTemplate.Piece] = []
        var constant = prefix
        for (index, piece) in template.pieces.enumerated() {
            switch piece {
            case .text(let text):
                constant += HTTPURL.normalizedTarget(text.utf8)
                if index == 0, !template.beginsWithSlash {
                    complain("the path of a call begins with a slash")
                }
            case .reference(let reference):
                if !constant.isEmpty { pieces.append(.bytes(constant)) }
                constant = []
                if let bound = bind(reference, for: .segment) { pieces.append(.segment(bound)) }
            }
        }
        if template.pieces.isEmpty, constant.isEmpty { constant = [UInt8(ascii: "/")] }
        if !constant.isEmpty { pieces.append(.bytes(constant)) }
        // A segment stands for what it may be: it changes neither the segments beside it nor the query.
        let sample = pieces.flatMap { piece in
            if case .bytes(let bytes) = piece { bytes } else { Array("x".utf8) }
        }
        if let fault = EncodedRequest.check(sample) { complain(fault) }
        return pieces
    }

    private mutating func bind(
        _ name: String, _ value: PlannedValue
    ) -> [CallTemplate.Pair] {
        let encoded = Array("\(EncodedText.value(name))=".utf8)
        switch value {
        case .constant(let constant):
            do throws(PlannedFailure) {
                var pairs: [CallTemplate.Pair] = []
                try CallTemplate.forEachText(constant, of: "the query's \(name)", from: .constant) { text in
                    pairs.append(.constant(encoded + Array(EncodedText.value(text).utf8)))
                }
                return pairs
            } catch {
                complain(error.message)
            }
        case .object: complain("the query's \(name) has an object")
        case .reference, .text, .array: break
        }
        return [.template(encoded, value.map { bind($0) })]
    }

    private mutating func bind(_ items: PlannedItems) -> BoundItems? {
        bind(items.source).map { source in
            BoundItems(
                source: source,
                rules: ItemRules(
                    concurrency: items.concurrency, limit: items.limit, failure: items.failure,
                    atLeast: items.atLeast))
        }
    }

    private mutating func append(
        _ planned: PlannedPart, _ policy: Part.Policy, _ work: PlanLeaf.Work, _ items: BoundItems?,
        _ contract: PartContract?, reading: [BoundReference]
    ) {
        let own = bind(planned.condition)
        let conditions = conditions + (own.map { [$0] } ?? [])
        leaves.append(
            PlanLeaf(
                name: part ?? planned.name, policy: policy, work: work, conditions: conditions, items: items,
                contract: contract, isMerged: planned.isMerged, read: PlanReads(reading),
                searched: PlanReads(reading + conditions.map(\.reference)),
                shapes: planned.shape.json.map { [$0] } ?? []))
    }
}

extension Part.Policy {
    init(_ policy: PlannedPart.Policy) {
        switch policy {
        case .required: self = .required
        case .optional: self = .optional
        case .fallback(let value): self = .fallback(value.value)
        }
    }
}
