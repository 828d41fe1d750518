import EndpointPlans

/// Decodes the settings that endpoints of all kinds have, and the settings in `defaults`.
struct EndpointSettingsDecoder {
    let values: ShapeValues
    let defaults: ShapeValues?

    func decode(into settings: inout PlannedSettings) {
        settings.$bodyLimit = located(EndpointShape.bodyLimit)
        settings.$deadline = located(EndpointShape.deadline)
        settings.forward = read(EndpointShape.forward) ?? []
        settings.credentials = read(EndpointShape.credentials) ?? []
        settings.cookies = values.read(EndpointShape.cookies) ?? []
        if let concurrency = values.located(EndpointShape.concurrency),
            case .on(let requests) = concurrency.value
        {
            settings.$concurrency = Located(requests, at: concurrency.place)
        }
        settings.$compression = located(EndpointShape.compression)
        settings.$slow = located(EndpointShape.slow)
        settings.requirement = requirement
        settings.$csrf = located(EndpointShape.csrf)
        settings.rateLimits = read(EndpointShape.rateLimits)
        let names = settings.credentials + settings.cookies
        if let place = values.place(of: EndpointShape.cookies), !settings.credentials.isEmpty,
            !names.contains(where: { values.reader.unread.contains($0.place) }),
            Set(settings.cookies.map(\.value)) != Set(settings.credentials.map(\.value))
        {
            values.reader.error(
                "cookies and credentials name different upstreams; if both are given they are equal",
                at: place)
        }
    }

    /// Who may call; nil after a problem, too.
    private var requirement: PlannedRequirement? { read(EndpointShape.require) }

    /// Whether callers have claims, or would have them without a problem.
    var hasIdentity: Bool {
        let isDeclared = values.has(EndpointShape.require) || defaults?.has(EndpointShape.require) == true
        return requirement.map { !$0.entries.isEmpty } ?? isDeclared
    }

    private func read<Value>(_ member: Member<Value>) -> Value? {
        values.has(member) ? values.read(member) : defaults?.read(member)
    }

    private func located<Value>(_ member: Member<Value>) -> Located<Value>? {
        values.has(member) ? values.located(member) : defaults?.located(member)
    }
}
