import EndpointPlans
package import HTTPModel
package import Networking

extension Gateway {
    /// Declares an upstream for planned endpoints. Its address is the environment's, or one of `urls`.
    ///
    /// - Parameters:
    ///   - name: the name in logs, metrics, errors and settings.
    ///   - urls: base URLs of the same API.
    ///   - policy: retries and time limits.
    ///   - envelope: how it wraps its responses.
    ///   - headers: sent with every call.
    ///   - allowsEmptyBody: whether a 2xx without a body has no content instead of being a failure.
    package func plannedUpstream(
        _ name: String, _ urls: UpstreamURLs?, policy: CallPolicy = CallPolicy(),
        envelope: ResponseEnvelope = .none, headers: HTTPFields = HTTPFields(), allowsEmptyBody: Bool = false
    ) -> PlannedUpstream {
        declarations.add(policy, headers, ofCallsTo: name)
        return PlannedUpstream(name, policy, envelope, headers, allowsEmptyBody: allowsEmptyBody) {
            [self] policy in
            provider(
                PlannedTarget.self, upstream: name, baseURLs: urls, policy: policy, plugins: [],
                interceptor: nil)
        }
    }

    /// Adds a planned endpoint, below the prefix of this group.
    ///
    /// - Parameters:
    ///   - plan: the endpoint.
    ///   - options: settings of this endpoint, as for one with a handler.
    ///   - place: where a file declares it: `sluice.yaml:12:3`. Nil for an endpoint in Swift.
    package func add(_ plan: EndpointPlan, _ options: [EndpointOption] = [], place: String? = nil) {
        let style = plan.style.map { [EndpointOption.envelope($0)] } ?? []
        add(
            plan.method, plan.path, style + options + [EndpointOption { $0.plan = plan }],
            .planned(plan), place: place)
    }
}
