import EndpointPlans
import HTTPModel

/// Checks an endpoint as a whole.
struct EndpointCheck {
    let endpoint: PlannedEndpoint
    let reader: ConfigReader

    func run() {
        for cycle in PlanGraph(endpoint.parts.list).cycles() { reader.error(cycle.message, at: cycle.place) }
        let merging = MergeCheck(reader: reader)
        switch endpoint.parts {
        case .named(let parts): _ = merging.names(of: parts)
        case .data(let part):
            checkData(part)
            merging.check(part)
        }
        FallbackCheck(reader: reader).run(endpoint.parts.list)
        BodyKindCheck(endpoint: endpoint, reader: reader).run()
        warnOfRequiredParts()
        warnOfNeedlessOrder()
        RenamedReferenceCheck(endpoint: endpoint, problems: reader.problems).run()
    }

    private func checkData(_ part: PlannedPart) {
        if part.isHidden {
            reader.error("the part that is all of data cannot be hidden", at: part.place)
        }
        if part.isMerged {
            reader.error(
                "the part that is all of data has no object into which it could be merged",
                at: part.place)
        }
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
