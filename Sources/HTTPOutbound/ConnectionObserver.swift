public import EventIO
public import HTTPModel

/// Hears what becomes of a client's connections, for a log. Called on the client's loop; it must not call back.
public protocol ConnectionObserver: AnyObject, Sendable {
    /// A connection is open, TLS and a proxy's tunnel included.
    ///
    /// - Parameters:
    ///   - address: where it goes: the proxy's where there is one.
    ///   - time: what resolving and connecting took.
    func connectionOpened(to origin: Origin, address: PeerAddress?, after time: TimeAmount)

    /// A call is sent over a connection that has served another.
    func connectionReused(to origin: Origin, address: PeerAddress?)

    /// A connection is closed, or never came to be.
    func connectionDiscarded(to origin: Origin, address: PeerAddress?, _ reason: DiscardReason)
}

/// Why a connection is used no more: a short name of a bounded set.
public struct DiscardReason: Sendable, Hashable, CustomStringConvertible {
    /// The name, e.g. `idle_timeout`; of a failure that of `FailureReason`.
    public let token: String

    public var description: String { token }

    /// It lay idle for as long as the client or the upstream allows.
    public static let idleTimeout = DiscardReason(token: "idle_timeout")
    /// It is as old as the client allows.
    public static let age = DiscardReason(token: "connection_age")
    /// It has served as many requests as the client or the upstream allows.
    public static let requestsUsedUp = DiscardReason(token: "requests_used_up")
    /// The upstream ended it while it was idle, or before it answered on a reused connection.
    public static let peerClosed = DiscardReason(token: "peer_closed")
    /// The upstream's last response says that it closes the connection.
    public static let peerCloses = DiscardReason(token: "peer_closes")
    /// Bytes came that no request asked for.
    public static let unexpectedBytes = DiscardReason(token: "unexpected_bytes")
    /// The upstream answered 408 on a reused connection (RFC 9110 15.5.9).
    public static let stale = DiscardReason(token: "stale_408")
    /// The upstream answered 417, and the request goes out again without asking first (RFC 9110 10.1.1).
    public static let expectationFailed = DiscardReason(token: "expectation_failed")
    /// A response came before its request was out.
    public static let requestUnfinished = DiscardReason(token: "request_unfinished")
    /// The call under way was cancelled.
    public static let callCancelled = DiscardReason(token: "call_cancelled")
    /// The client was closed.
    public static let clientClosed = DiscardReason(token: "client_closed")

    init(token: String) { self.token = token }

    /// The call on it failed.
    init(_ reason: FailureReason) { token = reason.token }
}
