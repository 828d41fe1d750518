import EndpointPlans
import HTTPModel

/// A failure as endpoints of one kind answer it: a component of a description.
struct OpenAPIFailure: Hashable {
    enum Status: Int, CaseIterable {
        case badRequest = 400
        case unauthorized = 401
        case forbidden = 403
        case notFound = 404
        case conflict = 409
        case gone = 410
        case preconditionFailed = 412
        case tooLarge = 413
        case unsupportedType = 415
        case unprocessable = 422
        case tooManyRequests = 429
        case badGateway = 502
        case unavailable = 503
        case timeout = 504
        case loop = 508
    }

    let status: Status
    /// Whether it is a problem (RFC 9457) whatever the client accepts.
    let isBare: Bool
    /// Whether the endpoint is a proxy, so that the upstream's own response may have this status, too.
    let isProxied: Bool
    /// Whether the gateway itself checks who calls, so that it answers with this status, too.
    var isChecked = false
    /// Whether it has the fields that tell of limits.
    var tellsLimits = false

    /// All that a document's endpoints answer, in a fixed order.
    static func all(of document: ConfigDocument) -> [OpenAPIFailure] {
        let used = Set(
            document.endpoints.flatMap { all(of: $0, in: document) }
                + document.proxies.flatMap { proxy in
                    proxy.usedMethods.flatMap { all(of: proxy, $0, in: document) }
                })
        return [false, true].flatMap { isProxied in
            [false, true].flatMap { isBare in
                Status.allCases.flatMap { status in
                    [(false, false), (true, false), (true, true)].map { isChecked, tellsLimits in
                        OpenAPIFailure(
                            status: status, isBare: isBare, isProxied: isProxied, isChecked: isChecked,
                            tellsLimits: tellsLimits)
                    }
                }
            }
        }.filter(used.contains)
    }

    /// Returns the failures that can occur at an endpoint. Upstreams decide only through what the answer
    /// requires.
    static func all(of endpoint: PlannedEndpoint, in document: ConfigDocument) -> [OpenAPIFailure] {
        let deciding = DecidingParts(endpoint, document)
        let access = OpenAPIAccess(document)
        let checked = access.statuses(of: endpoint.settings, canWrite: endpoint.method != .get)
        let statuses = Status.allCases.filter { status in
            switch status {
            case .badRequest, .unavailable, .loop: true
            case .unauthorized, .forbidden:
                checked.contains(status)
                    || deciding.calls.contains {
                        document.passesCredentials(of: endpoint.settings, with: $0)
                    }
            case .tooManyRequests: checked.contains(status)
            case .notFound, .conflict, .gone, .preconditionFailed, .unprocessable: !deciding.calls.isEmpty
            case .tooLarge, .unsupportedType: endpoint.body != nil
            // Values of optional parts, too, can exceed the limit of an answer.
            case .badGateway: !endpoint.isConstant
            case .timeout: deciding.awaitsCalls
            }
        }
        let isBare = endpoint.answer.envelope == .bare
        let tellsLimits = !access.fields(of: endpoint.settings).isEmpty
        return statuses.map {
            OpenAPIFailure(
                status: $0, isBare: isBare, isProxied: false, isChecked: checked.contains($0),
                tellsLimits: tellsLimits && $0 == .tooManyRequests)
        }
    }

    /// Returns the failures that the gateway itself answers for one method of a proxy.
    static func all(
        of proxy: PlannedProxy, _ method: PlannedProxy.Method, in document: ConfigDocument
    ) -> [OpenAPIFailure] {
        let access = OpenAPIAccess(document)
        let checked = access.statuses(of: proxy.settings, canWrite: method != .get)
        let statuses = Status.allCases.filter { status in
            switch status {
            case .badRequest, .badGateway, .unavailable, .timeout, .loop: true
            case .tooLarge: proxy.settings.bodyLimit != nil
            case .unauthorized, .forbidden, .tooManyRequests: checked.contains(status)
            case .notFound, .conflict, .gone, .preconditionFailed, .unsupportedType, .unprocessable: false
            }
        }
        let isBare = proxy.envelope == .bare
        let tellsLimits = !access.fields(of: proxy.settings).isEmpty
        return statuses.map {
            OpenAPIFailure(
                status: $0, isBare: isBare, isProxied: true, isChecked: checked.contains($0),
                tellsLimits: tellsLimits && $0 == .tooManyRequests)
        }
    }

    // MARK: The component

    var name: String {
        let name = tellsLimits ? "RateLimited" : isChecked ? status.checkedName : status.name
        return (isProxied ? "Proxy" : "") + name + (isBare ? "Problem" : "")
    }

