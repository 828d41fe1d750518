public import HTTPModel
import Locking

/// An upstream call that is ready to send. Built once and sent as often as the retry policy allows.
public final class TransportCall: Sendable {
    /// The HTTP method.
    public let method: HTTPMethod
    /// Path and query, percent-encoded, in origin-form (RFC 9112 3.2.1).
    public let target: ArraySlice<UInt8>
    /// The body, in memory or as a stream that each attempt opens.
    public let body: RequestBody
    /// Nil for most calls, which have no body in memory.
    package let countedBody: CountedBody?

    let context: CallContext?
    let envelope: ResponseEnvelope
    let allowsEmptyBody: Bool
    let settings: CallSettings
    /// Nil for most calls, which use the fields of provider and context unchanged.
    let own: CallFields?
    let options: CallOptions?

    init(
        method: HTTPMethod, target: ArraySlice<UInt8>, body: RequestBody,
        own: CallFields?, context: CallContext?, envelope: ResponseEnvelope, allowsEmptyBody: Bool,
        settings: CallSettings, options: CallOptions?, countedBody: CountedBody? = nil
    ) {
        self.method = method
        self.target = target
        self.body = body
        self.countedBody = countedBody ?? CountedBody.of(body, in: context)
        self.own = own
        self.context = context
        self.envelope = envelope
        self.allowsEmptyBody = allowsEmptyBody
        self.settings = settings
        self.options = options
    }

    /// Returns the call in the context of its subscriber; nil for none.
    func with(_ context: CallContext?) -> TransportCall {
        TransportCall(
            method: method, target: target, body: body,
            own: CallFields.makeIfNeeded(
                own?.originalFields, own?.headers ?? HTTPFields(), in: context, shared: settings),
            context: context, envelope: envelope, allowsEmptyBody: allowsEmptyBody, settings: settings,
            options: options, countedBody: countedBody)
    }

    /// Returns the call with a shorter total time and the same limits of one attempt.
    func with(timeLeft timeout: Duration) -> TransportCall {
        TransportCall(
            method: method, target: target, body: body, own: own, context: context, envelope: envelope,
            allowsEmptyBody: allowsEmptyBody, settings: settings,
            options: CallOptions(timeLeft: timeout, of: wholeTimeout, limits, like: options),
            countedBody: countedBody)
    }

    /// Returns the call with these cookies after its own.
    func adding(cookies: String) -> TransportCall {
        var fields = fields
        let before: ArraySlice<UInt8> = fields.firstValueBytes(.cookie).map { $0 + "; ".utf8 } ?? []
        fields.remove(.cookie)
        fields.append(.cookie, bytes: before + cookies.utf8)
        return TransportCall(
            method: method, target: target, body: body,
            own: CallFields.makeIfNeeded(fields, own?.headers ?? HTTPFields(), in: context, shared: settings),
            context: context, envelope: envelope, allowsEmptyBody: allowsEmptyBody, settings: settings,
            options: options, countedBody: countedBody)
    }

    /// The upstream, which identifies the address and the transport's state.
    public var upstream: Upstream { settings.upstream }

    /// `upstream.id`, without counting a reference: upstreams have weak references, so theirs are slow to
    /// count.
    package var upstreamID: Int { settings.upstream.id }

    /// The fields of provider and target, with the body's `Content-Type`. The transport adds `Host` and the
    /// framing.
    public var fields: HTTPFields { own?.fields ?? settings.fields }

    /// The fields of the incoming request's context: `Via`, `X-Request-Id`, `traceparent` and forwarded
    /// fields. Send them after `fields`. They are separate because all calls of a request share them.
    public var contextFields: HTTPFields {
        if let own { return own.contextFields }
        guard let context else { return settings.fieldsWithoutContext }
        return context.fieldsForAll ?? context.fields(for: upstream)
    }

