public import HTTPModel

/// Why a call brought no complete response.
public struct OutboundError: Error, Sendable, CustomStringConvertible {
    public let reason: FailureReason
    /// What was seen, for a log, without header values and bodies. Too varied for a metric label.
    public let detail: String
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

    public var description: String { "\(reason): \(detail)" }
}
