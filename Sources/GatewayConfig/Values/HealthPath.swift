import EndpointPlans

/// The paths at which the gateway itself answers, before any endpoint.
package enum HealthPath {
    package static let prefix = "/health/"
    package static let live = "/health/live"
    package static let ready = "/health/ready"

    package static let all = [live, ready]
}

extension EndpointPath {
    /// Whether a request with this plain path can match.
    func matches(_ path: String) -> Bool {
        var rest = path.split(separator: "/")[...]
        for segment in segments {
            switch segment {
            case .rest: return true
            case .literal(let text): guard rest.popFirst() == text[...] else { return false }
            case .parameter: guard rest.popFirst() != nil else { return false }
            }
        }
        return rest.isEmpty
    }
}
