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
    private let schema: BodySchema?
    /// Places in the body whose values are written into paths.
    private let segments: [BoundReference]
    /// Steps and then parts. The number of a leaf is its index.
    let leaves: [Frozen<PlanLeaf>]
    let stepCount: Int
    /// Nil if `data` is an object with a member for each part.
    let layout: PartLayout?
    private let fields: [(name: HTTPFieldName, value: TextTemplate<BoundReference>)]
    /// Whether each request needs a `PlanRun`.
    private let needsRun: Bool

    /// - Throws: all faults at once.
    package init(_ endpoint: PlannedEndpoint) throws(PlanError) {
        var binder = PlanBinder(endpoint)
        binder.bind()
        guard binder.faults.isEmpty else { throw PlanError(faults: binder.faults) }
        method = endpoint.method
        path = endpoint.path
        style = endpoint.answer.style
        status = endpoint.answer.status
        parameters = binder.parameters.map(Frozen.init)
        schema = endpoint.body
        segments = binder.segments
        leaves = binder.leaves.map(Frozen.init)
        stepCount = binder.stepCount
        layout = binder.layout
        fields = binder.fields
        needsRun =
            layout != nil || stepCount > 0 || !fields.isEmpty
            || leaves.contains { !$0.value.isIndependent || $0.value.items != nil }
    }

    /// Returns the answer, whose parts have not started.
    ///
    /// - Throws: 400 with all that is wrong with the request.
    func answer(to request: GatewayRequest, in environment: GatewayEnvironment) throws -> Answer {
        let values = try values(of: request, in: environment)
        guard needsRun else { return answer(parts(PlanScope(values: values, run: nil)), nil) }
        let run = PlanRun(self, values, reveals: request.endpoint.settings.revealsUpstreamMessages)
        let scope = PlanScope(values: values, run: run)
        guard stepCount > 0 else { return answer(parts(scope), run) }
        let steps = named(0..<stepCount, scope)
        return Answer(.steps(steps) { [self] _ in answer(parts(scope), run) })
    }

    private func values(
        of request: GatewayRequest, in environment: GatewayEnvironment
    ) throws -> RequestValues {
        if parameters.isEmpty, schema == nil { return RequestValues() }
        var reader = RequestReader(request) { environment.transport.wallTime }
        try reader.read(parameters)
        if let schema { try reader.read(schema, segments: segments) }
        if !reader.unmatched.isEmpty {
            for fault in reader.unmatched {
                environment.report(
                    GatewayIncident(
                        requestID: request.requestID, route: path, part: nil, error: fault))
            }
        }
        guard reader.faults.isEmpty else { throw GatewayRequest.error(reader.faults) }
        return reader.values
    }

    private func answer(_ parts: consuming [NamedPart], _ run: PlanRun?) -> Answer {
        var answer = Answer(.parts(parts))
        answer.status = status
        answer.plan = run
        return answer
    }

    private func parts(_ scope: PlanScope) -> [NamedPart] { named(stepCount..<leaves.count, scope) }

    private func named(_ numbers: Range<Int>, _ scope: PlanScope) -> [NamedPart] {
        var parts: [NamedPart] = []
        parts.reserveCapacity(numbers.count)
        for number in numbers {
            let leaf = leaves[number]
            parts.append(
                NamedPart(
                    name: leaf.value.name,
                    part: Part(source: single(leaf, number, scope), policy: leaf.value.policy)))
        }
        return parts
    }

    private func single(
        _ leaf: Frozen<PlanLeaf>, _ number: Int, _ scope: PlanScope
    ) -> Single<JSONFragment> {
        if let run = scope.run, !leaf.value.isIndependent || leaf.value.items != nil {
            return LeafRun.single(leaf.value, number, run)
        }
        return leaf.value.independent(scope)
    }

    /// Returns the answer's fields, without those with a missing value or one that cannot be sent.
    func answerFields(_ run: PlanRun) -> HTTPFields {
        let scope = PlanScope(values: run.values, run: run)
        var all = HTTPFields()
        for (name, template) in fields {
            guard let value = (try? scope.text(template)) ?? nil, Renderer.canSend(value) else { continue }
            all.append(name, value)
        }
        // A cache must not give an answer in one form to a client that asks for another.
        if all.contains(.cacheControl), !all.contains(.vary) { all.append(.vary, "Accept") }
        return all
    }
}
