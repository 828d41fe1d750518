public import EventIO
public import HTTPModel

/// What serves the requests of an `InboundServer`. Called on the server's loop only.
public protocol InboundHandler: AnyObject {
    /// What to do with a request whose head has come, before any of its body is read and before any
    /// 100-continue.
    ///
    /// A HEAD arrives as the GET whose head it asks for (RFC 9110 9.3.2).
    func decide(_ head: HTTPRequestHead) -> BodyDecision

    /// Makes the exchange of a request that is complete, and nothing else; `handle` follows.
    func exchange(for arrival: InboundExchange.Arrival) -> InboundExchange

    /// A request is complete: answer it through the exchange, now or later, once.
    func handle(_ exchange: InboundExchange)

    /// The methods of the resource that `head` names, for the `Allow` of an automatic answer to OPTIONS; HEAD
    /// (where there is GET) and OPTIONS are added. None: the OPTIONS goes to `decide` like any request, which is
    /// what a CORS preflight wants. `OPTIONS *` asks about the server as a whole (RFC 9110 9.3.7).
    func allowedMethods(_ head: HTTPRequestHead) -> [HTTPMethod]

    /// A request is over that no exchange stood for: its answer was given by `decide`, an automatic one or an error, or
    /// its body was still coming when the connection ended.
    func answered(_ answer: DirectAnswer)
}

extension InboundHandler {
    public func exchange(for arrival: InboundExchange.Arrival) -> InboundExchange {
        InboundExchange(arrival)
    }
    public func allowedMethods(_ head: HTTPRequestHead) -> [HTTPMethod] { [] }
    public func answered(_ answer: DirectAnswer) {}
}

/// What to do with a request's body.
public enum BodyDecision {
    /// Read it into memory and hand the whole request to `handle`; beyond `limit` bytes (or the server's own
    /// limit, if that is less) the answer is 413. `context` is what `decide` found out and `handle` needs to know:
    /// it comes back as the exchange's.
    case buffer(limit: Int, context: AnyObject? = nil)
    /// The answer is known. The body is framed and drained all the same: a broken one is 400 whatever the
    /// route, and what comes after it is the next request.
    case answer(HTTPResponse)
}

/// Why the server itself refuses a request. `InboundServer.errorRenderer` turns it into a response.
public struct InboundError: Error, Sendable {
    /// The kinds of refusal; short names for logs and metrics.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// Not HTTP/1.x as the server accepts it; `status` says which rule.
        public static let malformed = Reason(description: "malformed")
        /// Head or body did not come in time (408).
        public static let timeout = Reason(description: "timeout")
        /// The body is longer than allowed (413).
        public static let bodyTooLarge = Reason(description: "body_too_large")
        /// Too many requests in flight on this loop, or too many bytes of bodies (503).
        public static let overloaded = Reason(description: "overloaded")
        /// The handler let its exchange go without an answer (500).
        public static let unanswered = Reason(description: "unanswered")
        /// The handler's answer has a field that must not go out, with a line end in its value, say (500).
        public static let unwritable = Reason(description: "unwritable")
        /// The server goes away, another connection is needed (503).
        public static let draining = Reason(description: "draining")
    }

    /// The status of the answer.
    public var status: HTTPStatus
    public var reason: Reason
    /// One sentence for the client that names the rule or the limit.
    public var message: String
    /// The request, where its head was read.
    public var head: HTTPRequestHead?

    public init(status: HTTPStatus, reason: Reason, message: String, head: HTTPRequestHead? = nil) {
        self.status = status
        self.reason = reason
        self.message = message
        self.head = head
    }
}

/// How an answer ended, by the access log's name for it.
public enum InboundOutcome: String, Sendable {
    /// The kernel took the whole answer.
    case completed = "complete"
    /// The client left before that.
    case clientGone = "client_gone"
    /// The client read too slowly (`InboundLimits.sendStall`, `sendRate`), or slowest of all when `waitingAnswers` was
    /// reached, and was reset.
    case stalled
    /// The server broke off: the handler failed half-way or gave up its exchange, or the loop ended.
    case aborted
    /// The server leaves, and the drain was over.
    case drain
}

/// The end of a request that no `InboundExchange` stood for, for logs and counters.
public struct DirectAnswer {
    /// The request, where its head was read.
    public var head: HTTPRequestHead?
    /// The method on the wire (HEAD stays HEAD), where that much of the request came.
    public var method: HTTPMethod?
    /// Why the server refused; nil: an answer of `decide`, or to OPTIONS.
    public var error: InboundError?
    /// Nil: there was none, as the request was never whole.
    public var response: HTTPResponse?
    public var remoteAddress: SocketAddress
    /// When the request's head was complete; where it never was, when it began.
    public var receivedAt: MonotonicTime
    /// Bytes of the request, head and body, as far as they came.
    public var bytesReceived: Int
    /// Bytes of the answer, head and a 100 (Continue) before it included: all of them, or those that the client acknowledged
    /// where it was cut.
    public var bytesSent: Int
    /// Bytes of the 100 (Continue) among them.
    var continueBytes = 0
    /// Whether the kernel took any of the answer.
    public var hasBegun: Bool
    public var outcome: InboundOutcome
}
