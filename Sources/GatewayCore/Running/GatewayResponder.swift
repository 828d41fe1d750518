import EndpointPlans
import FoundationEssentials
public import HTTPModel
package import Networking
public import Rx

/// Answers requests at the endpoints of a gateway. All loops share one; a request stays on the loop that
/// starts it.
public final class GatewayResponder: Sendable {
    /// The largest body limit of the gateway and its endpoints, in bytes, without those that stream bodies. A
    /// server has to accept bodies of this size.
    public let largestBody: Int
    package let endpointCount: Int
    /// The methods and path templates of the endpoints.
    package let endpoints: [(method: HTTPMethod, route: String)]

    private let router: Router<EndpointMatch>
    private let unmatched: UnmatchedRoutes?
    /// The form of answers to requests that reach no endpoint.
    private let format: EnvelopeFormat?
    let environment: GatewayEnvironment
    private let cors: CORSPolicy?
    private let allowsTimeline: Bool
    let renderer: Renderer
    private let identifiers = Identifiers()
    /// The fields of upstream calls for nearly every request; request id and trace are overwritten in a copy.
    private let callFields: HTTPFields
    private let loops: LoopDetection
    /// What upstreams learn of clients.
    private let clientForms: ClientForms
    /// Who may call.
    let access: AccessDirectory
    /// The fields that tell upstreams who calls, which no client can set.
    let sentNames: [CGIName]

    init(
        _ routes: GatewayRoutes, environment: GatewayEnvironment, limits: GatewayLimits, cors: CORSPolicy?,
        proxies: ProxyTable, policies: [String: UpstreamPolicy], access: AccessDirectory
    ) {
        self.access = access
        sentNames = Array(access.sent.keys)
        largestBody = routes.largestBody
        endpointCount = routes.count
        endpoints = routes.endpoints
        router = routes.router
        unmatched = routes.unmatched
        format = routes.gatewaySettings.format
        self.environment = environment
        self.cors = cors
        allowsTimeline = limits.allowsTimeline
        renderer = Renderer(
            cors: cors, name: environment.name, answerLimit: limits.answer, proxies: proxies)
        loops = LoopDetection(environment.name)
        clientForms = ClientForms(
            environment.forwardClient, byUpstream: policies.compactMapValues(\.forwardClient))
        callFields =
            ([
                .via: environment.name.via, .xRequestID: Identifiers.placeholder,
                .traceParent: TraceContext.placeholder,
            ] as HTTPFields).checked()
    }

    /// The client of a request that did not come over a connection.
    package static let unknownClient = "127.0.0.1:0"

    // MARK: - Answering

    /// Answers a request. Cold: each subscription answers again, and disposal cancels everything started for
    /// it. Never fails. Work starts on the subscribing thread; the answer comes on the thread on which the
    /// last part ended.
    public func respond(to request: ReceivedRequest) -> Single<GatewayResponse> {
        .create { [self] observer in
            respond(to: request) { observer(.success($0)) } ?? Disposables.create()
        }
    }

    /// Answers a request without a pipeline: starts at once and calls `deliver` once, unless disposed first.
    /// Returns nil if no endpoint took the request; `deliver` has been called then.
    public func respond(
        to request: ReceivedRequest, deliver: @escaping @Sendable (GatewayResponse) -> Void
    ) -> (any OngoingRequest)? {
        respond(to: request, isHead: request.head.method == .head, deliver: deliver)
    }

    /// - Parameter isHead: whether a server received HEAD, which it makes a GET.
    package func respond(
        to request: ReceivedRequest, isHead: Bool, deliver: @escaping @Sendable (GatewayResponse) -> Void
    ) -> (any OngoingRequest)? {
        do throws(GatewayError) {
            switch try route(request.head) {
            case .endpoint(let match):
                let access = admit(request.head, at: match, AccessSource(remote: Self.unknownClient))
                if let access, let answer = refusal(by: access, of: request.head, at: match) {
                    deliver(answer)
                    return nil
                }
                guard request.body.count <= match.bodyLimit else {
                    throw GatewayError.payloadTooLarge(limit: match.bodyLimit)
                }
                return respond(
                    to: request, at: match, isHead: isHead, access: access,
                    outerTask: CallContext.currentTask, for: ClosureReceiver(deliver))
            case .answer(let response):
                deliver(response)
            }
        } catch {
            deliver(render(error, fields: request.head.fields))
        }
        return nil
    }

