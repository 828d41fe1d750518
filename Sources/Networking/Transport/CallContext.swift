public import HTTPModel
import Locking
public import Rx
import Synchronization

/// The context of the incoming request that calls are made for.
///
/// A gateway sets it around a handler. A call takes its subscriber's context or, where that has none, as on
/// another thread, the one in which `request(_:)` was called. It sets it again while it delivers the
/// response, so that calls made in a `flatMap` have it too. Only what is listed here of a client's request
/// reaches an upstream. A call that may outlive the request carries nothing of it: see `detached(_:)`.
public final class CallContext: Sendable {
    /// The context of the request that the current task handles; nil outside a request.
    @TaskLocal public static var current: CallContext?

    /// Sent as `X-Request-Id` with every call.
    public let requestID: String
    /// When the response to the client is due. No call outlasts it. Nil: only the call's own limits apply, as
    /// while the client receives a stream.
    public var deadline: RxTime? { hasDeadline ? due : nil }
    private let due: RxTime?

    /// Whether fields of the client's request are forwarded.
    let forwards: Bool
    /// Whether the request asks for its timeline, as few do.
    package let isTimed: Bool
    /// Whether the request's trace was sampled at its head, so that each attempt has a span of its own.
    package let isSampled: Bool
    /// How many attempts have spans, in the request's own context.
    let spans = Atomic(0)

    /// The request's own context, which has the record. Nil in that context itself.
    let root: CallContext?
    /// The part that calls are made for; negative for none.
    let part: Int32
    /// The endpoint that handles the request; nil in the context of a program that is not a gateway.
    let origin: RequestOrigin?
    /// The task in which a program passed the request to the gateway; 0 for none, as in a server.
    let outerTask: Int
    /// The address of the client, as `host:port`; nil outside a gateway, and in a context that has a `root`.
    private let clientText: String?
    /// The shared stream whose source makes the calls; nil for nearly all calls.
    let work: SharedWork?
    let log: Lock<AttemptLog>
    private let interruption = Atomic(Interruption.none)
    private let isOver = Atomic(false)
    /// Whether the deadline no longer applies.
    private let isLifted = Atomic(false)
    /// The scheduler of the request's loop; nil outside a gateway.
    package let scheduler: (any SchedulerType)?
    /// Kept until the answer has been handed over.
    let resources = Lock(Resources())

    struct Resources: Sendable {
        var held: [any AnyObject & Sendable] = []
        /// Nil unless the request has a large body.
        var bodyMemory: (any AnyObject & Sendable)?
        /// Set by `stopHolding()`.
        var areRefused = false
    }

    /// False for nearly all requests.
    let hasResources = Atomic(false)
    let memory = RequestMemory()
    /// Whether the request has a large body, so that calls need not look for its memory.
    let hasBodyMemory: Bool
    /// Nil unless the endpoint limits its requests in flight.
    package let place: (any RequestPlace)?

    private let fields: HTTPFields
    /// Nil unless the endpoint forwards fields.
    let forwarding: Forwarding?

    /// What depends on the upstream or is dropped by a redirect to another origin. Separate, because it is
    /// rarely needed.
    final class Forwarding: Sendable {
        /// The context's fields without the client's.
        let ownFields: HTTPFields
        /// The client's `Authorization`, and the names of the upstreams that receive it.
        let authorization: HTTPFields
        let authorizationUpstreams: [String]
        /// The client's `Cookie`, and the names of the upstreams that receive it.
        let cookies: HTTPFields
        let cookieUpstreams: [String]
        /// Nil unless upstreams learn of the client.
        let client: ClientFields?
        /// Nil unless upstreams learn who calls.
        let caller: CallerFields?

        init(
            ownFields: HTTPFields, authorization: HTTPFields, to authorizationUpstreams: [String],
            cookies: HTTPFields, to cookieUpstreams: [String], client: ClientFields?, caller: CallerFields?
        ) {
            self.ownFields = ownFields
            self.authorization = authorization
            self.authorizationUpstreams = authorizationUpstreams
            self.cookies = cookies
            self.cookieUpstreams = cookieUpstreams
            self.client = client
            self.caller = caller
        }
    }