    /// Whether the client's `Authorization` or `Cookie`, if sent, is forwarded to this upstream, so that its
    /// 401 and 403 concern the client. False if the target or an interceptor sets its own `Authorization`.
    package var forwardsCredentials: Bool {
        guard let context, context.forwardsCredentials(to: upstream) else { return false }
        return own?.headers.contains(.authorization) != true
    }

    /// Counts a small response for the request that the call is made for. Returns 0, or the bytes to charge
    /// first (`holdKept(_:)`).
    @inline(__always)
    package func keep(_ bytes: Int) -> Int { context?.keep(bytes) ?? 0 }

    package func holdKept(_ charge: any AnyObject & Sendable) { context?.holdKept(charge) }

    /// Keeps an object until the answer of the request, if there is one, has been handed over. Returns false
    /// outside a request.
    package func hold(_ resource: any AnyObject & Sendable) -> Bool {
        context?.hold(resource) ?? false
    }

    /// The memory of the incoming request's body, which this call's body may share; nil if either is missing
    /// or small.
    package var bodyMemory: (any AnyObject & Sendable)? {
        guard case .bytes = body else { return nil }
        return context?.bodyMemory
    }

    /// The place of the incoming request at its endpoint; nil for none, and where requests are not limited.
    package var place: (any RequestPlace)? { context?.place }

    /// Whether the time of the request that the call is made for has passed.
    package var isOverdue: Bool { context?.isOverdue ?? false }

    /// Whether the client of the request that the call is made for has left.
    package var isAbandoned: Bool { context?.isAbandoned ?? false }

    /// The number of the endpoint whose request the call is made for, from 1; 0 outside a gateway's request.
    package var endpointNumber: Int { context?.origin.map { $0.number + 1 } ?? 0 }

    /// The endpoint that made the call, for logs: `GET /products/{id}`. Nil outside a request.
    package var endpointName: String? { context?.endpointName }

    /// The least of the limits of the first byte, the call and the request, in nanoseconds: the longest time
    /// that a response may need in which nothing else has to be waited for.
    package var shortestLimit: Int64 {
        min(limits.firstByte.nanoseconds, wholeTimeout.nanoseconds, context?.origin?.timeLimit ?? .max)
    }

    /// `timeout` before some of it had passed.
    private var wholeTimeout: Duration { options?.wholeTimeout ?? timeout }

    /// The limits of one attempt: the request's own, or the provider's, raised to a `timeout` of the request.
    public var limits: AttemptLimits {
        guard let options else { return settings.attemptLimits }
        if let own = options.attemptLimits { return own }
        guard let timeout = options.timeout, timeout < CallOptions.unbounded else {
            return settings.attemptLimits
        }
        return settings.attemptLimits.raised(to: timeout)
    }

    /// Whether the request is sent with `Expect: 100-continue` (`CallPolicy.expectContinueFrom`).
    public var expectsContinue: Bool {
        guard case .stream(let source) = body, let threshold = settings.policy.expectContinueFrom else {
            return false
        }
        return source.knownLength.map { $0 >= threshold } ?? true
    }

    /// The limit of the whole call, with all attempts and the waits between them.
    public var timeout: Duration { options?.timeout ?? settings.policy.totalTimeout }

    var totalNanoseconds: Int64 { options?.timeout?.nanoseconds ?? settings.totalNanoseconds }

    /// Whether the total time is unlimited, as for streams.
    package var isUnbounded: Bool { options?.timeout == CallOptions.unbounded }

    /// Whether the call belongs to a request to a gateway.
    package var isOfRequest: Bool { context != nil }

    /// Whether the body goes to the client of a gateway, which has its own limits on slow clients.
    package var followsClient: Bool { isUnbounded && context != nil }

    /// The longest wait outside the wire, for an interceptor or before the next attempt, in nanoseconds.
    var maximumWait: Int64 { isUnbounded ? settings.totalNanoseconds : totalNanoseconds }