    /// Starts a request at the endpoint that `route` found. `certificate` is the client's. `body` gives the
    /// body if the endpoint streams it; `memory` is the charge of a large body that `request` has, `place`
    /// the request's at an endpoint with a limit of its own, and `attempts` an empty log for its calls.
    /// `isSampled` says whether the request's trace is; nil without traces, where the client's flags are
    /// passed on.
    package func respond(
        to request: consuming ReceivedRequest, at match: EndpointMatch, from remote: String = unknownClient,
        client: ForwardedClient? = nil, certificate: ClientCertificate? = nil, isHead: Bool = false,
        body: (any PieceSource)? = nil,
        memory: (any RequestMemory)? = nil, place: EndpointPlace? = nil, access: RequestAccess? = nil,
        outerTask: Int = 0, isSampled: Bool? = nil, attempts: consuming AttemptLog = AttemptLog(),
        for receiver: any AnswerReceiver
    ) -> any OngoingRequest {
        let scheduler = environment.transport.scheduler
        let started = scheduler.now
        let requestID = requestID(request.head.fields)
        // Nobody gets around the check.
        let access =
            access
            ?? admit(
                request.head, at: match,
                AccessSource(remote: remote, told: client, certificate: certificate))
        let request = GatewayRequest(
            consume request, requestID: requestID, match, from: remote, for: client, certificate,
            scheme: environment.scheme, isHead: isHead, body, memory: memory, access: access, on: scheduler)
        var context = context(request, started, outerTask, place, isSampled, attempts)
        if allowsTimeline, Self.asksForTimeline(request.fields) { context = context.timed() }
        let run = EndpointRun(
            request: request, context: context,
            responder: self, scheduler: scheduler, started: started, receiver: receiver)
        run.begin()
        return run
    }

    /// Returns the refusal of a request whose client waits for leave to send the body; nil if the body has to
    /// be read, and if more than the head decides whether the caller is admitted.
    ///
    /// - Parameter access: what is known of the caller, and of limits; nil at an open endpoint.
    package func refusal(
        of head: HTTPRequestHead, at match: EndpointMatch, access: RequestAccess?
    ) -> GatewayResponse? {
        guard match.checksHead, access?.isAdmitted != false, let plan = match.endpoint.settings.plan else {
            return nil
        }
        let request = GatewayRequest(
            ReceivedRequest(head: head), requestID: "", match, from: Self.unknownClient, isHead: false, nil,
            on: environment.transport.scheduler)
        do {
            try plan.checkHead(of: request, in: environment)
        } catch let error as GatewayError {
            return render(error, fields: head.fields, at: match, access: access)
        } catch {
            // The handler fails in the same way, and is reported.
        }
        return nil
    }

    /// Returns the answer for an error of a request that reached no endpoint, such as a parser's 400. The
    /// request's `fields`, nil if they could not be read, decide on `X-Request-Id`, format and CORS.
    public func render(_ error: GatewayError, fields: HTTPFields? = nil) -> GatewayResponse {
        var answer = renderer.error(error, for: facts(fields))
        answer.note(error)
        return answer
    }

    /// Adds the CORS fields of an answer that is made elsewhere, to a request with these fields.
    package func addCORSFields(to answer: inout HTTPFields, for request: HTTPFields) {
        cors?.addFields(to: &answer, for: request)
    }

    /// Returns the answer for an error of a request that its endpoint did not get, in the endpoint's style.
    ///
    /// - Parameter access: what is known of the caller, and of limits.
    package func render(
        _ error: GatewayError, fields: HTTPFields, at match: EndpointMatch, access: RequestAccess? = nil
    ) -> GatewayResponse {
        var facts = facts(fields)
        facts.access = access
        facts.format = match.endpoint.settings.format
        facts.route = match.route
        var answer = renderer.error(error, for: facts)
        answer.note(error)
        return answer
    }

    /// Returns the answer for an error of a request that already has its id; in the style of its group, if
    /// middleware has run.
    package func render(
        _ error: GatewayError, fields: HTTPFields, requestID: String, at match: EndpointMatch?
    ) -> GatewayResponse {
        let format = match.map { $0.endpoint.settings.format } ?? format
        var facts = Renderer.RequestFacts(requestID: requestID, fields: fields, format: format)
        facts.route = match?.route
        return renderer.error(error, for: facts)
    }

