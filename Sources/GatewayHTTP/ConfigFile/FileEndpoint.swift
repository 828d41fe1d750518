import EndpointPlans
import GatewayConfig
import GatewayCore

/// Declares an endpoint of a file.
struct FileEndpoint {
    let endpoint: PlannedEndpoint
    let document: ConfigDocument
    /// By name.
    let upstreams: [String: PlannedUpstream]

    func declare(on gateway: Gateway, _ faults: inout FileFaults) {
        do throws(PlanError) {
            let plan = try EndpointPlan(endpoint, upstreams)
            gateway.add(plan, options, place: document.text(of: endpoint.place))
        } catch {
            for fault in error.faults {
                let part = fault.part.map { "part \"\($0)\": " } ?? ""
                faults.add(part + fault.message, at: endpoint.place)
            }
        }
    }

    private var options: [EndpointOption] {
        var options = endpoint.settings.options + endpoint.settings.accessOptions(document)
        for name in endpoint.settings.forward { options.append(.forwards(name.value)) }
        if endpoint.revealsMessages == true { options.append(.revealsUpstreamMessages) }
        switch endpoint.answer.onFailure {
        case nil: break
        case .stop?: options.append(.onFailure(.stop))
        case .wait?: options.append(.onFailure(.wait))
        }
        return options
    }
}

extension PlannedSettings {
    /// The options that endpoints of all kinds have, but for the fields that they forward.
    var options: [EndpointOption] {
        var options: [EndpointOption] = []
        if let deadline { options.append(.deadline(.nanoseconds(deadline))) }
        if let bodyLimit { options.append(.bodyLimit(bodyLimit)) }
        if let concurrency { options.append(.concurrency(concurrency)) }
        if let compression { options.append(.compression(compression)) }
        if let slow { options.append(.slow(.nanoseconds(slow))) }
        for upstream in credentials { options.append(.forwardsAuthorization(to: upstream.value)) }
        for upstream in cookies { options.append(.forwardsCookies(to: upstream.value)) }
        return options
    }
}