    /// Creates the context of a client's request.
    ///
    /// - Parameters:
    ///   - requestID: sent as `X-Request-Id`.
    ///   - name: the gateway's name in `Via`. Default `sluice`.
    ///   - traceparent: sent unchanged (W3C Trace Context). Its parent id is the gateway's span.
    ///   - tracestate: sent unchanged if there is a `traceparent`.
    ///   - via: the `Via` of the client's request. The gateway's entry is appended.
    ///   - deadline: on the clock of the transport's scheduler.
    ///   - forwarding: fields of the client's request to forward. Hop-by-hop fields, `Host`,
    ///     `Accept-Encoding` and the gateway's own fields are ignored.
    ///   - authorizationUpstreams: names of the upstreams that receive the client's `Authorization`. Default
    ///     none.
    ///   - cookieUpstreams: names of the upstreams that receive the client's `Cookie`. Default none.
    public convenience init(
        requestID: String,
        name: GatewayName = .standard,
        traceparent: String? = nil,
        tracestate: String? = nil,
        via: String? = nil,
        deadline: RxTime? = nil,
        forwarding: HTTPFields = HTTPFields(),
        authorizationUpstreams: [String] = [],
        cookieUpstreams: [String] = []
    ) {
        var fields = HTTPFields()
        fields.append(.via, via.map { "\($0), \(name.via)" } ?? name.via)
        fields.append(.xRequestID, requestID)
        if let traceparent {
            fields.append(.traceParent, traceparent)
            if let tracestate { fields.append(.traceState, tracestate) }
        }
        self.init(
            requestID, fields, deadline: deadline, forwarding: forwarding,
            authorizationUpstreams: authorizationUpstreams, cookieUpstreams: cookieUpstreams)
    }

    /// - Parameter fields: sent with every call, besides forwarded fields.
    package convenience init(
        _ requestID: String, _ fields: consuming HTTPFields, deadline: RxTime?,
        origin: RequestOrigin? = nil, outerTask: Int = 0, forwarding listed: HTTPFields,
        authorizationUpstreams: [String],
        cookieUpstreams: [String], client: String? = nil, clientFields: ClientFields? = nil,
        callerFields: CallerFields? = nil, bodyMemory: (any AnyObject & Sendable)? = nil,
        place: (any RequestPlace)? = nil,
        isSampled: Bool = false, scheduler: (any SchedulerType)? = nil,
        attempts: consuming AttemptLog = AttemptLog()
    ) {
        let ownFields = fields
        var authorization = HTTPFields()
        var cookies = HTTPFields()
        listed.forEachNamed { name, value in
            if name == .authorization {
                authorization.append(name, bytes: value)
            } else if name == .cookie {
                cookies.append(name, bytes: value)
            } else if !TransportFields.areInRequest(name), !CallContext.own.contains(name) {
                fields.append(name, bytes: value)
            }
        }
        let forwarding = Forwarding(
            ownFields: ownFields, authorization: authorization, to: authorizationUpstreams,
            cookies: cookies, to: cookieUpstreams, client: clientFields, caller: callerFields)
        self.init(
            requestID, fields, forwarding, forwards: !listed.isEmpty, deadline: deadline, origin: origin,
            outerTask: outerTask, client: client, bodyMemory: bodyMemory, place: place, isSampled: isSampled,
            scheduler: scheduler, attempts: attempts)
    }

    /// - Parameter fields: sent with every call. Nothing is forwarded.
    package convenience init(
        _ requestID: String, _ fields: consuming HTTPFields, deadline: RxTime?, origin: RequestOrigin? = nil,
        outerTask: Int = 0, client: String? = nil, bodyMemory: (any AnyObject & Sendable)? = nil,
        place: (any RequestPlace)? = nil, isSampled: Bool = false, scheduler: (any SchedulerType)? = nil,
        attempts: consuming AttemptLog = AttemptLog()
    ) {
        self.init(
            requestID, fields, nil, forwards: false, deadline: deadline, origin: origin,
            outerTask: outerTask, client: client, bodyMemory: bodyMemory, place: place, isSampled: isSampled,
            scheduler: scheduler, attempts: attempts)
    }

