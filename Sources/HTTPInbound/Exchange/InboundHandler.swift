public import HTTPModel

/// Serves the requests of an `InboundServer`. Called on the server's loop only.
public protocol InboundHandler: AnyObject {
    /// Decides what to do with a request when its head is complete, before its body is read and before any
    /// 100-continue. A HEAD arrives as a GET (RFC 9110, section 9.3.2). An exchange that it makes keeps its
    /// handler, even if the server uses another one by the time that the body is complete.
    func decide(_ arrival: InboundExchange.Arrival) -> BodyDecision

    /// Returns the answer to a health check; nil for any other request. Asked about the request of a
    /// connection above the connection limit, which is refused with 503 otherwise. The connection closes
    /// after either.
    func healthAnswer(to head: HTTPRequestHead) -> HTTPResponse?

    /// Handles a request: answer it once through the exchange, now or later. Not called for a subclass of
    /// `InboundExchange` that overrides `start`.
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
    /// Default: no health checks.
    public func healthAnswer(to head: HTTPRequestHead) -> HTTPResponse? { nil }
    /// Default: nothing, so that the exchange is answered as unanswered.
    public func handle(_ exchange: InboundExchange) {}
    /// Default: none.
    public func allowedMethods(_ head: HTTPRequestHead) -> [HTTPMethod] { [] }
    /// Default: nothing.
    public func answered(_ answer: DirectAnswer) {}
}

/// What to do with a request's body.
public enum BodyDecision {
    /// Read it into memory, then start the exchange. Beyond `limit`, or the server's own limit if that is
    /// lower, the answer is 413.
    case buffer(limit: Int, InboundExchange)
    /// Start the exchange at once. It reads the body from its `bodyReader`. If a Content-Length exceeds
    /// `limit`, the answer is 413, and the exchange does not start; a chunked body that exceeds it fails with
    /// 413. The server's own limit does not apply.
    case stream(limit: Int, InboundExchange)
    /// Start the exchange, which gets no body. Otherwise like `answer`.
    case ignore(InboundExchange)
    /// Send this answer at once, whether the body has arrived or not. The body is framed and discarded, so
    /// that the next request is found. If some of it has arrived with the head and is malformed, the answer
    /// is 400 instead. After the answer, the connection closes if the body is malformed or does not arrive
    /// (`InboundLimits.discardTime`, `discardedBytes`). The answer itself ends the connection if the body is
    /// longer than the server's limit, or if the client waits for a 100 (Continue), which is not sent.
    case answer(HTTPResponse, AnswerNote = AnswerNote())
}
