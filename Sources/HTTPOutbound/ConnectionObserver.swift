public import EventIO
public import HTTPModel

/// Observes a client's connections, for a log. Called on the client's loop. An observer must not call back.
public protocol ConnectionObserver: AnyObject, Sendable {
    /// A connection is open, including TLS and a proxy's tunnel. Resolving and connecting took `time`.
    /// `address` is the remote address, or the proxy's.
    func connectionOpened(to origin: Origin, address: PeerAddress?, after time: TimeAmount)

    /// A call is sent over a connection that has served another call.
    func connectionReused(to origin: Origin, address: PeerAddress?)

    /// A response breaks rules of HTTP without harm, because its meaning is certain.
    ///
    /// - Parameter rules: the broken rules as text, without bytes of the response.
    func responseTolerated(from origin: Origin, address: PeerAddress?, _ rules: [String])

    /// A connection is closed, or could not be opened.
    func connectionDiscarded(to origin: Origin, address: PeerAddress?, _ reason: DiscardReason)
}

/// Why a connection was closed: a token of a bounded set.
public struct DiscardReason: Sendable, Hashable, CustomStringConvertible {
    /// The token, such as `idle_timeout`. For a failure, the token of its `FailureReason`.
    public let token: String

    /// The value as text, for logs and messages.
    public var description: String { token }

    /// It was idle for as long as the client or the upstream allows.
    public static let idleTimeout = DiscardReason(token: "idle_timeout")
    /// It is as old as the client allows.
    public static let age = DiscardReason(token: "connection_age")
    /// It has served as many requests as the client or the upstream allows.
    public static let requestsUsedUp = DiscardReason(token: "requests_used_up")
    /// The upstream closed it while it was idle, or before it answered on a reused connection.
    public static let peerClosed = DiscardReason(token: "peer_closed")
    /// The upstream's last response announced that it closes the connection.
    public static let peerCloses = DiscardReason(token: "peer_closes")
    /// Bytes arrived that no request asked for.
    public static let unexpectedBytes = DiscardReason(token: "unexpected_bytes")
    /// The upstream answered 408 on a reused connection (RFC 9110 15.5.9).
    public static let stale = DiscardReason(token: "stale_408")
    /// The upstream answered 417, so the request goes out again without Expect (RFC 9110 10.1.1).
    public static let expectationFailed = DiscardReason(token: "expectation_failed")
    /// The response was complete before its request was sent.
    public static let requestUnfinished = DiscardReason(token: "request_unfinished")
    /// A user may have logged in the connection itself, by NTLM or Negotiate (RFC 4559 6).
    public static let loggedIn = DiscardReason(token: "logged_in")
    /// The proxy asked for credentials (407) and opened no tunnel.
    public static let tunnelRefused = DiscardReason(token: "tunnel_refused")
    /// The upstream does not have its address any more.
    public static let addressGone = DiscardReason(token: "address_gone")
    /// A call was cancelled before its response was complete.
    public static let callCancelled = DiscardReason(token: "call_cancelled")
    /// The client was closed.
    public static let clientClosed = DiscardReason(token: "client_closed")

    init(token: String) { self.token = token }

    init(_ reason: FailureReason) { token = reason.token }
}
