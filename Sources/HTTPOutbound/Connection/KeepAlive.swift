internal import EventIO
internal import HTTPWire

/// The peer's promise in `Keep-Alive: timeout=5, max=100` (RFC 2068 19.7.1.1, still sent).
struct KeepAlive: Equatable {
    /// How long the connection may be idle: the peer's timeout less a margin, so that we close it first.
    var idleTimeout: TimeAmount?
    /// Requests that may follow on this connection.
    var requestsLeft: Int?

    static let unspecified = KeepAlive()
}

extension KeepAlive {
    init(_ framing: ResponseFraming) {
        self.init(
            idleTimeout: framing.keepAliveTimeout.map(Self.withoutMargin),
            requestsLeft: framing.keepAliveMaximum)
    }

    /// Subtracts a second, but at most half of the timeout, for bytes in flight when the peer's timeout ends.
    private static func withoutMargin(_ seconds: Int) -> TimeAmount {
        seconds >= 2 ? .seconds(Int64(seconds - 1)) : .milliseconds(Int64(max(0, seconds)) * 500)
    }
}
