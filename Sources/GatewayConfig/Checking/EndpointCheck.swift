import EndpointPlans
import HTTPModel

/// Checks an endpoint as a whole.
struct EndpointCheck {
    let endpoint: PlannedEndpoint
    let reader: ConfigReader

    func run() {
        let reader = reader
        let faults = PlanCheck.faults(of: endpoint) {
            reader.unread.contains($0) || reader.partsOfUnknownPlace.contains($0)
        }
        for fault in faults { reader.error(fault.message, at: fault.place) }
        FallbackCheck(reader: reader).run(endpoint.parts.list)
        BodyKindCheck(endpoint: endpoint, reader: reader).run()
        warnOfRequiredParts()
        warnOfNeedlessOrder()
        RenamedReferenceCheck(endpoint: endpoint, problems: reader.problems).run()
    }

    /// A step may have changed something. If a part then fails, the client sees a failure.
    private func warnOfRequiredParts() {
        guard !endpoint.first.isEmpty else { return }
        for part in endpoint.parts.list
        where part.isRequired && !reader.partsOfUnknownPolicy.contains(part.place) {
            reader.problems.warning(
                "the part \(part.name) is required: if it fails, the answer is a failure though the steps in first "
                    + "have succeeded", at: part.place)
        }
    }

    /// Steps that change nothing and do not need each other lose time by their order.
    private func warnOfNeedlessOrder() {
        let calls = endpoint.first.flatMap(\.calls)
        let readsStep = calls.flatMap(\.references).contains { reference in
            if case .step = reference.source { true } else { false }
        }
        guard endpoint.first.count > 1, let first = endpoint.first.first, !readsStep,
            calls.allSatisfy({ $0.method == .get })
        else { return }
        reader.problems.warning(
            "the steps run one after another, though they are GETs that do not read each other; "
                + "in a group such as checks: {parts: {...}} they start together", at: first.place)
    }
}
