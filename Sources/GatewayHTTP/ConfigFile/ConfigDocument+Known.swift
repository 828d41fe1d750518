import EndpointPlans
import GatewayConfig

extension ConfigDocument {
    /// What a static check can check: the document without values that variables set, and without files of
    /// the machine. Only for checking: an endpoint with a variable is left out as a whole.
    var known: ConfigDocument {
        var known = self
        known.changes = changes.known.without(
            "public", "spoolDirectory", "listen.tls", "listen.redirect")
        known.upstreams = upstreams.map(self.known)
        known.auth = authWithoutFiles
        known.rateLimits = knownRateLimits
        known.stores = []
        guard !variableTexts.isEmpty else { return known }
        known.schemas = []
        let starts = (endpoints.map(\.start) + proxies.map(\.start)).sorted(by: Self.isBefore)
        let variables = variableTexts.keys.sorted(by: Self.isBefore)
        known.endpoints = endpoints.filter { endpoint in
            !Self.has(variables, from: endpoint.start, starts)
        }.map { endpoint in
            var known = endpoint
            known.settings = self.known(endpoint.settings)
            if isUnknown(known.answer.$completeField) { known.answer.completeField = nil }
            return known
        }
        known.proxies = proxies.filter { proxy in
            !Self.has(variables, from: proxy.start, starts)
        }.map { proxy in
            var known = proxy
            known.settings = self.known(proxy.settings)
            return known
        }
        return known
    }

    /// Returns an upstream without values that variables set, and without certificates. Each value alone has
    /// been checked.
    private func known(_ upstream: ConfigUpstream) -> ConfigUpstream {
        var known = upstream
        known.changes = upstream.changes.known.without("tls")
        if !known.changes.has("url"), !known.changes.has("urls") {
            known.changes.add { $0.urls = ["http://127.0.0.1:1"] }
        }
        return known
    }

    /// Returns the settings without the names that variables of `defaults` set.
    private func known(_ settings: PlannedSettings) -> PlannedSettings {
        var known = settings
        known.credentials.removeAll { isSubstituted($0.place) }
        known.forward.removeAll { isSubstituted($0.place) }
        known.rateLimits?.removeAll { isSubstituted($0.place) }
        // Without another one, any entry stands for one that a variable names: the endpoint stays closed.
        if let requirement = settings.requirement, let other = auth.first?.name {
            let named = requirement.entries.filter { !isSubstituted($0.place) }
            let hasNone = named.isEmpty && !requirement.entries.isEmpty
            known.requirement?.entries = hasNone ? [other] : named
            known.requirement?.scopes.removeAll { isSubstituted($0.place) }
        }
        return known
    }

    private func isUnknown<Value>(_ value: Located<Value>?) -> Bool { isSubstituted(value?.place) }

    private func isSubstituted(_ place: ConfigPlace?) -> Bool { place.map { isSubstituted($0) } ?? false }

    private static func isBefore(_ place: ConfigPlace, _ other: ConfigPlace) -> Bool {
        (place.file, place.line, place.column) < (other.file, other.line, other.column)
    }

    /// Whether a variable stands between the starts of an endpoint and of the next one in its file.
    private static func has(
        _ variables: [ConfigPlace], from start: ConfigPlace, _ starts: [ConfigPlace]
    ) -> Bool {
        let next = starts.partitioningIndex { isBefore(start, $0) }
        let first = variables.partitioningIndex { !isBefore($0, start) }
        guard first < variables.count, variables[first].file == start.file else { return false }
        return next == starts.count || isBefore(variables[first], starts[next])
    }
}

extension Array {
    /// Returns the first index whose element fits, in an array in which all that fit follow all others.
    fileprivate func partitioningIndex(where fits: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if fits(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
