public import EventIO

/// The instants of a call, on its loop's clock; nil if not reached.
public struct OutboundTimings: Sendable, Hashable {
    /// The call was started.
    public internal(set) var started: MonotonicTime
    /// The pool gave the call a connection, or began to open one for it.
    public internal(set) var assigned: MonotonicTime?
    /// The call got a connection, pooled or just connected.
    public internal(set) var connected: MonotonicTime?
    /// The first byte of the response arrived.
    public internal(set) var firstByte: MonotonicTime?
    /// Whether the connection had served another call before.
    public internal(set) var isReusedConnection = false

    init(started: MonotonicTime) {
        self.started = started
    }
}
