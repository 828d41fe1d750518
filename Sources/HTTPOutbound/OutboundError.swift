public import HTTPModel

/// A call that brought no complete response, and why.
public struct OutboundError: Error, Sendable, CustomStringConvertible {
    public let reason: FailureReason
    /// What was seen, for a log. Holds no header value and no body. Too varied for a metric label.
    public let detail: String
    public let timings: OutboundTimings

    public var description: String { "\(reason): \(detail)" }
}
