internal import EventIO
internal import HTTPWire

/// What the peer said about the connection in `Keep-Alive: timeout=5, max=100` (RFC 2068 19.7.1.1, still sent).
struct KeepAlive: Equatable {
    /// How long the connection may lie idle: what the peer said, less a margin, so that we let go of it first.
    var idleTimeout: TimeAmount?
    /// Requests that may still follow on this connection.
    var requestsLeft: Int?

    static let unspecified = KeepAlive()
}

extension KeepAlive {
    init(_ framing: ResponseFraming) {
        self.init(
            idleTimeout: framing.keepAliveTimeout.map(Self.withoutMargin),
            requestsLeft: framing.keepAliveMaximum)
    }

    /// A second for what is on its way when the peer's time is over, but never more than half of it.
    private static func withoutMargin(_ seconds: Int) -> TimeAmount {
        seconds >= 2 ? .seconds(Int64(seconds - 1)) : .milliseconds(Int64(max(0, seconds)) * 500)
    }
}