    private init(
        _ requestID: String, _ fields: consuming HTTPFields, _ forwarding: Forwarding?, forwards: Bool,
        deadline: RxTime?, origin: RequestOrigin?, outerTask: Int, client: String?,
        bodyMemory: (any AnyObject & Sendable)?, place: (any RequestPlace)?, isSampled: Bool,
        scheduler: (any SchedulerType)?, attempts: consuming AttemptLog
    ) {
        Self.register()
        self.requestID = requestID
        clientText = client
        due = deadline
        self.origin = origin
        self.outerTask = outerTask
        work = nil
        isTimed = false
        self.isSampled = isSampled
        self.scheduler = scheduler
        log = Lock(attempts)
        root = nil
        part = CallContext.noPart
        self.forwards = forwards
        self.forwarding = forwarding
        self.fields = consume fields
        hasBodyMemory = bodyMemory != nil
        self.place = place
        if let bodyMemory { keep(bodyMemory) }
    }

    @inline(never)
    private func keep(_ bodyMemory: any AnyObject & Sendable) {
        resources.withLock { $0.bodyMemory = bodyMemory }
        hasResources.store(true, ordering: .releasing)
    }

    /// The same request, for another part, for a shared stream, with a timeline or without the client's
    /// fields.
    init(
        _ other: CallContext, part: Int32? = nil, isTimed: Bool? = nil, sharing work: SharedWork? = nil,
        ownFields: HTTPFields? = nil
    ) {
        requestID = other.requestID
        due = other.due
        origin = other.origin
        outerTask = other.outerTask
        self.work = work ?? other.work
        self.isTimed = isTimed ?? other.isTimed
        isSampled = other.isSampled
        scheduler = other.scheduler
        log = Lock(AttemptLog())
        root = other.root ?? other
        clientText = nil
        self.part = part ?? other.part
        forwards = ownFields == nil && other.forwards
        fields = ownFields ?? other.fields
        forwarding = ownFields == nil ? other.forwarding : nil
        hasBodyMemory = other.hasBodyMemory
        place = other.place
    }

    /// The address of the client, as `host:port`, by whose host work that waits is divided in fair shares.
    /// Nil outside a gateway.
    package var client: String? { (root ?? self).clientText }

    /// Records that the deadline has passed, before calls are cancelled because of it. Other cancelled calls
    /// say nothing about their upstreams.
    package func passDeadline() { (root ?? self).interruption.store(.deadline, ordering: .relaxed) }

    /// Records that the client has left, before calls are cancelled because of it. Then their connections are
    /// closed at once.
    package func abandon() { (root ?? self).interruption.store(.client, ordering: .relaxed) }

    /// Records that the answer has begun in time. Calls that begin later, for the rest of a streamed answer,
    /// have no deadline.
    package func liftDeadline() { (root ?? self).isLifted.store(true, ordering: .relaxed) }

    /// Whether calls that begin now have to end at a deadline.
    var hasDeadline: Bool {
        // Nearly always the request's own context. Not `root ?? self`, which counts references.
        guard due != nil else { return false }
        guard let root else { return !isLifted.load(ordering: .relaxed) }
        return !root.isLifted.load(ordering: .relaxed)
    }

    package var isOverdue: Bool { (root ?? self).interruption.load(ordering: .relaxed) == .deadline }
    var isAbandoned: Bool { (root ?? self).interruption.load(ordering: .relaxed) == .client }

    /// What has ended the request before its answer was known.
    private enum Interruption: UInt8, AtomicRepresentable {
        case none, deadline, client
    }

    /// Records that the request has been answered or cancelled. Calls that begin later carry nothing of it.
    package func end() {
        // Nearly always the request's own context. Not `root ?? self`, which counts references.
        guard let root else { return isOver.store(true, ordering: .releasing) }
        root.isOver.store(true, ordering: .releasing)
    }

    package var hasEnded: Bool { (root ?? self).isOver.load(ordering: .acquiring) }

    /// Shared streams and subjects have to know whom they serve.
    private static func register() { _ = isRegistered }

    private static let isRegistered: Void = SubscriberContexts.use(CallContext.self)

    /// Returns the fields of a gateway's calls outside a client's request.
    package static func fieldsWithoutContext(_ name: GatewayName) -> HTTPFields {
        ([.via: name.via] as HTTPFields).checked()
    }