    /// Adds the fields that middleware adds to an answer that is made elsewhere, such as a static file.
    package func complete(_ head: inout HTTPResponseHead, of request: GatewayRequest) {
        let status = head.status.code
        var answer = GatewayResponse(
            response: HTTPResponse(status: head.status, fields: head.fields),
            summary: RequestSummary(
                requestID: request.requestID, route: request.route, status: status,
                code: status < 400 ? "OK" : ErrorCode(status: status).name, nanoseconds: 0, steps: [],
                results: nil))
        if let fields = request.answerFields {
            answer.response.fields.add(ofMiddleware: fields, hasCORSPolicy: false)
        }
        if let fault = answer.apply(request.endpoint.after, to: request) ?? request.answerFieldFault {
            environment.report(
                GatewayIncident(
                    requestID: request.requestID, route: request.endpoint.template.text, part: nil,
                    error: fault))
        }
        head.fields = answer.response.fields
    }

    private func facts(_ fields: HTTPFields?) -> Renderer.RequestFacts {
        Renderer.RequestFacts(requestID: requestID(fields), fields: fields, format: format)
    }

    // MARK: - Routing

    /// What to do with a request, decided by its head.
    package enum Decision: Sendable {
        /// An endpoint takes the request once its body is complete.
        case endpoint(EndpointMatch)
        /// The answer is known without the body.
        case answer(GatewayResponse)
    }

    /// The methods that a gateway's paths can have: the `Allow` of answers about the server as a whole.
    package static let serverMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

    /// Finds the endpoint of a request, or answers OPTIONS.
    ///
    /// - Throws: the error to `render`: 400 for an invalid path, 404, 405 or 508. The caller renders it,
    ///   because it may serve more than endpoints: static files, for example, after `.notFound`.
    package func route(_ head: HTTPRequestHead) throws(GatewayError) -> Decision {
        if loops.isLoop(head.fields) { throw .loopDetected }
        if head.target.form == .asterisk {
            guard head.method == .options else {
                throw .invalidRequest("The target * is for OPTIONS only").refusing("target")
            }
            return .answer(renderer.noContent([.allow: Self.serverMethods], for: facts(head.fields)))
        }
        let raw = head.target.pathBytes
        // A preflight is for the policy, also where an endpoint takes OPTIONS.
        let isPreflight = head.method == .options && cors != nil && CORSPolicy.isPreflight(head.fields)
        if !isPreflight, let match = router.routeLiteral(head.method, raw) { return .endpoint(match) }
        let path: DecodedPath
        do {
            path = try DecodedPath(raw)
        } catch {
            throw .invalidRequest("The path must \(error.rule)").refusing("path")
        }
        switch isPreflight ? router.methods(at: path) : router.route(head.method, path) {
        case .found(let match, let parameters): return .endpoint(match.with(parameters))
        case .notFound:
            let error = GatewayError.notFound()
            // A browser sends no credentials with a preflight.
            if isPreflight { throw error }
            guard let match = unmatched?.match(path, .error(error)) else { throw error }
            return .endpoint(match)
        case .otherMethods(let methods): return try routeOther(head, path, methods)
        }
    }

    /// Answers HEAD at the GET endpoint, and OPTIONS on every path.
    private func routeOther(
        _ head: HTTPRequestHead, _ path: DecodedPath, _ methods: [HTTPMethod]
    ) throws(GatewayError) -> Decision {
        if head.method == .head, case .found(let match, let parameters) = router.route(.get, path) {
            return .endpoint(match.with(parameters))
        }
        var allowed = methods
        if let get = allowed.firstIndex(of: .get), !allowed.contains(.head) {
            allowed.insert(.head, at: get + 1)
        }
        if !allowed.contains(.options) { allowed.append(.options) }
        guard head.method == .options else {
            let error = GatewayError.methodNotAllowed(head.method, allowed: allowed)
            guard let match = guarded(path, methods, .error(error)) else { throw error }
            return .endpoint(match)
        }
        let allow = allowed.map(\.rawValue).joined(separator: ", ")
        guard let cors, CORSPolicy.isPreflight(head.fields) else {
            if let match = guarded(path, methods, .allow(allow)) { return .endpoint(match) }
            return .answer(renderer.noContent([.allow: allow], for: facts(head.fields)))
        }
        var fields: HTTPFields = [.allow: allow]
        fields.append(contentsOf: cors.preflightFields(for: head.fields, methods: allowed))
        return .answer(renderer.noContent(fields, isPreflight: true, for: facts(head.fields)))
    }

