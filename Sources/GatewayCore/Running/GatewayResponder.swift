import Dispatch
import FoundationEssentials
public import HTTPModel
import Networking
public import Rx

/// Answers requests at the endpoints of a gateway. One serves all loops; a request stays where it is started.
public final class GatewayResponder: Sendable {
    /// Bytes of the longest request body that any endpoint takes: what a server has to let through.
    public let largestBody: Int

    private let router: Router<Routed>
    let environment: GatewayEnvironment
    private let cors: CORSPolicy?
    private let allowsTimeline: Bool
    let renderer: Renderer
    private let identifiers = Identifiers()
    /// What goes with the calls of nearly every request; the id and the trace are written over.
    private let callFields: HTTPFields
    private let loops: LoopDetection

    /// - Parameter largestBody: the limit of the endpoint that takes the longest body, or the gateway's own.
    init(
        router: Router<Routed>, environment: GatewayEnvironment, limits: GatewayLimits, largestBody: Int,
        cors: CORSPolicy?
    ) {
        self.largestBody = largestBody
        self.router = router
        self.environment = environment
        self.cors = cors
        allowsTimeline = limits.allowsTimeline
        renderer = Renderer(cors: cors, name: environment.name, answerLimit: limits.answer)
        loops = LoopDetection(environment.name)
        callFields =
            ([
                .via: environment.name.via, .xRequestID: Identifiers.placeholder,
                .traceParent: TraceContext.placeholder,
            ] as HTTPFields).checked()
    }

    /// What is to be done with a request, told by its head.
    public enum Decision: Sendable {
        /// An endpoint takes it, once its body is there: at most this many bytes.
        case handle(Routed, bodyLimit: Int)
        /// This is the answer; the body matters to nobody.
        case answer(GatewayResponse)
    }

    /// A request's endpoint, found.
    public final class Routed: Sendable {
        let endpoint: Endpoint
        /// The decoded segments that the template's parameters stand for.
        let parameters: [ArraySlice<UInt8>]

        /// The endpoint's path template.
        public var route: String { endpoint.template.text }

        init(_ endpoint: Endpoint, _ parameters: [ArraySlice<UInt8>] = []) {
            self.endpoint = endpoint
            self.parameters = parameters
        }

        /// What the router holds is the find itself where the path has no parameters: nothing is made then.
        fileprivate static func found(_ match: Router<Routed>.Match) -> Decision {
            let routed =
                match.parameters.isEmpty ? match.value : Routed(match.value.endpoint, match.parameters)
            return .handle(routed, bodyLimit: routed.endpoint.settings.bodyLimit)
        }
    }

    /// Finds the endpoint of a request, or the answer where there is none: 400 for a path that cannot be, 404, 405, 508,
    /// and what OPTIONS asks for.
    public func decide(_ head: HTTPRequestHead) -> Decision {
        do {
            return try route(head)
        } catch {
            return .answer(render(error, fields: head.fields))
        }
    }

    /// Answers a request. Cold: each subscription answers anew; disposal ends everything that was started for it.
    ///
    /// Never fails. Started on the thread (or loop) that subscribes; the answer comes on the one where the last part
    /// ended, which is the same unless a part of its own leaves it.
    public func respond(to request: ReceivedRequest) -> Single<GatewayResponse> {
        .create { [self] observer in
            respond(to: request, for: ClosureReceiver { observer(.success($0)) }) ?? Disposables.create()
        }
    }

    /// The same without a pipeline around it: starts at once, and calls `deliver` once unless disposed first.
    ///
    /// - Parameters:
    ///   - request: with its body.
    ///   - routed: what `decide` found, so that it is not looked for again.
    ///   - deliver: called on the loop of the request.
    /// - Returns: what ends it; nil where no endpoint took the request, and `deliver` was called.
    public func respond(
        to request: consuming ReceivedRequest, routed: Routed? = nil,
        deliver: @escaping @Sendable (GatewayResponse) -> Void
    ) -> (any OngoingRequest)? {
        respond(to: consume request, routed: routed, for: ClosureReceiver(deliver))
    }

