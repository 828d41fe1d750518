import EndpointPlans

extension GatewayDeclarations {
    /// Finds the endpoints in Swift that get no requests for some paths, because the gateway's server answers
    /// there itself. The check of a file finds its endpoints.
    ///
    /// - Parameter own: the paths, such as `/health/live`.
    /// - Returns: faults, for endpoints that never run, and warnings.
    func conflicts(with own: [String]) -> (faults: [String], warnings: [String]) {
        var (faults, warnings): ([String], [String]) = ([], [])
        // One declaration may be an endpoint for each of several methods.
        var checked: Set<String> = []
        for endpoint in endpoints where endpoint.place == nil && checked.insert(endpoint.path).inserted {
            guard let template = try? PathTemplate(endpoint.path),
                let conflict = template.segments.conflict(with: own, endpoint.path)
            else { continue }
            if conflict.neverRuns {
                faults.append(conflict.message)
            } else {
                warnings.append(conflict.message)
            }
        }
        return (faults, warnings)
    }
}
