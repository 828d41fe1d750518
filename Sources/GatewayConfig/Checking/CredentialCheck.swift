/// Warns of upstreams that get no credentials, because nothing calls them.
struct CredentialCheck {
    let values: ShapeValues

    /// Checks the endpoint's own members. Those of `defaults` are for all endpoints, so each may call others.
    ///
    /// - Parameter called: the upstreams that the endpoint calls.
    func run(_ settings: some ConfigEndpointSettings, called: () -> Set<String>) {
        let own = [
            (EndpointShape.credentials, settings.credentials), (EndpointShape.cookies, settings.cookies),
        ].filter { member, names in values.has(member) && !names.isEmpty }
        guard !own.isEmpty, !values.reader.usesUnknownUpstream else { return }
        let called = called()
        for (member, names) in own {
            for name in names where !called.contains(name.value) {
                // The name may come from a variable, so it is not shown.
                values.reader.problems.warning(
                    "\(member.name) names an upstream that this endpoint does not call", at: name.place)
            }
        }
    }
}

extension ConfigEndpoint {
    /// The upstreams of its steps and parts.
    var calledUpstreams: Set<String> {
        var names = Set(steps.flatMap(\.calls).map(\.upstream.value))
        var rest = content.parts
        while let part = rest.popLast() {
            switch part.kind {
            case .call(let call): names.insert(call.upstream.value)
            case .forEach(let each): names.insert(each.call.upstream.value)
            case .group(let group): rest += group.parts
            case .value: break
            }
        }
        return names
    }
}
