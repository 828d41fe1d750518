package import HTTPModel

extension GatewayResponder {
    /// Decides on a request of an endpoint by its head: what needs no I/O is decided now, and the rest waits
    /// until the request begins.
    package func admit(
        _ head: HTTPRequestHead, at match: EndpointMatch, _ source: @autoclosure () -> AccessSource
    ) -> Admission {
        guard let plan = match.access else { return .open }
        let access = RequestAccess(plan, head, from: source(), in: environment)
        guard case .refused(let error) = access.first else { return .admitted(access) }
        return .refused(render(error, fields: head.fields, at: match, access: access))
    }

    /// Begins to use the entries and limits of this generation: fetches signing keys, and forgets what
    /// belongs to entries that have changed or gone. Called before the first request, once.
    package func useAccess() { environment.access.use(access) }

    /// The fields of requests that have credentials, which no log shows.
    package var credentialFields: [HTTPFieldName] {
        var fields: [HTTPFieldName] = []
        for entry in access.entries.values.sorted(by: { $0.name < $1.name }) {
            for field in entry.fields where !fields.contains(field) { fields.append(field) }
        }
        return fields
    }

    /// The names of entries, limits and stores, in the order of the declarations.
    package var accessNames: (entries: [String], limits: [String], stores: [String]) {
        let stores = access.limits.compactMap(\.limit.settings.store)
        return (access.names, access.limits.map(\.name), Array(Set(stores)).sorted())
    }
}

extension Admission {
    /// Nil if the request is refused, or if there was nothing to check.
    var access: RequestAccess? { if case .admitted(let access) = self { access } else { nil } }
}