    /// The statuses that the call accepts.
    public var validation: ValidationType { options?.validation ?? .none }

    /// Whether the transport decodes the response's content codings.
    public var contentDecoding: ContentDecoding { options?.contentDecoding ?? .automatic }

    /// `fields` followed by `contextFields`, in the order of sending.
    public var allFields: HTTPFields {
        var all = fields
        all.append(contentsOf: contextFields)
        return all
    }

    /// The target without its query, which may contain keys. For logs and errors.
    public var path: String {
        String(decoding: target.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// The query without its question mark, percent-encoded.
    public var query: String? {
        guard let mark = target.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        return String(decoding: target[(mark + 1)...], as: UTF8.self)
    }
}

/// The limits of one attempt, enforced by the transport.
public struct AttemptLimits: Sendable, Hashable {
    /// Time to resolve the name and connect. If exceeded, the attempt fails with `connection_timeout` or
    /// `dns_timeout`. Default 1 s.
    public var connect: Duration = .seconds(1)
    /// Time from the request's last byte to the response's first. If exceeded, the attempt fails with
    /// `connection_read_timeout`. Default 5 s.
    public var firstByte: Duration = .seconds(5)
    /// Longest silence within the response. If exceeded, the attempt fails with `connection_read_timeout`.
    /// Default nil: as long as `firstByte`.
    public var between: Duration?
    /// Longest time without progress in sending the request. If exceeded, the attempt fails with
    /// `connection_write_timeout`. Default 5 s.
    public var write: Duration = .seconds(5)

    /// Creates limits with the default values.
    public init() {}

    /// Creates custom limits.
    public init(
        connect: Duration, firstByte: Duration, between: Duration? = nil, write: Duration = .seconds(5)
    ) {
        self.connect = connect
        self.firstByte = firstByte
        self.between = between
        self.write = write
    }

    /// The longest silence within the response.
    package var silence: Duration { between ?? firstByte }

    /// Returns the limits, each at least `time`.
    func raised(to time: Duration) -> AttemptLimits {
        AttemptLimits(
            connect: max(connect, time), firstByte: max(firstByte, time),
            between: between.map { max($0, time) }, write: max(write, time))
    }
}

/// A complete HTTP response from a transport.
public struct TransportResponse: Sendable {
    /// The status.
    public var status: HTTPStatus
    /// The fields in their original order.
    public var fields: HTTPFields
    /// The body without transfer coding. Still encoded if the fields contain `Content-Encoding`.
    public var body: ArraySlice<UInt8>

    /// Creates a response, for custom transports.
    public init(status: HTTPStatus, fields: HTTPFields = HTTPFields(), body: ArraySlice<UInt8> = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// The fields that tell upstreams who calls a gateway. They are set once, as soon as the gateway knows the
/// caller, and go with all calls of the request from then on.
///
/// They are credentials: a call that may outlive the request carries none of them, and a redirect to another
/// origin drops them. They replace fields of the call that have the same name, with `-` and `_` as equals.
package final class CallerFields: Sendable {
    /// Fields about one caller, for any number of requests.
    package struct Values: Sendable {
        fileprivate var fields = HTTPFields()
        fileprivate var names: [CGIName] = []

        package init(_ fields: HTTPFields) {
            self.fields = fields
            fields.forEachNamed { name, _ in names.append(CGIName(name)) }
        }
    }

    private let state = Lock(Values(HTTPFields()))

    /// Nobody is known yet.
    package init() {}

    /// Sets the fields.
    package func set(_ values: Values) { state.withLock { $0 = values } }

    var fields: HTTPFields { state.withLock { $0.fields } }

    /// Whether nobody is known, or upstreams learn nothing of the caller.
    var isEmpty: Bool { state.withLock { $0.fields.isEmpty } }

    /// Removes the fields of a call whose place these take.
    func removeReplaced(from fields: inout HTTPFields) { fields.remove(state.withLock { $0.names }) }
}
