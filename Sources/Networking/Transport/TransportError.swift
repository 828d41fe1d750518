/// A call that brought no whole HTTP answer, as a transport reports it.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    /// Why: one of a bounded set.
    public let reason: FailureReason
    /// What was seen, for a log: free text without header values, bodies and addresses.
    public let message: String
    /// A system's or a library's error, where there was one.
    public let underlying: (any Error)?

    /// A failure as a transport of one's own reports it.
    public init(_ reason: FailureReason, _ message: String, underlying: (any Error)? = nil) {
        self.reason = reason
        self.message = message
        self.underlying = underlying
    }

    public var description: String { "\(reason.token): \(message)" }
}
