package import EndpointPlans
import FoundationEssentials
import HTTPModel
import JSONBytes
import Networking
import Rx

/// A planned endpoint, checked and ready to run. `Gateway.add` adds it.
package final class EndpointPlan: Sendable {
    let method: HTTPMethod
    let path: String
    let style: EnvelopeStyle?
    private let status: HTTPStatus?
    private let parameters: [Frozen<BoundParameter>]
    private let schema: Schema?
    /// Places in the body whose values are written into paths.
    private let segments: [BoundReference]
    /// Steps and then parts. The number of a leaf is its index.
    let leaves: [Frozen<PlanLeaf>]
    let stepCount: Int
    /// The numbers of the steps that start together. A stage starts once all steps of the stage before it
    /// have succeeded.
    private let stages: [Range<Int>]
    let groups: [PlanGroup]
    /// Nil if `data` is an object with a member for each part.
    let layout: PartLayout?
    let largestValue: Int
    private let earlyFields: [PlanBinder.AnswerField]
    private let lateFields: [PlanBinder.AnswerField]
    /// What the answer's fields read in parts.
    let lateReads: PlanReads
    /// Whether the value behind a slot is read more than once in a run, so that it is kept.
    let repeatedSlots: [Bool]
    /// Where references lead in the body, by slot.
    private let bodyPlaces: [Int: ValuePath]
    /// Whether each request needs a `PlanRun`.
    private let needsRun: Bool
    private let hasContracts: Bool

    /// - Parameters:
    ///   - endpoint: the endpoint.
    ///   - upstreams: those that it may call, by name.
    /// - Throws: all faults at once.
    package init(
        _ endpoint: PlannedEndpoint, _ upstreams: [String: PlannedUpstream]
    ) throws(PlanError) {
        var binder = PlanBinder(endpoint, upstreams)
        binder.bind()
        guard binder.faults.isEmpty else { throw PlanError(faults: binder.faults) }
        method = endpoint.method
        path = endpoint.path.value.text
        style = EnvelopeStyle(endpoint.answer)
        status = endpoint.answer.status.flatMap { HTTPStatus(code: $0) }
        parameters = binder.parameters.map(Frozen.init)
        schema = endpoint.body
        segments = binder.segments
        leaves = binder.leaves.map(Frozen.init)
        stepCount = binder.stepCount
        stages = binder.stages
        groups = binder.groups
        layout = binder.layout
        largestValue = endpoint.largestValue
        earlyFields = binder.earlyFields
        lateFields = binder.lateFields
        lateReads = PlanReads(binder.lateFields.flatMap(\.value.references))
        repeatedSlots = binder.slots.isRepeated
        bodyPlaces = binder.slots.bodyPlaces
        hasContracts = binder.leaves.contains { $0.contract != nil }
        needsRun =
            layout != nil || repeatedSlots.contains(true)
            || leaves.contains { !$0.value.isIndependent || $0.value.items != nil }
    }

    /// Returns the answer, whose parts have not started.
    ///
    /// - Parameters:
    ///   - request: the client's request.
    ///   - reading: what `read` has returned for it.
    ///   - environment: carries the calls.
    /// - Throws: 400 with all that is wrong with the request.
    func answer(
        to request: GatewayRequest, _ reading: RequestReading, in environment: GatewayEnvironment
    ) throws -> Answer {
        for fault in reading.exceeded {
            environment.report(
                GatewayIncident(
                    requestID: request.requestID, route: request.endpoint.template.text, part: nil,
                    error: fault))
        }
        guard reading.faults.isEmpty else { throw GatewayRequest.error(reading.faults) }
        var values = reading.values
        values.claims = request.identity?.claims
        let contracts = hasContracts ? ContractReports(environment) : nil
        let run =
            needsRun
            ? PlanRun(
                self, values, reveals: request.endpoint.settings.revealsUpstreamMessages,
                environment.transport, environment.responseWorkApart, contracts) : nil
        let scope = PlanScope(
            values: values, run: run, environment.transport, environment.responseWorkApart, contracts)
        try scope.keep(values.listBytes)
        var answer = answer(from: stages[...], scope)
        answer.status = status
        if !earlyFields.isEmpty { answer.fields = fields(earlyFields, scope) }
        return answer
    }

    /// Returns the answer that runs these stages, one after another, and then the parts.
    private func answer(from stages: ArraySlice<Range<Int>>, _ scope: PlanScope) -> Answer {
        guard let first = stages.first else { return Answer(.parts(named(stepCount..<leaves.count, scope))) }
        return Answer(.steps(named(first, scope)) { [self] _ in answer(from: stages.dropFirst(), scope) })
    }

    /// Whether the head of a request can refuse its body.
    var readsBody: Bool { schema != nil }

    /// Throws what the head of a request alone is refused for.
    func checkHead(of request: GatewayRequest, in environment: GatewayEnvironment) throws {
        try request.checkHeadOfJSON()
        var reader = RequestReader(request) { environment.transport.wallTime }
        try reader.read(parameters)
        guard reader.reading.faults.isEmpty else { throw GatewayRequest.error(reader.reading.faults) }
    }

    /// The longest body that is read and checked on the loop.
    static let longestBodyOnLoop = 512 * 1024 - 1

    /// Whether the request's body takes long to read. A coded one may be much longer than it seems.
    func readsLargeBody(of request: GatewayRequest) -> Bool {
        guard schema != nil else { return false }
        return request.body.count > Self.longestBodyOnLoop || request.fields.contains(.contentEncoding)
    }

    /// Reads the parameters and the body, and collects what is wrong with them.
    func read(
        _ request: GatewayRequest, _ pace: RequestReading.Pace, in environment: GatewayEnvironment
    ) throws -> RequestReading {
        if parameters.isEmpty, schema == nil { return RequestReading() }
        var reader = RequestReader(request) { environment.transport.wallTime }
        try reader.read(parameters)
        guard let schema else { return reader.reading }
        try reader.read(schema, segments: segments)
        if pace == .apart { reader.find(bodyPlaces) }
        return reader.reading
    }

    /// Whether a part of the answer is read by a field of the answer, or by a part other than `members`.
    /// Indices are those among the parts of the answer.
    func isRead(_ part: Int, outside members: [Int]) -> Bool {
        let number = stepCount + part
        guard leaves[number].value.isRead else { return false }
        if lateReads.leaves.contains(number)
            || lateReads.groups.contains(where: { groups[$0].leaves.contains(number) })
        {
            return true
        }
        return leaves.indices.contains {
            !members.contains($0 - stepCount) && leaves[$0].value.dependencies.contains(number)
        }
    }

    /// Returns the step or part with this name.
    func leaf(_ name: String, isStep: Bool) -> PlanLeaf? {
        let numbers = isStep ? 0..<stepCount : stepCount..<leaves.count
        return numbers.first { leaves[$0].value.name == name }.map { leaves[$0].value }
    }

    private func named(_ numbers: Range<Int>, _ scope: PlanScope) -> [NamedPart] {
        var parts: [NamedPart] = []
        parts.reserveCapacity(numbers.count)
        for number in numbers {
            let leaf = leaves[number]
            var policy = leaf.value.policy
            // Steps have no layout.
            if layout != nil, number >= stepCount, let run = scope.run { policy = .planned(run) }
            parts.append(NamedPart(name: leaf.value.name, part: part(leaf, number, scope, policy)))
        }
        return parts
    }

    private func part(
        _ leaf: Frozen<PlanLeaf>, _ number: Int, _ scope: PlanScope, _ policy: Part.Policy
    ) -> Part {
        guard let run = scope.run else {
            return Part(source: leaf.value.independent(scope), policy: policy)
        }
        guard leaf.value.items == nil else {
            return Part(items: { _, _ in LeafRun.items(leaf.value, number, run) }, policy: policy)
        }
        let single =
            leaf.value.isIndependent
            ? leaf.value.independent(scope) : LeafRun.single(leaf.value, number, run)
        return Part(source: single, policy: policy)
    }

    /// Returns the answer's fields that read parts.
    func lateFields(_ run: PlanRun) -> HTTPFields {
        lateFields.isEmpty ? HTTPFields() : fields(lateFields, PlanScope(run))
    }

    /// Returns the fields, without those whose value is missing, too long, or cannot be sent.
    private func fields(_ templates: [PlanBinder.AnswerField], _ scope: PlanScope) -> HTTPFields {
        var fields = HTTPFields()
        for (name, template) in templates {
            guard let value = (try? scope.text(template, most: CallTemplate.longestText)) ?? nil,
                value.utf8.count <= CallTemplate.longestText, Renderer.canSend(value)
            else { continue }
            fields.append(name, value)
            // A cache must not give an answer in one form to a client that asks for another.
            if name == .cacheControl { fields.append(.vary, "Accept") }
        }
        return fields
    }
}

extension EnvelopeStyle {
    /// Nil: the style of the endpoint's group.
    fileprivate init?(_ answer: PlannedAnswer) {
        switch (answer.envelope, answer.completeField) {
        case (nil, _): return nil
        case (.sluice?, _): self = .sluice
        case (.bare?, nil): self = .bare
        case (.bare?, let field?): self = .bare(completeField: field)
        }
    }
}
