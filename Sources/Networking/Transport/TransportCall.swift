public import HTTPModel

/// One upstream call, ready for the wire: made once, sent as often as the retry policy says.
public final class TransportCall: Sendable {
    /// As it is on the wire.
    public let method: HTTPMethod
    /// Path and query, percent-encoded, in origin form (RFC 9112 3.2.1).
    public let target: ArraySlice<UInt8>
    /// In memory, or a stream that is opened anew for each attempt.
    public let body: RequestBody

    let context: CallContext?
    let envelope: ResponseEnvelope
    let allowsEmptyBody: Bool
    let settings: CallSettings
    /// Nil for most calls, whose fields are their provider's and their context's as they are.
    let own: CallFields?
    /// Nil for most calls.
    let options: CallOptions?

    init(
        method: HTTPMethod, target: ArraySlice<UInt8>, body: RequestBody,
        own: CallFields?, context: CallContext?, envelope: ResponseEnvelope, allowsEmptyBody: Bool,
        settings: CallSettings, options: CallOptions?
    ) {
        self.method = method
        self.target = target
        self.body = body
        self.own = own
        self.context = context
        self.envelope = envelope
        self.allowsEmptyBody = allowsEmptyBody
        self.settings = settings
        self.options = options
    }

    /// The same call for a request that became known only with the subscription.
    func with(_ context: CallContext) -> TransportCall {
        TransportCall(
            method: method, target: target, body: body,
            own: CallFields.needed(
                own?.fields, own?.headers ?? HTTPFields(), in: context, shared: settings),
            context: context, envelope: envelope, allowsEmptyBody: allowsEmptyBody, settings: settings,
            options: options)
    }

    /// The same call with less time for all of it, and the same limits of one attempt.
    func with(timeLeft timeout: Duration) -> TransportCall {
        TransportCall(
            method: method, target: target, body: body, own: own, context: context, envelope: envelope,
            allowsEmptyBody: allowsEmptyBody, settings: settings,
            options: CallOptions.needed(
                timeout: timeout, attemptLimits: limits, validation: validation,
                contentDecoding: contentDecoding))
    }

    /// The same call with these cookies behind those that it has.
    func adding(cookies: String) -> TransportCall {
        var fields = fields
        fields[.cookie] = fields[.cookie].map { "\($0); \(cookies)" } ?? cookies
        return TransportCall(
            method: method, target: target, body: body,
            own: CallFields.needed(fields, own?.headers ?? HTTPFields(), in: context, shared: settings),
            context: context, envelope: envelope, allowsEmptyBody: allowsEmptyBody, settings: settings,
            options: options)
    }

    /// Where it goes: name, address, and what a transport keeps for it.
    public var upstream: Upstream { settings.upstream }

    /// The provider's and the target's own fields; also `Content-Type` where there is a body. Without `Host`
    /// and framing, which are the transport's.
    public var fields: HTTPFields { own?.fields ?? settings.fields }

    /// The fields that the request being answered adds: `Via`, `X-Request-Id`, `traceparent` and what its
    /// endpoint forwards. To be sent beside `fields`; kept apart because all calls of a request share them.
    public var contextFields: HTTPFields {
        if let own { return own.contextFields }
        guard let context else { return settings.fieldsWithoutContext }
        return context.fieldsForAll ?? context.fields(for: upstream)
    }

    /// Whether the client's `Authorization` goes to this upstream if the client sends one, so that the upstream's
    /// 401 and 403 are for the client. False where the target or an interceptor sets its own.
    package var forwardsAuthorization: Bool {
        guard let context, context.forwardsAuthorization(to: upstream) else { return false }
        return own?.headers.contains(.authorization) != true
    }

    /// Limits of one attempt, which the transport holds: the request's own, or the provider's. A time-out of the request's own
    /// raises the provider's.
    public var limits: AttemptLimits {
        guard let options else { return settings.attemptLimits }
        if let own = options.attemptLimits { return own }
        guard let timeout = options.timeout, timeout < CallOptions.unbounded else {
            return settings.attemptLimits
        }
        return settings.attemptLimits.raised(to: timeout)
    }

    /// Whether the upstream is asked, by `Expect: 100-continue`, before the body is sent (`CallPolicy.expectContinueFrom`).
    public var expectsContinue: Bool {
        guard case .stream(let source) = body, let threshold = settings.policy.expectContinueFrom else {
            return false
        }
        return source.length.map { $0 >= threshold } ?? true
    }

    /// The longest that the call may take, all attempts and the waits between them.
    public var timeout: Duration { options?.timeout ?? settings.policy.totalTimeout }

    /// `timeout` in nanoseconds.
    var totalNanoseconds: Int64 { options?.timeout?.nanoseconds ?? settings.totalNanoseconds }

    /// Whether it has no time in all, as a stream has none.
    var isUnbounded: Bool { options?.timeout == CallOptions.unbounded }

    /// The longest wait for what is not the wire, in nanoseconds: an interceptor's answer, the time before the next attempt.
    var patience: Int64 { isUnbounded ? settings.totalNanoseconds : totalNanoseconds }

    /// The statuses that the call fails for by itself.
    public var validation: ValidationType { options?.validation ?? .none }

    /// Whether the transport undoes the response's content codings.
    public var contentDecoding: ContentDecoding { options?.contentDecoding ?? .automatic }

    /// `fields` and `contextFields` in one, in the order in which they are sent.
    public var allFields: HTTPFields {
        var all = fields
        all.append(contentsOf: contextFields)
        return all
    }

    /// The target without its query, for logs and errors: queries may hold keys.
    public var path: String {
        String(decoding: target.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// The query without its question mark, as it is sent.
    public var query: String? {
        guard let mark = target.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        return String(decoding: target[(mark + 1)...], as: UTF8.self)
    }
}

/// Limits of one attempt, held by the transport.
public struct AttemptLimits: Sendable, Hashable {
    /// To resolve the name and connect. Beyond it `connection_timeout` (or `dns_timeout`). Default 1 s.
    public var connect: Duration = .seconds(1)
    /// From the time the upstream has the request's last byte to the response's first, and the longest gap within the response. Beyond it
    /// `connection_read_timeout`. Default 5 s.
    public var firstByte: Duration = .seconds(5)
    /// The longest time in which the upstream takes nothing of the request. Beyond it `connection_write_timeout`. Default 5 s.
    public var write: Duration = .seconds(5)

    /// The defaults.
    public init() {}

    /// Limits of your own.
    public init(connect: Duration, firstByte: Duration, write: Duration = .seconds(5)) {
        self.connect = connect
        self.firstByte = firstByte
        self.write = write
    }

    /// The same, each at least as long as `time`.
    func raised(to time: Duration) -> AttemptLimits {
        AttemptLimits(
            connect: max(connect, time), firstByte: max(firstByte, time), write: max(write, time))
    }
}

/// A whole HTTP response, as a transport delivers it.
public struct TransportResponse: Sendable {
    /// As it came.
    public var status: HTTPStatus
    /// As they came, in their order.
    public var fields: HTTPFields
    /// The body without transfer coding. `Content-Encoding` is among the fields only where a content coding is left.
    public var body: ArraySlice<UInt8>

    /// A response of a transport of one's own.
    public init(status: HTTPStatus, fields: HTTPFields = HTTPFields(), body: ArraySlice<UInt8> = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}
