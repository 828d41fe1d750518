public import HTTPModel

/// Why a call brought no complete response.
public struct OutboundError: Error, Sendable, CustomStringConvertible {
    public let reason: FailureReason
    /// What was seen, for a log, without header values and bodies. Too varied for a metric label.
    public let detail: String
    public let timings: OutboundTimings

    public var description: String { "\(reason): \(detail)" }
}
