public import EventIO

/// When what happened to a call, on its loop's clock. An instant that was not reached is nil.
public struct OutboundTimings: Sendable, Hashable {
    /// The call began.
    public internal(set) var started: MonotonicTime
    /// A connection was the call's: a pooled one, or a new one that just connected.
    public internal(set) var connected: MonotonicTime?
    /// The last byte of the request went to the system.
    public internal(set) var requestWritten: MonotonicTime?
    /// The first byte of a response came.
    public internal(set) var firstByte: MonotonicTime?
    /// The last byte of the response came, or the call failed.
    public internal(set) var finished: MonotonicTime?
    /// What TLS took on the connection, where it was opened for this call and is encrypted.
    public internal(set) var tls: TLS?
    /// Whether the connection had served another call before.
    public internal(set) var isReusedConnection = false

    /// Bytes of the response's body as they came, where they had a content coding, which is undone.
    public internal(set) var encodedBodySize: Int?

    /// A handshake.
    public struct TLS: Sendable, Hashable {
        /// The socket was connected, through a proxy where there is one, and the handshake began.
        public let began: MonotonicTime
        /// The server was accepted.
        public let finished: MonotonicTime
        public let version: TLSConfiguration.Version
        /// Whether an earlier session was taken up (RFC 8446 2.2).
        public let isResumed: Bool

        /// From the first byte to the end.
        public var duration: Duration { (finished - began).duration }
    }

    init(started: MonotonicTime) {
        self.started = started
    }

    /// From the start to the end, or nil while it lasts.
    public var total: Duration? { finished.map { ($0 - started).duration } }
    /// Time spent waiting for a connection, connecting included.
    public var waiting: Duration? { connected.map { ($0 - started).duration } }
}
