/// Warns of upstreams that get no credentials, because nothing calls them.
enum CredentialCheck {
    /// - Parameters:
    ///   - member: `credentials` or `cookies`.
    ///   - names: the upstreams that it lists.
    ///   - called: the upstreams that the endpoint calls.
    ///   - problems: gets the warnings.
    static func warn(
        _ member: String, _ names: [Located<String>], _ called: Set<String>, _ problems: ProblemList
    ) {
        for name in names where !called.contains(name.value) {
            // The name may come from a variable, so it is not shown.
            problems.warning("\(member) names an upstream that this endpoint does not call", at: name.place)
        }
    }
}

extension ConfigEndpoint {
    /// The upstreams of its steps and parts.
    var calledUpstreams: Set<String> {
        var names = Set(steps.map(\.call.upstream.value))
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