    /// The same for somebody who is there already.
    package func respond(
        to request: consuming ReceivedRequest, routed: Routed? = nil, for receiver: any AnswerReceiver
    ) -> (any OngoingRequest)? {
        if let routed { return start(consume request, routed, receiver) }
        switch decide(request.head) {
        case .handle(let routed, let limit):
            guard request.body.count <= limit else {
                receiver.answered(render(.payloadTooLarge(limit: limit), fields: request.head.fields))
                return nil
            }
            return start(consume request, routed, receiver)
        case .answer(let response):
            receiver.answered(response)
            return nil
        }
    }

    /// An answer of the gateway's own: what a server says of a request that reached no endpoint, such as a parser's 400.
    ///
    /// - Parameters:
    ///   - error: what is said.
    ///   - fields: the request's, where they could be read: for `X-Request-Id`, `Accept` and `Origin`.
    ///   - route: the endpoint's path template, for the log; nil where there is none.
    public func render(_ error: GatewayError, fields: HTTPFields? = nil, route: String? = nil)
        -> GatewayResponse
    {
        renderer.error(
            error,
            for: Renderer.Recipient(requestID: requestID(fields), route: route, elapsed: 0, fields: fields))
    }

    /// The same to a request that has its id already.
    package func render(_ error: GatewayError, fields: HTTPFields, requestID: String) -> GatewayResponse {
        renderer.error(
            error, for: Renderer.Recipient(requestID: requestID, route: nil, elapsed: 0, fields: fields))
    }

    /// The methods that a path has, for OPTIONS and `Allow`; none where the path does not exist.
    public func allowedMethods(for target: RequestTarget) -> [HTTPMethod] {
        guard let path = try? DecodedPath(target.pathBytes),
            case .otherMethods(let methods) = router.route(.options, path)
        else { return [] }
        return Self.allowed(methods)
    }

    /// The methods that a gateway's paths can have, for the `Allow` of what is said of the server as a whole.
    public static let serverMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

    // MARK: - Routing

    /// The same, where the answer to a request without an endpoint is not made yet: a server may have more than endpoints.
    ///
    /// - Throws: what `render` makes that answer of; `.notFound` where no endpoint has the path.
    package func route(_ head: HTTPRequestHead) throws(GatewayError) -> Decision {
        if loops.isLoop(head.fields) { throw .loopDetected }
        if head.target.form == .asterisk {
            guard head.method == .options else { throw .invalidRequest("only OPTIONS asks for *") }
            return .answer(
                renderer.empty([.allow: Self.serverMethods], for: recipient(head))
            )
        }
        let raw = head.target.pathBytes
        if let routed = router.routeLiteral(head.method, raw) {
            return .handle(routed, bodyLimit: routed.endpoint.settings.bodyLimit)
        }
        let path: DecodedPath
        do {
            path = try DecodedPath(raw)
        } catch {
            throw .invalidRequest("the path must \(error.rule)")
        }
        switch router.route(head.method, path) {
        case .found(let match):
            return Routed.found(match)
        case .notFound:
            throw .notFound()
        case .otherMethods(let methods):
            return try other(head, path, methods)
        }
    }

    /// HEAD comes with GET, OPTIONS with everything.
    private func other(
        _ head: HTTPRequestHead, _ path: DecodedPath, _ methods: [HTTPMethod]
    ) throws(GatewayError) -> Decision {
        if head.method == .head, case .found(let match) = router.route(.get, path) {
            return Routed.found(match)
        }
        let allowed = Self.allowed(methods)
        guard head.method == .options else { throw .methodNotAllowed(head.method, allowed: allowed) }
        var fields: HTTPFields = [.allow: allowed.map(\.rawValue).joined(separator: ", ")]
        if let cors, CORSPolicy.isPreflight(head.fields) {
            fields.append(contentsOf: cors.preflightFields(for: head.fields, methods: allowed))
            return .answer(renderer.preflight(fields, for: recipient(head)))
        }
        return .answer(renderer.empty(fields, for: recipient(head)))
    }

