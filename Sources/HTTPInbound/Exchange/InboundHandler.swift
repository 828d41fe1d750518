public import EventIO
public import HTTPModel

/// Serves the requests of an `InboundServer`. Called on the server's loop only.
public protocol InboundHandler: AnyObject {
    /// Decides what to do with a request when its head is complete, before its body is read and before any
    /// 100-continue.
    ///
    /// A HEAD arrives as a GET (RFC 9110, section 9.3.2).
    func decide(_ head: HTTPRequestHead) -> BodyDecision

    /// Makes the exchange of a complete request, and nothing else. `handle` follows.
    func exchange(for arrival: InboundExchange.Arrival) -> InboundExchange

    /// Handles a complete request. Answer it through the exchange, now or later, once.
    func handle(_ exchange: InboundExchange)

    /// Returns the methods of the resource for the `Allow` field of an automatic answer to OPTIONS. HEAD (if
    /// there is GET) and OPTIONS are added. If empty, the OPTIONS goes to `decide` like any request, as a
    /// CORS preflight needs. `OPTIONS *` asks about the whole server (RFC 9110, section 9.3.7).
    func allowedMethods(_ head: HTTPRequestHead) -> [HTTPMethod]

    /// Reports the end of a request that had no exchange: it was answered by `decide`, automatically or with
    /// an error, or its connection ended while its body was being read.
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
    /// Read it into memory and pass the whole request to `handle`. Beyond `limit`, or the server's own limit
    /// if that is lower, the answer is 413. `context` becomes the exchange's.
    case buffer(limit: Int, context: AnyObject? = nil)
    /// Send this answer. The body is framed and discarded all the same, so that a malformed one is 400 on any
    /// route, and the next request is found.
    case answer(HTTPResponse)
}

/// Why the server itself refuses a request. `InboundServer.errorRenderer` turns it into a response.
public struct InboundError: Error, Sendable {
    /// The kinds of refusal. Short names for logs and metrics.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// Not HTTP/1.x as the server accepts it. `status` tells which rule was broken.
        public static let malformed = Reason(description: "malformed")
        /// Head or body did not arrive in time (408).
        public static let timeout = Reason(description: "timeout")
        /// The body is longer than allowed (413).
        public static let bodyTooLarge = Reason(description: "body_too_large")
        /// Too many requests or bytes of request bodies on this loop (503).
        public static let overloaded = Reason(description: "overloaded")
        /// The handler released its exchange without answering (500).
        public static let unanswered = Reason(description: "unanswered")
        /// The handler's answer has an invalid field, such as a value with a line break (500).
        public static let unwritable = Reason(description: "unwritable")
        /// The server is shutting down, so the client needs another connection (503).
        public static let draining = Reason(description: "draining")
    }

    /// The status of the answer.
    public var status: HTTPStatus
    public var reason: Reason
    /// One sentence for the client that names the rule or the limit.
    public var message: String
    /// The request, if its head was read.
    public var head: HTTPRequestHead?

    public init(status: HTTPStatus, reason: Reason, message: String, head: HTTPRequestHead? = nil) {
        self.status = status
        self.reason = reason
        self.message = message
        self.head = head
    }
}

/// How an answer ended. The raw value appears in the access log.
public enum InboundOutcome: String, Sendable {
    /// The kernel took the whole answer.
    case completed = "complete"
    /// The client left before that.
    case clientGone = "client_gone"
    /// The client read too slowly (`InboundLimits.sendStall`, `sendRate`), or slowest of all when
    /// `waitingAnswers` was reached, and was reset.
    case stalled
    /// The server broke off: the handler failed midway or released its exchange, or the loop ended.
    case aborted
    /// The server shut down, and the drain deadline passed.
    case drain
}

/// The end of a request that had no `InboundExchange`, for logs and counters.
public struct DirectAnswer {
    /// The request, if its head was read.
    public var head: HTTPRequestHead?
    /// The method on the wire (HEAD stays HEAD), if that much of the request arrived.
    public var method: HTTPMethod?
    /// Why the server refused; nil for an answer of `decide` or to OPTIONS.
    public var error: InboundError?
    /// Nil if there was no answer, because the request never completed.
    public var response: HTTPResponse?
    public var remoteAddress: SocketAddress
    /// When the request's head was complete, or when the request began if it never was.
    public var receivedAt: MonotonicTime
    /// Bytes of the request that arrived, head and body.
    public var bytesReceived: Int
    /// Bytes of the answer, including its head and a preceding 100 (Continue). If it was cut, the bytes that
    /// the client acknowledged.
    public var bytesSent: Int
    /// Bytes of the 100 (Continue) among them.
    var continueBytes = 0
    /// Whether the kernel took any of the answer.
    public var hasBegun: Bool
    public var outcome: InboundOutcome
}
