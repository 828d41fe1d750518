public import HTTPModel

/// Why a call brought no complete response.
public struct OutboundError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, as in `Proxy-Status`.
    public let reason: FailureReason
    /// What was seen, for a log, without header values and bodies. Too varied for a metric label.
    public let detail: String
    /// The instants that the call had reached.
    public let timings: OutboundTimings
    /// The status of a success that came before the rest of the request could not be sent; nil for other
    /// failures.
    public let earlyStatus: HTTPStatus?

    init(
        reason: FailureReason, detail: String, timings: OutboundTimings, earlyStatus: HTTPStatus? = nil
    ) {
        self.reason = reason
        self.detail = detail
        self.timings = timings
        self.earlyStatus = earlyStatus
    }

    /// What is wrong, in words.
    public var description: String { "\(reason): \(detail)" }
}
