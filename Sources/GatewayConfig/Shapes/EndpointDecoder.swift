import ASCIIText
import EndpointPlans
import HTTPModel

/// Decodes one endpoint with the members that `defaults` sets.
struct EndpointDecoder {
    let values: ShapeValues
    let defaults: ShapeValues?

    private var reader: ConfigReader { values.reader }

    /// Returns the endpoint; nil after a problem.
    func decode() -> PlannedEndpoint? {
        guard let (method, path, place) = route() else { return nil }
        let errors = reader.problems.errorCount
        let scope = ReferenceScope()
        reader.scope = scope
        defer { reader.scope = nil }
        let pathParameters = pathParameters(path)
        let (query, headers) = (values.read(EndpointShape.query) ?? [], headerParameters())
        let body = values.located(EndpointShape.body)
        if method == .get, let place = values.place(of: EndpointShape.body) {
            reader.error("a GET has no body", at: place)
        }
        scope.pathNames = path.flatMap { $0.value.isUnknown ? nil : NameList($0.value.parameters) }
        scope.queryNames = names(EndpointShape.query)
        scope.headerNames = names(EndpointShape.headers)
        scope.takesBody = values.has(EndpointShape.body)
        scope.body = body?.value
        scope.hasIdentity = EndpointSettingsDecoder(values: values, defaults: defaults).hasIdentity
        let steps = StepList.read(values.node(EndpointShape.first), scope, reader)
        let parts = parts(scope)
        scope.site = .init()
        // Without a path or parts, the other members are read for their problems.
        let noPath = EndpointPath(text: "", segments: [], shown: "", isUnknown: true)
        var endpoint = PlannedEndpoint(
            method, path ?? Located(noPath, at: place), parts: parts ?? .named([]), at: place,
            start: values.place)
        endpoint.parameters = pathParameters + query + headers
        endpoint.$body = body
        endpoint.first = steps
        decodeSettings(&endpoint)
        EndpointCheck(endpoint: endpoint, reader: reader).run()
        if reader.problems.errorCount == errors {
            CredentialCheck(values: values).run(endpoint.settings) {
                Set(endpoint.calls.map(\.upstream.value))
            } replaces: {
                endpoint.replaces($0, for: $1)
            }
        }
        return path == nil || parts == nil ? nil : endpoint
    }

    private func route() -> (HTTPMethod, Located<EndpointPath>?, ConfigPlace)? {
        let found = EndpointShape.methods.filter { values.has($0.member) }
        guard let (method, member) = found.first, found.count == 1, let place = values.place(of: member)
        else {
            reader.error(
                found.isEmpty
                    ? "an endpoint needs a method with a path: get, post, put, patch or delete"
                    : "an endpoint has one method, not \(found.map(\.member.name).joined(separator: " and "))",
                at: found.last.flatMap { values.place(of: $0.member) } ?? values.place)
            return nil
        }
        return (method, values.located(member), place)
    }

    private func names<Value>(_ member: Member<Value>) -> NameList {
        guard case .map(let map)? = values.node(member)?.content else { return NameList() }
        return NameList(map.members.map(\.name))
    }

    // MARK: Parameters

    /// Returns one for each parameter of the path.
    private func pathParameters(_ path: Located<EndpointPath>?) -> [ParameterRule] {
        let declared = values.read(EndpointShape.path) ?? []
        guard let path, !path.value.isUnknown else { return declared }
        let known = NameList(path.value.parameters)
        for parameter in declared {
            if !known.contains(parameter.name.value) {
                reader.error(
                    "the path has no parameter {\(Shown.text(parameter.name.value))}"
                        + Suggestion.text(for: parameter.name.value, among: known.names),
                    at: parameter.name.place)
            } else if parameter.defaultValue != nil || !parameter.isRequired {
                reader.error(
                    "a parameter of a path is always there: it takes no default and no required: false",
                    at: parameter.name.place)
            }
        }
        let byName = Dictionary(declared.map { ($0.name.value, $0) }) { first, _ in first }
        return known.names.map { name in
            byName[name] ?? ParameterRule(.path, Located(name, at: path.place))
        }
    }

    private func headerParameters() -> [ParameterRule] {
        let headers = values.read(EndpointShape.headers) ?? []
        var known: Set<HTTPFieldName> = []
        for header in headers {
            guard let name = HTTPFieldName(header.name.value) else {
                reader.error(
                    "\"\(Shown.text(header.name.value))\" is not the name of a header field",
                    at: header.name.place)
                continue
            }
            if name == .authorization || name == .cookie || name == .proxyAuthorization {
                reader.error(
                    "\(name) is not a parameter; credentials and cookies name the upstreams that get it",
                    at: header.name.place)
            }
            if !known.insert(name).inserted {
                reader.error(
                    "the header \(name) is declared twice; case does not matter", at: header.name.place)
            }
        }
        return headers
    }

    // MARK: Parts

    private func parts(_ scope: ReferenceScope) -> PlannedEndpoint.Parts? {
        switch (values.map[EndpointShape.parts.name], values.map[EndpointShape.data.name]) {
        case (nil, nil):
            reader.error("an endpoint needs the member \"parts\" or \"data\"", at: values.place)
        case (_?, let data?):
            reader.error("an endpoint has parts or data, not both", at: data.namePlace)
        case (let parts?, nil):
            PartList.declare(parts.value, in: scope, below: 0, reader.problems)
            return PartList.read(parts.value, Subject(parts.name), reader, below: 0).map { .named($0) }
        case (nil, let data?):
            PartList.declare(data.name, data.value, in: scope, below: 0, reader.problems)
            guard let index = scope.child(data.name, of: 0) else { return nil }
            return PartList.read(data, index, scope, reader).map { .data($0) }
        }
        return nil
    }

    // MARK: Settings

    private func decodeSettings(_ endpoint: inout PlannedEndpoint) {
        EndpointSettingsDecoder(values: values, defaults: defaults).decode(into: &endpoint.settings)
        endpoint.$revealsMessages = values.located(EndpointShape.revealMessages)
        let own = values.read(EndpointShape.answer)
        let common = defaults?.read(EndpointShape.answer)
        var answer = own ?? PlannedAnswer()
        answer.$envelope = answer.$envelope ?? common?.$envelope
        answer.$status = answer.$status ?? common?.$status
        answer.$completeField = answer.$completeField ?? common?.$completeField
        answer.$onFailure = answer.$onFailure ?? common?.$onFailure
        // A field of the endpoint replaces the same field of `defaults`.
        let fields = answer.fields
        answer.fields =
            (common?.fields ?? []).filter { field in !fields.contains { $0.name.value == field.name.value } }
            + fields
        endpoint.answer = answer
        if own?.completeField != nil { warnOfCompleteField(answer) }
    }

    private func warnOfCompleteField(_ answer: PlannedAnswer) {
        // What a variable sets is unknown in a static check.
        guard let field = answer.$completeField, answer.envelope != .bare,
            ![field.place, answer.$envelope?.place].contains(where: { $0.map(reader.unread.contains) == true }
            )
        else { return }
        reader.problems.warning(
            "answer.completeHeader has no effect: only answers with envelope: bare have the field",
            at: field.place)
    }
}
