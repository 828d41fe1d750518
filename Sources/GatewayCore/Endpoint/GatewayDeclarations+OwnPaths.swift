import HTTPModel

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
            guard let template = try? PathTemplate(endpoint.path) else { continue }
            let covered = own.filter(template.matches)
            guard !covered.isEmpty else { continue }
            if template.parameterNames.isEmpty {
                faults.append(
                    "\(endpoint.path) never runs: the gateway itself answers at this path, with any method")
            } else if case .literal? = template.segments.first {
                warnings.append(
                    "\(endpoint.path) gets no requests for \(covered.joined(separator: " and ")): "
                        + "the gateway itself answers them")
            }
        }
        return (faults, warnings)
    }
}

extension PathTemplate {
    /// Whether a request with this plain path can match.
    fileprivate func matches(_ path: String) -> Bool {
        var router = Router<Void>()
        _ = router.add(.get, self, ())
        guard let decoded = try? DecodedPath(Array(path.utf8)[...]),
            case .found = router.route(.get, decoded)
        else { return false }
        return true
    }
}
