public import HTTPModel
import Locking
public import Rx

/// What the request that is being answered says about the calls that are made for it.
///
/// The gateway sets it around a handler; a provider reads it as `request(_:)` is called, or as the call is
/// subscribed to if there was none by then, and sets it again around the delivery of the answer, so that calls
/// made in a `flatMap` are in it too. Nothing of a client's request goes to an upstream but what is listed here.
public final class CallContext: Sendable {
    /// Of the request that the running task answers; nil where it answers none.
    @TaskLocal public static var current: CallContext?

    /// `X-Request-Id` of every call.
    public let requestID: String
    /// When the request has to be answered: no call goes on after it. Nil: only the call's own limit holds.
    public let deadline: RxTime?

    /// Whether fields of the client's request go with the calls.
    let forwards: Bool
    /// Nil for a request that is not to be told of its timeline, as nearly none is.
    package let timeline: TimelinePlace?

    /// The request's own context, which has its record; nil for that one itself.
    let root: CallContext?
    /// The part that calls are made for; negative for none.
    let part: Int32
    let record = Lock(CallRecord())

    private let fields: HTTPFields
    /// Nil unless the endpoint forwards something to an upstream.
    private let forwarding: Forwarding?

    /// What depends on the upstream, and what a redirect to another origin leaves behind. In an object of its own, as
    /// few requests have it.
    private final class Forwarding: Sendable {
        /// The context's fields without anything of the client's.
        let ownFields: HTTPFields
        /// The client's `Authorization`, and the names of the upstreams that it is for.
        let authorization: HTTPFields
        let authorizationUpstreams: [String]
        /// The client's `Cookie`, and the names of the upstreams that it is for.
        let cookies: HTTPFields
        let cookieUpstreams: [String]

        init(
            ownFields: HTTPFields, authorization: HTTPFields, to authorizationUpstreams: [String],
            cookies: HTTPFields, to cookieUpstreams: [String]
        ) {
            self.ownFields = ownFields
            self.authorization = authorization
            self.authorizationUpstreams = authorizationUpstreams
            self.cookies = cookies
            self.cookieUpstreams = cookieUpstreams
        }
    }

    /// What goes with the calls of one request of a client.
    ///
    /// - Parameters:
    ///   - requestID: sent as `X-Request-Id`.
    ///   - name: the gateway's own, for `Via`. Default `sluice`.
    ///   - traceparent: sent as it is (W3C Trace Context); the parent id in it is the gateway's own span.
    ///   - tracestate: sent as it is, with `traceparent`.
    ///   - via: the `Via` of the client's request; our own entry is added to it.
    ///   - deadline: on the clock of the transport's scheduler.
    ///   - forwarding: fields of the client's request that the endpoint lists. The hop-by-hop fields, `Host`,
    ///     `Accept-Encoding` and the fields that the gateway sets itself are left out.
    ///   - authorizationUpstreams: names of the upstreams that get the client's `Authorization`. Default none.
    ///   - cookieUpstreams: names of the upstreams that get the client's `Cookie`. Default none.
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

    /// - Parameter fields: goes with every call, besides what is forwarded.
    package init(
        _ requestID: String, _ fields: consuming HTTPFields, deadline: RxTime?,
        forwarding listed: HTTPFields, authorizationUpstreams: [String], cookieUpstreams: [String]
    ) {
        self.requestID = requestID
        self.deadline = deadline
        timeline = nil
        root = nil
        part = CallContext.noPart
        forwards = !listed.isEmpty
        let ownFields = fields
        var authorization = HTTPFields()
        var cookies = HTTPFields()
        for (text, value) in listed {
            guard let name = HTTPFieldName(text) else { continue }
            if name == .authorization {
                authorization.append(name, value)
            } else if name == .cookie {
                cookies.append(name, value)
            } else if !TransportField.isOwned(name), !CallContext.own.contains(name) {
                fields.append(name, value)
            }
        }
        self.fields = fields
        forwarding = Forwarding(
            ownFields: ownFields, authorization: authorization, to: authorizationUpstreams,
            cookies: cookies, to: cookieUpstreams)
    }

    /// - Parameter fields: goes with every call; nothing is forwarded.
    package init(_ requestID: String, _ fields: consuming HTTPFields, deadline: RxTime?) {
        self.requestID = requestID
        self.deadline = deadline
        timeline = nil
        root = nil
        part = CallContext.noPart
        forwards = false
        forwarding = nil
        self.fields = consume fields
    }

    /// The same request at another place of its timeline, for another of its parts.
    init(_ other: CallContext, _ place: TimelinePlace?, part: Int32) {
        requestID = other.requestID
        deadline = other.deadline
        timeline = place
        root = other.root ?? other
        self.part = part
        forwards = other.forwards
        fields = other.fields
        forwarding = other.forwarding
    }

    private init(withoutForwarding other: CallContext, _ ownFields: HTTPFields) {
        requestID = other.requestID
        deadline = other.deadline
        timeline = other.timeline
        root = other.root ?? other
        part = other.part
        forwards = false
        fields = ownFields
        forwarding = nil
    }

    /// The same for a request whose timeline is to be told.
    ///
    /// - Parameter start: when the gateway had the request, on the clock of the transport's scheduler.
    package func timed(from start: RxTime) -> CallContext { with(RequestTimeline(started: start).place) }

    /// The same at another place of the request's timeline.
    package func with(_ place: TimelinePlace) -> CallContext { CallContext(self, place, part: part) }

    /// The fields of a gateway's call that is not made for a client's request.
    package static func fieldsWithoutContext(_ name: GatewayName) -> HTTPFields {
        ([.via: name.via] as HTTPFields).checked()
    }

    static let fieldsWithoutContext = fieldsWithoutContext(.standard)

    /// What a gateway's calls say unless said otherwise. Between machines that are near to each other compression costs more
    /// than it saves.
    package static let standardFields =
        ([.accept: "application/json", .acceptEncoding: "identity"] as HTTPFields).checked()

    /// Never the client's: what the gateway sets itself, and the coding that it cannot undo.
    private static let own: [HTTPFieldName] = [.via, .xRequestID, .traceParent, .traceState, .acceptEncoding]

    /// The same without the client's fields, for a call that a redirect leads elsewhere.
    var withoutForwarding: CallContext {
        guard let forwarding else { return self }
        return CallContext(withoutForwarding: self, forwarding.ownFields)
    }

    /// Calls `body` with the trace id in `traceparent`, 32 hexadecimal digits, where there is one. They are valid during the
    /// call only.
    package func withTraceID(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        // Behind Via and X-Request-Id.
        fields.withValue(at: 2, ifNamed: "traceparent") { value in
            // version "-" trace-id "-" parent-id "-" flags (W3C Trace Context 3.2.2)
            if value.count >= 35 {
                body(UnsafeRawBufferPointer(rebasing: value[3..<35]).assumingMemoryBound(to: UInt8.self))
            }
        }
    }

    /// Whether it forwards what another one of the same request does: a redirect may have taken the client's fields.
    func forwardsTheSame(as other: CallContext) -> Bool { forwarding === other.forwarding }

    /// Whether the client's `Authorization` goes to the upstream if the client sends one.
    func forwardsAuthorization(to upstream: Upstream) -> Bool {
        forwarding?.authorizationUpstreams.contains(upstream.name) ?? false
    }

    /// What `fields(for:)` gives for every upstream; nil where upstreams get different fields.
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
        return all
    }
}
