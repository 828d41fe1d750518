public import HTTPModel
public import Rx

/// A complete HTTP response to a call (Moya's `Response`). The status may be a failure: `checkStatusCode()`
/// and the operators that read the body check it.
public final class Response: Sendable {
    /// The response as the transport delivered it.
    package let raw: TransportResponse
    /// What few responses have.
    let rareParts: RareParts?
    /// The call that led to the response.
    public let call: TransportCall
    /// Number of attempts, including this one.
    public let attempts: Int
    /// Why a failing response was not followed by another attempt; nil if nothing held one back.
    let notRetried: RetryObstacle?
    /// Time of the subscription on the scheduler's clock. Fit for durations: it ignores adjustments of the
    /// system clock.
    public let startedAt: RxTime
    /// Time when the response was complete, on the scheduler's clock.
    public let receivedAt: RxTime
    /// How long the upstream asked to wait (RFC 9110 10.2.3). Read only for statuses of 300 or more.
    let retryAfter: Duration?
    /// Whether `filter(statusCodes:)` accepted this status as a success.
    let isAccepted: Bool

    /// - Parameter wallTime: the time of day. Evaluated only if needed.
    init(
        _ response: consuming TransportResponse, _ rareParts: RareParts?, call: TransportCall, attempts: Int,
        notRetried: RetryObstacle? = nil, from start: RxTime, to end: RxTime,
        wallTime: @autoclosure () -> RxTime
    ) {
        retryAfter =
            response.status.code >= 300
            ? RetryAfter.delay(in: response.fields, now: wallTime().secondsSince1970) : nil
        raw = response
        // Whoever keeps the response for longer keeps it at its own expense.
        self.rareParts = rareParts?.withoutCharge
        self.call = call
        self.attempts = attempts
        self.notRetried = notRetried
        startedAt = start
        receivedAt = end
        isAccepted = false
    }

    private init(accepting response: Response) {
        raw = response.raw
        rareParts = response.rareParts
        call = response.call
        attempts = response.attempts
        notRetried = response.notRetried
        startedAt = response.startedAt
        receivedAt = response.receivedAt
        retryAfter = response.retryAfter
        isAccepted = true
    }

    /// The HTTP status, 100 to 999, independent of any envelope. Above 599 it counts as 5xx (RFC 9110 15).
    public var statusCode: Int { raw.status.code }
    /// Whether it came before the upstream had the whole body of the request, and the rest was not sent (RFC
    /// 9112 9.5). Only with a status of 300 or more: after any other, the rest is sent, or the call fails.
    public var requestWasCut: Bool { rareParts?.requestWasCut ?? false }
    /// The response's fields in their original order.
    public var fields: HTTPFields { raw.fields }
    /// The body as a slice of the buffer that received it.
    public var data: ArraySlice<UInt8> { raw.body }
    /// Number of bytes of the body, with content codings decoded. Unlike `data.count`, it includes a body
    /// that was delivered in pieces or written to a file.
    public var byteCount: Int { max(raw.body.count, rareParts?.streamedByteCount ?? 0) }

    /// Time from the subscription to this response, with earlier attempts and waits.
    public var elapsed: Duration { .nanoseconds(receivedAt.nanoseconds(since: startedAt)) }

    func accepted() -> Response {
        isAccepted || (200..<300).contains(statusCode) ? self : Response(accepting: self)
    }
}

extension Response: CustomStringConvertible {
    /// Omits query, fields and body, which may contain secrets.
    public var description: String {
        "\(statusCode) from \(call.upstream.name): \(call.method.rawValue) \(call.path), \(byteCount) bytes"
    }
}
