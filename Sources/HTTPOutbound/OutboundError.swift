public import HTTPModel

/// A call that brought no whole response, and why.
public struct OutboundError: Error, Sendable, CustomStringConvertible {
    public let reason: FailureReason
    /// What was seen, for a log. Holds no header value and no body. Not for a metric label.
    public let detail: String
    /// Whether the upstream may have seen a part of the request. If not, the call may be repeated whatever its method.
    public let requestWasSent: Bool
    public let timings: OutboundTimings

    public var description: String { "\(reason): \(detail)" }
}
