public import EventIO

/// The TLS of a server's connections.
public struct InboundTLS: Sendable {
    /// The certificates and the policy for clients.
    public var context: TLSServerContext
    /// The value of `Strict-Transport-Security`, which every answer over TLS carries (RFC 6797); nil for
    /// none.
    public var strictTransportSecurity: String?

    /// Creates the TLS of a server.
    public init(_ context: TLSServerContext, strictTransportSecurity: String? = nil) {
        self.context = context
        self.strictTransportSecurity = strictTransportSecurity
    }
}

/// The handshakes that ended since a server's start, by their results.
public struct HandshakeCounts: Sendable, Hashable {
    /// With the server's private key.
    public var full = 0
    /// With a session ticket instead.
    public var resumed = 0
    /// With an alert, by a client that left, or by a plain request.
    public var failed = 0
    /// Not done within `InboundLimits.handshakeDeadline`.
    public var timeout = 0
    /// Ended for a newcomer at `InboundLimits.handshakes` or at the connection limit.
    public var shed = 0

    /// Creates counts of nothing.
    public init() {}
}
