public import EventIO

/// The instants of a call, on its loop's clock. An instant that was not reached is nil.
public struct OutboundTimings: Sendable, Hashable {
    /// The call began.
    public internal(set) var started: MonotonicTime
    /// The call got a connection: a pooled one, or one that has just connected.
    public internal(set) var connected: MonotonicTime?
    /// The kernel took the last byte of the request.
    public internal(set) var requestWritten: MonotonicTime?
    /// The first byte of the response arrived.
    public internal(set) var firstByte: MonotonicTime?
    /// The last byte of the response arrived, or the call failed.
    public internal(set) var finished: MonotonicTime?
    /// The TLS handshake, if the call opened an encrypted connection.
    public internal(set) var tls: TLS?
    /// Whether the connection had served another call before.
    public internal(set) var isReusedConnection = false

    /// Size of the response's body before decoding; nil if it had no content coding.
    public internal(set) var encodedBodySize: Int?

    /// A TLS handshake.
    public struct TLS: Sendable, Hashable {
        /// The handshake began, once the socket (or the proxy's tunnel) was connected.
        public let began: MonotonicTime
        /// The server was verified.
        public let finished: MonotonicTime
        public let version: TLSConfiguration.Version
        /// Whether it resumed an earlier session (RFC 8446 2.2).
        public let isResumed: Bool
    }

    init(started: MonotonicTime) {
        self.started = started
    }

    /// Time from the start to the end; nil until the end.
    public var total: Duration? { finished.map { ($0 - started).duration } }
}
