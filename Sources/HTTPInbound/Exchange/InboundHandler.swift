public import HTTPModel

/// Serves the requests of an `InboundServer`. Called on the server's loop only.
public protocol InboundHandler: AnyObject {
    /// Decides what to do with a request when its head is complete, before its body is read and before any
    /// 100-continue. A HEAD arrives as a GET (RFC 9110, section 9.3.2).
    func decide(_ head: HTTPRequestHead) -> BodyDecision

    /// Returns the answer to a request on a connection above the connection limit, such as a health check;
    /// nil refuses the request with 503. The connection closes after either.
    func answerAboveLimit(_ head: HTTPRequestHead) -> HTTPResponse?

    /// Returns the answer to a request that the server refuses after `decide`, such as one with too long a
    /// body, and the parts of the request that it complains of, for a log; nil for the answer of
    /// `InboundServer.errorRenderer`.
    func answer(to error: InboundError, _ context: AnyObject) -> (response: HTTPResponse, refused: [String])?

    /// Makes the exchange of a request, and nothing else. The exchange's `start` follows. The request is
    /// complete, unless `decide` chose to stream its body.
    func exchange(for arrival: InboundExchange.Arrival) -> InboundExchange

    /// Handles a request: answer it once through the exchange, now or later. Not called for a subclass of
    /// `InboundExchange` that overrides `start`.
    func handle(_ exchange: InboundExchange)

    /// Returns the methods of the resource for the `Allow` field of an automatic answer to OPTIONS. HEAD (if
    /// there is GET) and OPTIONS are added. If empty, the OPTIONS goes to `decide` like any request, as a
    /// CORS preflight needs. `OPTIONS *` asks about the whole server (RFC 9110, section 9.3.7).
    func allowedMethods(_ head: HTTPRequestHead) -> [HTTPMethod]

    /// Returns the context with which the next handler of the server makes the exchange of a request that
    /// this handler has decided about (`InboundServer.use`). Default: the context as it is.
    func handOver(_ context: AnyObject) -> AnyObject

    /// Reports the end of a request that had no exchange: it was answered by `decide`, automatically or with
    /// an error, or its connection ended while its body was being read.
    func answered(_ answer: DirectAnswer)
}

extension InboundHandler {
    public func answerAboveLimit(_ head: HTTPRequestHead) -> HTTPResponse? { nil }
    public func answer(to error: InboundError, _ context: AnyObject) -> (
        response: HTTPResponse, refused: [String]
    )? { nil }
    public func exchange(for arrival: InboundExchange.Arrival) -> InboundExchange {
        InboundExchange(arrival)
    }
    public func handle(_ exchange: InboundExchange) {}
    public func allowedMethods(_ head: HTTPRequestHead) -> [HTTPMethod] { [] }
    public func handOver(_ context: AnyObject) -> AnyObject { context }
    public func answered(_ answer: DirectAnswer) {}
}

/// What to do with a request's body.
public enum BodyDecision {
    /// Read it into memory and pass the whole request to `handle`. Beyond `limit`, or the server's own limit
    /// if that is lower, the answer is 413. `context` becomes the exchange's.
    case buffer(limit: Int, context: AnyObject? = nil)
    /// Make the exchange when the head is complete. The exchange reads the body from its `bodyReader`. If a
    /// Content-Length exceeds `limit`, the answer is 413, without an exchange; a chunked body that exceeds it
    /// fails with 413. The server's own limit does not apply. `context` becomes the exchange's.
    case stream(limit: Int, context: AnyObject? = nil)
    /// Send this answer. The body is still framed and discarded, so that a malformed one is 400 on any route,
    /// and the next request is found. Beyond the server's limit the body is left unread: the answer is sent
    /// at once, and the connection closes.
    ///
    /// `refused` names the parts of the request that the answer complains of, for a log.
    case answer(HTTPResponse, refused: [String] = [])
}