    static let fieldsWithoutContext = fieldsWithoutContext(.standard)

    /// The fields of a gateway's calls to upstreams whose responses should not be compressed.
    package static let standardFields =
        ([.accept: "application/json", .acceptEncoding: "identity"] as HTTPFields).checked()

    /// The fields of a gateway's calls to upstreams that may compress.
    package static let compressionFields =
        ([.accept: "application/json", .acceptEncoding: "gzip, deflate, br"] as HTTPFields).checked()

    /// Never taken from the client: the gateway's own fields, and `Accept-Encoding`, which may name
    /// unsupported codings.
    private static let own = sent + [.acceptEncoding]

    /// The fields that a gateway sends with every call made for a request.
    package static let sent: [HTTPFieldName] = [.via, .xRequestID, .traceParent, .traceState]

    /// Calls `body` with the trace id of `traceparent`, 32 hex digits, if there is one. Valid only during the
    /// call.
    package func withTraceID(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        withTraceParent {
            body(UnsafeRawBufferPointer(rebasing: $0[3..<35]).assumingMemoryBound(to: UInt8.self))
        }
    }

    /// Calls `body` with the value of `traceparent`, if that is long enough.
    func withTraceParent(_ body: (UnsafeRawBufferPointer) -> Void) {
        // After Via and X-Request-Id.
        fields.withValue(at: 2, ifNamed: "traceparent") { value in
            // version "-" trace-id "-" parent-id "-" flags (W3C Trace Context 3.2.2)
            if value.count >= 55 { body(value) }
        }
    }

    /// The fields for all upstreams; nil if they depend on the upstream.
    var fieldsForAll: HTTPFields? { forwarding == nil ? fields : nil }

    func fields(for upstream: Upstream) -> HTTPFields {
        guard let forwarding else { return fields }
        var all = fields
        if !forwarding.authorization.isEmpty, forwarding.authorizationUpstreams.contains(upstream.name) {
            all.append(contentsOf: forwarding.authorization)
        }
        if !forwarding.cookies.isEmpty, forwarding.cookieUpstreams.contains(upstream.name) {
            all.append(contentsOf: forwarding.cookies)
        }
        if let client = forwarding.client { all.append(contentsOf: client.fields(for: upstream)) }
        if let caller = forwarding.caller {
            caller.removeReplaced(from: &all)
            all.append(contentsOf: caller.fields)
        }
        return all
    }
}

extension CallContext: SubscriberContext {
    package static var running: (any SubscriberContext)? { current }

    package static func run(in context: (any SubscriberContext)?, _ work: () -> Void) {
        $current.withValue(context as? CallContext, operation: work)
    }

    package func isSame(as other: any SubscriberContext) -> Bool { (other as? CallContext)?.owner === owner }

    package func sharing(_ work: SharedWork) -> any SubscriberContext {
        CallContext(self, sharing: work)
    }

    package func noteMainQueue() { origin?.noteMainQueue(endpoint) }

    package var refusal: any Error { CallOutsideRequest(joining: self) }
}

/// What each upstream learns of the clients of a gateway's requests.
package struct ClientForms: Sendable {
    private let standard: ClientForwarding
    private let byUpstream: [String: ClientForwarding]
    /// Whether no upstream learns anything.
    package let areNone: Bool

    /// - Parameters:
    ///   - standard: of upstreams without a form of their own.
    ///   - byUpstream: the others' forms, by name.
    package init(_ standard: ClientForwarding, byUpstream: [String: ClientForwarding]) {
        self.standard = standard
        self.byUpstream = byUpstream
        areNone = standard == .none && byUpstream.values.allSatisfy { $0 == .none }
    }

    fileprivate func form(of upstream: Upstream) -> ClientForwarding {
        upstream.isNamed ? byUpstream[upstream.name] ?? standard : standard
    }
}

/// The fields that tell upstreams of one request's client.
package final class ClientFields: Sendable {
    private let facts: ClientFacts
    private let forms: ClientForms

    package init(_ facts: ClientFacts, in forms: ClientForms) {
        self.facts = facts
        self.forms = forms
    }

    func fields(for upstream: Upstream) -> HTTPFields { facts.fields(in: forms.form(of: upstream)) }
}
