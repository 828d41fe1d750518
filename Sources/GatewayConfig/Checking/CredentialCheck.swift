import EndpointPlans
import HTTPModel

/// Warns of upstreams that get no credentials, because nothing calls them or all calls have their own.
struct CredentialCheck {
    let values: ShapeValues

    /// Checks the endpoint's own members. Members of `defaults` apply to all endpoints, and each may call
    /// other upstreams.
    ///
    /// - Parameters:
    ///   - called: the upstreams that the endpoint calls.
    ///   - replaces: whether all calls to an upstream have their own field of this name.
    func run(
        _ settings: PlannedSettings, called: () -> Set<String>,
        replaces: (HTTPFieldName, String) -> Bool = { _, _ in false }
    ) {
        let own = [
            (EndpointShape.credentials, HTTPFieldName.authorization, settings.credentials),
            (EndpointShape.cookies, .cookie, settings.cookies),
        ].filter { member, _, names in values.has(member) && !names.isEmpty }
        guard !own.isEmpty, !values.reader.usesUnknownUpstream else { return }
        let called = called()
        for (member, field, names) in own {
            for name in names {
                // The name may come from a variable, so it is not shown.
                if !called.contains(name.value) {
                    values.reader.problems.warning(
                        "\(member.name) names an upstream that this endpoint does not call", at: name.place)
                } else if replaces(field, name.value) {
                    values.reader.problems.warning(
                        "\(member.name) names an upstream whose calls here all set \(field) themselves",
                        at: name.place)
                }
            }
        }
    }
}

extension PlannedEndpoint {
    /// Whether it calls the upstream, always with a field of the calls' own, which replaces the client's.
    func replaces(_ field: HTTPFieldName, for upstream: String) -> Bool {
        let calls = calls.filter { $0.upstream.value == upstream }
        return !calls.isEmpty && calls.allSatisfy { $0.hasOwn(field) }
    }
}