    /// Returns the match for a path whose endpoints have other methods; nil if no middleware runs for any of
    /// them.
    private func guarded(
        _ path: DecodedPath, _ methods: [HTTPMethod], _ substitute: EndpointMatch.Substitute
    ) -> EndpointMatch? {
        guard let unmatched else { return nil }
        for method in methods {
            guard case .found(let other, let parameters) = router.route(method, path) else { continue }
            if let match = unmatched.match(other.with(parameters), substitute) { return match }
        }
        return nil
    }

    // MARK: - Upstream calls

    private func context(
        _ request: GatewayRequest, _ started: RxTime, _ outerTask: Int, _ place: EndpointPlace?,
        _ isSampled: Bool?, _ attempts: consuming AttemptLog
    ) -> CallContext {
        let (endpoint, fields, requestID) = (request.endpoint, request.fields, request.requestID)
        let parent = TraceContext.received(in: fields)
        var own: HTTPFields
        if requestID.utf8.count == Identifiers.length, !fields.contains(.via) {
            own = callFields
            own.overwrite(valueAt: 1) { Identifiers.write(requestID, to: $0) }
        } else {
            let via = fields.valueBytes(of: .via) + [Array(environment.name.via.utf8)[...]]
            own = HTTPFields()
            own.append(.via, bytes: Array(via.joined(separator: ", ".utf8))[...])
            own.append(.xRequestID, requestID)
            own.append(.traceParent, TraceContext.placeholder)
        }
        own.overwrite(valueAt: 2) {
            TraceContext.write(continuing: parent, identifiers, isSampled: isSampled, to: $0)
        }
        // A tracestate without a valid traceparent belongs to no trace.
        if parent != nil, let state = TraceState.received(in: fields) {
            own.append(.traceState, bytes: state)
        }
        let deadline = started.addingTimeInterval(endpoint.deadlineSeconds)
        let caller = request.access?.caller
        if endpoint.forwarded.isEmpty, clientForms.areNone, caller == nil {
            return CallContext(
                requestID, own, deadline: deadline, origin: endpoint.origin, outerTask: outerTask,
                client: request.sharer, bodyMemory: request.memory, place: place,
                isSampled: isSampled == true, scheduler: request.loopScheduler, attempts: attempts)
        }
        return CallContext(
            requestID, own, deadline: deadline, origin: endpoint.origin, outerTask: outerTask,
            forwarding: Self.forwarded(fields, by: endpoint),
            authorizationUpstreams: endpoint.settings.authorizationUpstreams,
            cookieUpstreams: endpoint.settings.cookieUpstreams, client: request.sharer,
            clientFields: clientForms.areNone ? nil : ClientFields(request.clientFacts, in: clientForms),
            callerFields: caller, bodyMemory: request.memory, place: place, isSampled: isSampled == true,
            scheduler: request.loopScheduler, attempts: attempts)
    }

    private static func asksForTimeline(_ fields: HTTPFields) -> Bool {
        fields.contains(.prefer) && Preferences(fields)["timeline"]?.isEmpty == true
    }

    /// Returns the fields to forward, except those that `Connection` names: they end at this hop (RFC
    /// 9110 7.6.1).
    private static func forwarded(_ fields: HTTPFields, by endpoint: Endpoint) -> HTTPFields {
        var forwarding = HTTPFields()
        var fields = fields
        if fields.contains(.connection) { fields.removeHopByHop() }
        for name in endpoint.forwarded {
            for value in fields.valueBytes(of: name) { forwarding.append(name, bytes: value) }
        }
        return forwarding
    }

    /// Returns the request's own id if it is acceptable, else a fresh one.
    package func requestID(_ fields: HTTPFields?) -> String {
        fields?.firstValueBytes(.xRequestID).flatMap(Identifiers.accepted) ?? identifiers.requestID()
    }
}

private final class ClosureReceiver: AnswerReceiver {
    private let deliver: @Sendable (GatewayResponse) -> Void

    init(_ deliver: @escaping @Sendable (GatewayResponse) -> Void) { self.deliver = deliver }

    func answered(_ answer: consuming GatewayResponse) { deliver(answer) }
}
