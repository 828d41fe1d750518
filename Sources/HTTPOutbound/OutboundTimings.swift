public import EventIO

/// The instants of a call, on its loop's clock; nil if not reached.
public struct OutboundTimings: Sendable, Hashable {
    public internal(set) var started: MonotonicTime
    /// The call got a connection, pooled or just connected.
    public internal(set) var connected: MonotonicTime?
    /// The kernel took the last byte of the request.
    public internal(set) var requestWritten: MonotonicTime?
    public internal(set) var firstByte: MonotonicTime?
    /// The last byte of the response arrived, or the call failed.
    public internal(set) var finished: MonotonicTime?
    /// The TLS handshake, if the call opened an encrypted connection.
    public internal(set) var tls: TLS?
    public internal(set) var isReusedConnection = false

    /// Size of the response's body before decoding; nil if it had no content coding.
    public internal(set) var encodedBodySize: Int?

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

    public var total: Duration? { finished.map { ($0 - started).duration } }
}
