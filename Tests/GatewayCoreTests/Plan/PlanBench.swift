import EndpointPlans
import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Testing

extension Bench {
    /// The upstream of planned calls, as `DiaryAPI` describes it for calls in Swift.
    func planned(
        envelope: ResponseEnvelope = .genericResponse, headers: HTTPFields = [:],
        allowsEmptyBody: Bool = false
    ) -> PlannedUpstream {
        var policy = CallPolicy()
        policy.retry = .never
        return gateway.plannedUpstream(
            "diary", "http://diary.test:9001/food-diary", policy: policy, envelope: envelope,
            headers: headers, allowsEmptyBody: allowsEmptyBody)
    }

    /// Checks an endpoint whose upstream is `planned`.
    func plan(
        _ endpoint: PlannedEndpoint, _ upstream: PlannedUpstream? = nil
    ) throws(PlanError) -> EndpointPlan {
        try EndpointPlan(endpoint, ["diary": upstream ?? planned()])
    }

    /// A part with a GET.
    func part(
        _ name: String, _ path: String, _ policy: PlannedPart.Policy = .required,
        _ change: (inout PlannedCall) -> Void = { _ in }
    ) -> PlannedPart {
        var call = PlannedCall("diary", .get, Located(text(path)))
        change(&call)
        return PlannedPart(name, .call(call), policy)
    }

    /// Adds `GET /page` with these parts.
    func page(
        _ parts: [PlannedPart], _ change: (inout PlannedEndpoint) -> Void = { _ in }
    ) throws {
        try page("/page", parts, change)
    }

    /// Adds a GET endpoint with these parts.
    func page(
        _ path: String, _ parts: [PlannedPart], _ change: (inout PlannedEndpoint) -> Void = { _ in }
    ) throws {
        var endpoint = PlannedEndpoint(.get, path, parts: parts)
        change(&endpoint)
        gateway.add(try plan(endpoint), [.deadline(.seconds(5))])
    }

    /// The targets of all attempts, without the upstream's prefix, in the order in which they were sent.
    var targets: [String] {
        transport.attempts.map { attempt in
            String(decoding: attempt.call.target, as: UTF8.self).replacing("/food-diary", with: "")
        }
    }
}

extension PlannedPart {
    func merged() -> PlannedPart {
        var part = self
        part.isMerged = true
        return part
    }

    func hidden() -> PlannedPart {
        var part = self
        part.isHidden = true
        return part
    }

    func shaped(_ change: (inout PlannedShape) -> Void) -> PlannedPart {
        var part = self
        change(&part.shape)
        return part
    }

    func when(_ text: String) -> PlannedPart {
        var part = self
        let isNegated = text.hasPrefix("!")
        part.condition = PlannedCondition(
            reference(isNegated ? String(text.dropFirst()) : text), isNegated: isNegated)
        return part
    }
}