    /// - Parameter names: the schemas of failures.
    func tree(_ names: ComponentNames) -> SchemaTree {
        var content = [("application/problem+json", names.problem)]
        if !isBare { content.insert(("application/json", names.envelopeFailure), at: 0) }
        var types = content.map { type, name in
            (name: type, value: SchemaTree.object([("schema", schema(ComponentNames.reference(name)))]))
        }
        if isProxied { types.append(("*/*", .object([]))) }
        let own = isChecked ? status.checkedText : status.text
        let text = own + (isProxied ? " Or the upstream answered with this status." : "")
        var members: OpenAPISchemas.Members = [("description", .text(text))]
        let fields =
            (isChecked ? status.checkedFields : []) + (tellsLimits ? OpenAPIAccess.limitFields : [])
        if !fields.isEmpty { members.append(("headers", OpenAPIResponses.fields(fields))) }
        return .object(members + [("content", .object(types))])
    }

    private func schema(_ own: SchemaTree) -> SchemaTree {
        isProxied ? .any(of: [own, .object([("description", .text("What the upstream sent."))])]) : own
    }
}

extension OpenAPIFailure.Status {
    fileprivate var name: String {
        switch self {
        case .badRequest: "BadRequest"
        case .unauthorized: "Unauthorized"
        case .forbidden: "Forbidden"
        case .notFound: "NotFound"
        case .conflict: "Conflict"
        case .gone: "Gone"
        case .preconditionFailed: "PreconditionFailed"
        case .tooLarge: "TooLarge"
        case .unsupportedType: "UnsupportedType"
        case .unprocessable: "Unprocessable"
        case .tooManyRequests: "TooManyRequests"
        case .badGateway: "BadGateway"
        case .unavailable: "Unavailable"
        case .timeout: "Timeout"
        case .loop: "Loop"
        }
    }

    fileprivate var text: String {
        switch self {
        case .badRequest: "The request is not valid."
        case .unauthorized: "An upstream does not accept the credentials."
        case .forbidden: "An upstream refuses the request with these credentials."
        case .notFound: "An upstream does not know the resource."
        case .conflict: "The request conflicts with the state of an upstream's resource."
        case .gone: "An upstream no longer has the resource."
        case .preconditionFailed: "A precondition of an upstream is not met."
        case .tooLarge: "The request body is too large."
        case .unsupportedType: "The request body is not JSON."
        case .unprocessable: "An upstream cannot process the request."
        case .tooManyRequests: "There are too many requests."
        case .badGateway: "An upstream sent no usable response, or the answer is too large."
        case .unavailable: "The gateway or an upstream takes no requests now."
        case .timeout: "An upstream did not answer in time."
        case .loop: "The request came back to this gateway."
        }
    }
}

/// Failures of the gateway's own checks.
extension OpenAPIFailure.Status {
    fileprivate var checkedName: String {
        switch self {
        case .unauthorized: "Unidentified"
        case .forbidden: "Denied"
        case .badRequest, .notFound, .conflict, .gone, .preconditionFailed, .tooLarge, .unsupportedType,
            .unprocessable, .tooManyRequests, .badGateway, .unavailable, .timeout, .loop:
            name
        }
    }

    fileprivate var checkedText: String {
        switch self {
        case .unauthorized: "The credential is missing, not valid or expired."
        case .forbidden: "The gateway or an upstream does not let the caller do this."
        case .badRequest, .notFound, .conflict, .gone, .preconditionFailed, .tooLarge, .unsupportedType,
            .unprocessable, .tooManyRequests, .badGateway, .unavailable, .timeout, .loop:
            text
        }
    }

    fileprivate var checkedFields: [String] {
        switch self {
        case .unauthorized: ["WWW-Authenticate"]
        case .tooManyRequests: ["Retry-After"]
        case .badRequest, .forbidden, .notFound, .conflict, .gone, .preconditionFailed, .tooLarge,
            .unsupportedType, .unprocessable, .badGateway, .unavailable, .timeout, .loop:
            []
        }
    }
}

extension PlannedEndpoint {
    /// Whether nothing in the answer can fail, or be larger than in the file.
    fileprivate var isConstant: Bool {
        first.isEmpty
            && parts.list.allSatisfy { part in
                if case .value(.constant) = part.content { part.condition == nil } else { false }
            }
    }
}

extension ConfigDocument {
    /// Whether an endpoint passes the client's `Authorization` on with a call, which has none of its own.
    func passesCredentials(of settings: PlannedSettings, with call: PlannedCall) -> Bool {
        !call.hasOwn(.authorization) && passesCredentials(of: settings, to: call.upstream)
    }

    /// Whether an endpoint passes the client's `Authorization` on to an upstream. Names in variables may be
    /// any.
    func passesCredentials(of settings: PlannedSettings, to upstream: Located<String>) -> Bool {
        settings.credentials.contains { name in
            name.value == upstream.value || isSubstituted(name.place) || isSubstituted(upstream.place)
        }
    }
}
