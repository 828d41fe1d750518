public import EventIO
public import HTTPModel

/// The end of a request that had no `InboundExchange`, for logs and counters.
public struct DirectAnswer {
    /// The request, if its head was read.
    public var head: HTTPRequestHead?
    /// The method on the wire (HEAD stays HEAD), if it arrived.
    public var method: HTTPMethod?
    /// Why the server refused; nil for an answer of `decide` or to OPTIONS.
    public var error: InboundError?
    /// The handler's note; if the server refused, its `refused` has the parts of `error`.
    public var note = AnswerNote()
    /// Nil if the request never completed and so got no answer.
    public var response: HTTPResponse?
    /// The peer's address.
    public var remoteAddress: SocketAddress
    /// The peer's address and port as text, formatted once per connection.
    public var remoteText: String
    /// The version of TLS; nil on a plain connection.
    public var tlsVersion: TLSConfiguration.Version?
    /// The certificate that the client has shown; nil without one.
    public var clientCertificate: ClientCertificate?
    /// The address of the client without a port: the peer's, or what a trusted proxy tells.
    public var clientText: String
    /// When the request's head was complete; if it never was, when the request began.
    public var receivedAt: MonotonicTime
    /// Bytes of the request that arrived, head and body.
    public var bytesReceived: Int
    /// Bytes of the answer with its head and a preceding 100 (Continue). If it was cut, only the acknowledged
    /// bytes.
    public var bytesSent: Int
    /// Bytes of the 100 (Continue) among them.
    var continueBytes = 0
    /// Whether the kernel took any of the answer.
    public var hasBegun: Bool
    /// How the answer ended.
    public var outcome: InboundOutcome
}

/// How an answer ended. The raw value appears in the access log.
public enum InboundOutcome: String, Sendable {
    /// The kernel took the whole answer.
    case completed = "complete"
    /// The client left before that.
    case clientGone = "client_gone"
    /// The client was reset: it read too slowly (`InboundLimits.sendStall`, `sendRate`), or slowest of all
    /// when `waitingAnswers` was reached.
    case stalled
    /// The server broke off: the handler failed midway or released its exchange, or the loop ended.
    case aborted
    /// The server shut down, and the drain deadline passed; or the policy that had accepted the client's
    /// certificate changed a minute ago.
    case drain
}
