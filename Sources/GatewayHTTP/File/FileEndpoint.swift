import GatewayConfig
import GatewayCore
import HTTPModel
import JSONBytes

/// Translates an endpoint of a file.
struct FileEndpoint {
    private let endpoint: ConfigEndpoint
    private let document: ConfigDocument
    private let upstreams: [String: PlannedUpstream]

    /// - Parameter upstreams: by name.
    init(
        _ endpoint: ConfigEndpoint, _ document: ConfigDocument, _ upstreams: [String: PlannedUpstream]
    ) {
        self.endpoint = endpoint
        self.document = document
        self.upstreams = upstreams
    }

    func declare(on gateway: Gateway, _ faults: inout FileFaults) {
        var planned = PlannedEndpoint(endpoint.method, endpoint.path.value.text)
        do {
            planned.parameters = try parameters
            planned.body = try endpoint.body.map { try FileSchema(document).body($0.value) }
            planned.first = try endpoint.steps.map(step)
            switch endpoint.content {
            case .parts(let parts): planned.parts = .named(try parts.map(part))
            case .data(let one): planned.parts = .data(try part(one))
            }
            planned.answer = answer
            gateway.add(try EndpointPlan(planned), options, place: document.text(of: endpoint.place))
        } catch let error as PlanError {
            for fault in error.faults {
                let part = fault.part.map { "part \"\($0)\": " } ?? ""
                faults.add(part + fault.message, at: endpoint.place)
            }
        } catch {
            faults.add("\(error)", at: endpoint.place)
        }
    }

    private var options: [EndpointOption] {
        var options = EndpointOption.options(of: endpoint)
        for name in endpoint.forward { options.append(.forwards(name.value)) }
        if endpoint.revealsMessages?.value == true { options.append(.revealsUpstreamMessages) }
        if let own = endpoint.answer.onFailure?.value {
            options.append(.onFailure(own == .wait ? .wait : .stop))
        }
        return options
    }

    private var parameters: [ParameterRule] {
        get throws {
            try endpoint.pathParameters.map { try ParameterRule(.path, $0, in: document) }
                + endpoint.query.map { try ParameterRule(.query, $0, in: document) }
                + endpoint.headers.map { try ParameterRule(.header, $0, in: document) }
        }
    }

    private var answer: PlannedAnswer {
        var answer = PlannedAnswer()
        switch (endpoint.answer.envelope?.value, endpoint.answer.completeHeader?.value) {
        case (.bare?, let field?): answer.style = .bare(completeField: field)
        case (.bare?, nil): answer.style = .bare
        case (.sluice?, _): answer.style = .sluice
        case (nil, _): break
        }
        answer.status = endpoint.answer.status.flatMap { HTTPStatus(code: $0.value) }
        answer.fields = endpoint.answer.headers.map { ($0.name.value, TextTemplate($0.value.value)) }
        return answer
    }

    // MARK: Parts

    private func step(_ step: ConfigStep) throws -> PlannedPart {
        switch step.kind {
        case .call(let call): PlannedPart(step.name.value, .call(try self.call(call)))
        case .group(let steps):
            PlannedPart(step.name.value, .group(PlannedGroup(try steps.map { try self.step($0) })))
        }
    }

    private func part(_ part: ConfigPart) throws -> PlannedPart {
        let policy: PartPolicy =
            switch part.policy {
            case .required: .required
            case .optional: .optional
            case .fallback(let value): .fallback(JSONLiteral(value.value))
            }
        var planned = PlannedPart(part.name.value, try content(of: part), policy)
        planned.isMerged = part.isMerged
        planned.isHidden = part.isHidden
        planned.shape = shape(of: part)
        planned.condition = part.when.map {
            PlannedCondition(PlanReference($0.reference), isNegated: $0.isNegated)
        }
        return planned
    }

    private func content(of part: ConfigPart) throws -> PlannedPart.Content {
        switch part.kind {
        case .value(let value): return .value(ValueTemplate(value))
        case .group(let group):
            return .group(
                PlannedGroup(try group.parts.map { try self.part($0) }, atLeast: group.atLeast?.value))
        case .call(let call): return .call(try self.call(call))
        case .forEach(let each):
            var planned = try call(each.call)
            var items = PlannedItems(PlanReference(each.items))
            items.concurrency = each.concurrency?.value ?? ConfigForEach.defaultConcurrency
            items.limit = each.limit?.value ?? ConfigForEach.defaultLimit
            items.failure = PlannedItems.Failure(each.itemFailure?.value ?? .null)
            items.atLeast = each.atLeast?.value
            planned.items = items
            return .call(planned)
        }
    }

    private func shape(of part: ConfigPart) -> PlannedShape {
        var shape = PlannedShape()
        shape.kept = part.keep.map { $0.map(\.value) }
        shape.dropped = part.drop.map(\.value)
        shape.renamed = part.rename.map { ($0.path.value, $0.name.value) }
        return shape
    }

    private func call(_ call: ConfigCall) throws -> PlannedCall {
        guard let upstream = upstreams[call.upstream.value] else {
            throw FileTranslationError("there is no upstream \"\(call.upstream.value)\"")
        }
        var planned = PlannedCall(upstream, call.request.method, TextTemplate(call.request.path.value))
        planned.query = call.request.query.flatMap { item in
            item.values.map { (item.name.value, ValueTemplate($0.value)) }
        }
        planned.fieldsOfClient = endpoint.credentialFields(for: call.upstream.value)
        planned.headers = call.request.headers.map { ($0.name.value, TextTemplate($0.value.value)) }
        planned.body = call.request.body.map { ValueTemplate($0.value) }
        planned.timeout = call.timeout.map { .nanoseconds($0.value) }
        planned.attempts = call.attempts?.value
        planned.pick = call.pick?.value
        planned.expected = call.expect.map { JSONFragment.Kind($0.value) }
        return planned
    }
}

extension EndpointOption {
    /// Returns the options that endpoints of all kinds have, but for the fields that they forward.
    static func options(of settings: some ConfigEndpointSettings) -> [EndpointOption] {
        var options: [EndpointOption] = []
        if let deadline = settings.deadline?.value { options.append(.deadline(.nanoseconds(deadline))) }
        if let limit = settings.bodyLimit?.value { options.append(.bodyLimit(limit)) }
        if case .on(let requests)? = settings.concurrency?.value { options.append(.concurrency(requests)) }
        if let compresses = settings.compression?.value { options.append(.compression(compresses)) }
        for upstream in settings.credentials { options.append(.forwardsAuthorization(to: upstream.value)) }
        for upstream in settings.cookies { options.append(.forwardsCookies(to: upstream.value)) }
        return options
    }
}

extension ConfigEndpointSettings {
    /// Returns the fields of an upstream that the client's own replace: identities are never mixed.
    func credentialFields(for upstream: String) -> [HTTPFieldName] {
        var names: [HTTPFieldName] = []
        if credentials.contains(where: { $0.value == upstream }) { names.append(.authorization) }
        if cookies.contains(where: { $0.value == upstream }) { names.append(.cookie) }
        return names
    }
}

/// Why a value of a file, which the reader has accepted, cannot be used.
struct FileTranslationError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension PlannedItems.Failure {
    fileprivate init(_ failure: ConfigForEach.ItemFailure) {
        self =
            switch failure {
            case .null: .null
            case .drop: .drop
            case .fail: .fail
            }
    }
}

extension JSONFragment.Kind {
    fileprivate init(_ kind: ConfigKind) {
        self =
            switch kind {
            case .object: .object
            case .array: .array
            case .string: .string
            case .number: .number
            case .boolean: .bool
            }
    }
}
