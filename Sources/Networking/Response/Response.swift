public import HTTPModel
public import Rx

/// A whole HTTP response to a call (Moya's `Response`). Whether it is a success is for `checkStatusCode()` and the
/// operators that read it to say.
public final class Response: Sendable {
    /// As the transport delivered it.
    let raw: TransportResponse
    /// The call that this answers.
    public let call: TransportCall
    /// Attempts made, this one included.
    public let attempts: Int
    /// When the call was subscribed to, on the clock of the transport's scheduler: for durations, as that clock is not set with
    /// the system's.
    public let startedAt: RxTime
    /// When it was whole, on the clock of the transport's scheduler.
    public let receivedAt: RxTime
    /// How long the upstream asked to wait when this came (RFC 9110 10.2.3: with 429, 503 and others that are no success).
    let retryAfter: Duration?
    /// Whether `filter(statusCodes:)` let this status pass, so that it is read as a success from there on.
    let isAccepted: Bool

    /// - Parameter wallTime: the time of day, asked for where it is needed.
    init(
        _ response: consuming TransportResponse, call: TransportCall, attempts: Int, from start: RxTime,
        to end: RxTime, wallTime: @autoclosure () -> RxTime
    ) {
        retryAfter =
            response.status.code >= 300 ? RetryAfter.delay(in: response.fields, now: wallTime()) : nil
        raw = response
        self.call = call
        self.attempts = attempts
        startedAt = start
        receivedAt = end
        isAccepted = false
    }

    private init(accepting response: Response) {
        raw = response.raw
        call = response.call
        attempts = response.attempts
        startedAt = response.startedAt
        receivedAt = response.receivedAt
        retryAfter = response.retryAfter
        isAccepted = true
    }

    /// 100 to 599, as it came; what an envelope says counts for those who read it.
    public var statusCode: Int { raw.status.code }
    /// As they came, in their order.
    public var fields: HTTPFields { raw.fields }
    /// The body as it came, a slice of the buffer that it was received in.
    public var data: ArraySlice<UInt8> { raw.body }

    /// From the subscription to this response, earlier attempts and waits included.
    public var elapsed: Duration {
        .nanoseconds(receivedAt.nanoseconds(since: startedAt))
    }

    func accepted() -> Response {
        isAccepted || (200..<300).contains(statusCode) ? self : Response(accepting: self)
    }
}

extension Response: CustomStringConvertible {
    /// Without query, fields and body, which may hold what no log should.
    public var description: String {
        "\(statusCode) from \(call.upstream.name): \(call.method.rawValue) \(call.path), \(data.count) bytes"
    }
}