    private static func allowed(_ methods: [HTTPMethod]) -> [HTTPMethod] {
        var allowed = methods
        if let get = allowed.firstIndex(of: .get), !allowed.contains(.head) {
            allowed.insert(.head, at: get + 1)
        }
        if !allowed.contains(.options) { allowed.append(.options) }
        return allowed
    }

    // MARK: - Starting

    private func start(
        _ request: consuming ReceivedRequest, _ routed: Routed, _ receiver: any AnswerReceiver
    ) -> any OngoingRequest {
        let scheduler = environment.transport.scheduler
        let started = scheduler.now
        let requestID = requestID(request.head.fields)
        let request = GatewayRequest(consume request, requestID: requestID, routed)
        var context = context(request, started)
        if allowsTimeline, Self.asksForTimeline(request.fields) { context = context.timed(from: started) }
        let run = EndpointRun(
            request: request, context: context,
            responder: self, scheduler: scheduler, started: started, receiver: receiver)
        run.begin()
        return run
    }

    private func context(_ request: GatewayRequest, _ started: RxTime) -> CallContext {
        let (endpoint, fields, requestID) = (request.endpoint, request.fields, request.requestID)
        let parent = TraceContext.received(in: fields)
        var own: HTTPFields
        if requestID.utf8.count == Identifiers.length, !fields.contains(.via) {
            own = callFields
            own.overwrite(valueAt: 1) { Identifiers.write(requestID, to: $0) }
            own.overwrite(valueAt: 2) { TraceContext.write(continuing: parent, identifiers, to: $0) }
        } else {
            let via = fields.values(of: .via) + [environment.name.via]
            own = [
                .via: via.joined(separator: ", "), .xRequestID: requestID,
                .traceParent: TraceContext.placeholder,
            ]
            own.overwrite(valueAt: 2) { TraceContext.write(continuing: parent, identifiers, to: $0) }
        }
        // Without a valid traceparent there is no trace that it belongs to.
        if parent != nil, let state = TraceState.received(in: fields) {
            own.append(.traceState, bytes: state)
        }
        let deadline = started.addingTimeInterval(endpoint.deadlineSeconds)
        if endpoint.forwarded.isEmpty { return CallContext(requestID, own, deadline: deadline) }
        return CallContext(
            requestID, own, deadline: deadline, forwarding: Self.forwarded(fields, by: endpoint),
            authorizationUpstreams: endpoint.settings.authorizationUpstreams,
            cookieUpstreams: endpoint.settings.cookieUpstreams)
    }

    private static func asksForTimeline(_ fields: HTTPFields) -> Bool {
        fields.contains(.prefer) && Preferences(fields)["timeline"]?.isEmpty == true
    }

    /// What the endpoint lists, but for what `Connection` names: that is for us alone (RFC 9110 7.6.1).
    private static func forwarded(_ fields: HTTPFields, by endpoint: Endpoint) -> HTTPFields {
        var forwarding = HTTPFields()
        var fields = fields
        if fields.contains(.connection) { fields.removeHopByHop() }
        for name in endpoint.forwarded {
            for value in fields.valueBytes(of: name) { forwarding.append(name, bytes: value) }
        }
        return forwarding
    }

    /// The request's own id where it is acceptable, else a fresh one.
    package func requestID(_ fields: HTTPFields?) -> String {
        fields?.firstValueBytes(.xRequestID).flatMap(Identifiers.accepted) ?? identifiers.requestID()
    }

    private func recipient(_ head: HTTPRequestHead) -> Renderer.Recipient {
        Renderer.Recipient(requestID: requestID(head.fields), route: nil, elapsed: 0, fields: head.fields)
    }
}

private final class ClosureReceiver: AnswerReceiver {
    private let deliver: @Sendable (GatewayResponse) -> Void

    init(_ deliver: @escaping @Sendable (GatewayResponse) -> Void) { self.deliver = deliver }

    func answered(_ answer: consuming GatewayResponse) { deliver(answer) }
}
