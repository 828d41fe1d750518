import EndpointPlans

/// The steps of an endpoint in a plan.
struct StepRows {
    private(set) var rows: [ReportRow] = []
    /// Nanoseconds until the last step ends.
    private(set) var time = ReportNumber.zero
    /// The names of the calls that take the longest, one for each step.
    private(set) var slowest: [String] = []
    private let costs: CallCosts
    /// Whether the first step starts in each request, which a service that decides may prevent.
    private let isCertain: Bool

    init(_ steps: [PlannedPart], _ costs: CallCosts, isCertain: Bool) {
        self.costs = costs
        self.isCertain = isCertain
        for step in steps { add(step) }
    }

    private mutating func add(_ step: PlannedPart) {
        let name = "first.\(step.name)"
        // A failed step leaves the later ones without calls.
        var row = row(of: step, named: name, isCertain: isCertain && rows.isEmpty)
        row.after = rows.last.map { [$0.name] } ?? []
        time = time + row.time
        if case .group(let members, _) = row.kind {
            let last = members.first { $0.time == row.time }
            slowest += last.map { ["\(name).\($0.name)"] } ?? []
        } else {
            slowest.append(name)
        }
        rows.append(row)
    }

    private func row(of step: PlannedPart, named name: String, isCertain: Bool) -> ReportRow {
        switch step.content {
        case .call(let call):
            return ReportRow(
                name: name, kind: .call(costs.target(of: call)), after: [], condition: nil,
                time: costs.time(of: call), calls: costs.calls(of: call, isCertain: isCertain))
        case .group(let group):
            let members = group.parts.map { row(of: $0, named: $0.name, isCertain: isCertain) }
            return ReportRow(
                name: name, kind: .group(members, atLeast: nil), after: [], condition: nil,
                time: members.reduce(.zero) { $1.time.exceeds($0) ? $1.time : $0 },
                calls: members.reduce(.none) { $0 + $1.calls })
        case .value:
            return ReportRow(name: name, kind: .value, after: [], condition: nil, time: .zero, calls: .none)
        }
    }
}
