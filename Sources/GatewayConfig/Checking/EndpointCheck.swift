import HTTPModel

/// Checks an endpoint as a whole.
struct EndpointCheck {
    let endpoint: ConfigEndpoint
    let scope: ReferenceScope
    let reader: ConfigReader

    func run() {
        CycleCheck(scope: scope, problems: reader.problems).run()
        let merging = MergeCheck(reader: reader)
        switch endpoint.content {
        case .parts(let parts): _ = merging.names(of: parts)
        case .data(let part):
            checkData(part)
            merging.check(part)
        }
        FallbackCheck(reader: reader).run(endpoint.content.parts)
        BodyKindCheck(endpoint: endpoint, reader: reader).run()
        warnOfRequiredParts()
        warnOfNeedlessOrder()
        RenamedReferenceCheck(endpoint: endpoint, problems: reader.problems).run()
    }

    private func checkData(_ part: ConfigPart) {
        if part.isHidden {
            reader.error("the part that is all of data cannot be hidden", at: part.name.place)
        }
        if part.isMerged {
            reader.error(
                "the part that is all of data has no object into which it could be merged",
                at: part.name.place)
        }
    }

    /// A step may have changed something. If a part then fails, the client sees a failure.
    private func warnOfRequiredParts() {
        guard !endpoint.steps.isEmpty else { return }
        for part in endpoint.content.parts {
            guard case .required = part.policy, !reader.partsOfUnknownPolicy.contains(part.name.place) else {
                continue
            }
            reader.problems.warning(
                "the part \(part.name.value) is required: if it fails, the answer is a failure though the steps in first "
                    + "have succeeded", at: part.name.place)
        }
    }

    /// Steps that change nothing and do not need each other lose time by their order.
    private func warnOfNeedlessOrder() {
        let calls = endpoint.steps.flatMap(\.calls)
        let readsStep = calls.flatMap(\.references).contains { reference in
            if case .step = reference.source { true } else { false }
        }
        guard endpoint.steps.count > 1, let first = endpoint.steps.first, !readsStep,
            calls.allSatisfy({ $0.request.method == .get })
        else { return }
        reader.problems.warning(
            "the steps run one after another, though they are GETs that do not read each other; "
                + "in a group such as checks: {parts: {...}} they start together", at: first.name.place)
    }
}
