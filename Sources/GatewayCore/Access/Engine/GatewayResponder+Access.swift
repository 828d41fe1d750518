package import HTTPModel

extension GatewayResponder {
    /// Begins the check of a request's caller and of its limits, with what the head alone decides. Pass the
    /// result to `respond`, or answer with `refusal(by:of:at:)`.
    ///
    /// - Returns: nil if the endpoint has neither a requirement nor limits.
    package func admit(
        _ head: HTTPRequestHead, at match: EndpointMatch, _ source: @autoclosure () -> AccessSource
    ) -> RequestAccess? {
        guard let plan = match.access else { return nil }
        let source = source()
        var check = AccessCheck(
            plan, head.fields, from: source.client, verified: source.loop ?? environment.access.loop)
        let moment = AccessCheck.Moment(environment.transport, for: plan)
        let first = check.headReceived(head, source.certificate, at: moment)
        return RequestAccess(check, first)
    }

    /// Returns the answer to a request that its head refuses; nil if the request goes on. The answer's
    /// summary has the note.
    package func refusal(
        by access: RequestAccess, of head: HTTPRequestHead, at match: EndpointMatch
    ) -> GatewayResponse? {
        access.headError.map { render($0, fields: head.fields, at: match, access: access) }
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
        let stores = access.limits.compactMap(\.settings.store)
        return (access.names, access.limits.map(\.name), Array(Set(stores)).sorted())
    }
}
