import EndpointPlans
import GatewayCore
package import HTTPModel

/// The calls of an endpoint with the worst latency and the number of upstream calls.
package struct CallReport: Sendable {
    package let method: HTTPMethod
    /// As the file has it.
    package let path: String
    /// The name of the file.
    package let file: String
    package let line: Int
    /// The steps before the parts. Each waits for the one before it.
    package let steps: [ReportRow]
    package let parts: [ReportRow]
    /// Nanoseconds for the whole request.
    package let deadline: ReportNumber
    /// Nanoseconds of the longest chain of calls that wait for each other.
    package let chain: ReportNumber
    /// The names of the calls of that chain. Empty if one of them depends on a variable.
    package let slowest: [String]
    package let calls: CallRange
    /// The upstreams that get `Authorization`, as the file has them.
    package let authorization: [String]
    /// The upstreams that get `Cookie`.
    package let cookies: [String]
    /// Who may call, and how often.
    package let access: RequirementReport

    /// Nanoseconds until the endpoint answers at the latest.
    package var worst: ReportNumber { isCapped ? deadline : chain }
    /// Whether the deadline ends a request before the chain can.
    package var isCapped: Bool { chain.exceeds(deadline) }
}

/// A step or a part of a plan, with the members of a group.
package struct ReportRow: Sendable {
    package enum Kind: Sendable {
        case call(ReportTarget)
        case forEach(ReportTarget, limit: ReportNumber, concurrency: ReportNumber)
        case group([ReportRow], atLeast: ReportNumber?)
        case value
    }

    package var name: String
    package var kind: Kind
    /// The parts that it waits for, with the groups around them: `weather.now`. For a step, the one before
    /// it.
    package var after: [String]
    /// The reference of `when`: `{parts.user.id}`.
    package var condition: (text: String, isNegated: Bool)?
    /// Nanoseconds that it takes at most, without what it waits for.
    package var time: ReportNumber
    package var calls: CallRange
}

/// What a call asks an upstream for, as the file has it.
package struct ReportTarget: Sendable, Hashable {
    package var method: HTTPMethod
    package var upstream: String
    package var path: String
}

extension CallReport {
    init(_ endpoint: PlannedEndpoint, _ document: ConfigDocument) {
        let costs = CallCosts(document)
        let access = RequirementReport(endpoint.settings, costs, document)
        // A service that decides, and a failed step, leave the parts without calls.
        let steps = StepRows(endpoint.first, costs, isCertain: access.rows.isEmpty)
        let areCertain = endpoint.first.isEmpty && access.rows.isEmpty
        let schedule = CallSchedule(endpoint.parts.list, costs, areCertain: areCertain)
        method = endpoint.method
        path = endpoint.path.value.shown
        file = document.fileName(of: endpoint.place)
        line = endpoint.place.line
        self.steps = steps.rows
        parts = schedule.rows
        deadline = costs.number(
            endpoint.settings.$deadline ?? document.deadline,
            default: GatewayLimits().deadline.inNanoseconds)
        self.access = access
        chain = access.time + steps.time + schedule.time
        slowest = chain.value == nil ? [] : access.slowest + steps.slowest + schedule.slowest
        calls = (steps.rows + schedule.rows).reduce(access.calls) { $0 + $1.calls }
        authorization = endpoint.settings.credentials
            .filter { !endpoint.replaces(.authorization, for: $0.value) }.map(document.written)
        cookies = endpoint.settings.cookies
            .filter { !endpoint.replaces(.cookie, for: $0.value) }.map(document.written)
    }
}
