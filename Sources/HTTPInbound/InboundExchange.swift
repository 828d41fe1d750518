public import EventIO
public import HTTPModel

/// One request and the place for its answer. Confined to the server's loop.
///
/// Answer once: by `respond`, by `startStreaming`, or not in HTTP at all (`InboundExchange+Raw`). An answer
/// to a client that has left goes nowhere and does no harm. An exchange that is let go unanswered is
/// answered 500. (Its storage is free of exclusivity checks: the loop is its guardian, and no method holds a property
/// while it calls out.)
public final class InboundExchange {
    /// The request with its whole body. A HEAD is here as the GET whose head it asks for.
    public let request: HTTPRequest
    /// The method on the wire: HEAD stays HEAD.
    public let method: HTTPMethod
    /// What the handler's `decide` found out about the request.
    public let context: AnyObject?
    /// When the request's head was complete.
    public let receivedAt: MonotonicTime
    /// Bytes of the request, head and body.
    public let bytesReceived: Int
    /// Bytes of the answer so far, head included.
    @exclusivity(unchecked) public internal(set) var bytesSent = 0
    /// Called once, when the client leaves (FIN or RST) while its answer is not complete.
    @exclusivity(unchecked) public var onClientGone: (() -> Void)?
    /// Called once, when the answer was taken by the kernel or will never be: how it ended, and the bytes of
    /// the answer, head included.
    @exclusivity(unchecked) public var onFinished: ((_ outcome: InboundOutcome, _ bytesSent: Int) -> Void)?

    /// Nil once the answer is over: the exchange is then only a record.
    @exclusivity(unchecked) private(set) var connection: InboundConnection?
    private let server: InboundServer
    /// Set by the first answer; a second one is a mistake of the handler.
    @exclusivity(unchecked) private var isAnswered = false

    init(
        request: consuming HTTPRequest, method: HTTPMethod, context: consuming AnyObject?,
        receivedAt: MonotonicTime, bytesReceived: Int, connection: InboundConnection
    ) {
        self.request = request
        self.method = method
        self.context = context
        self.receivedAt = receivedAt
        self.bytesReceived = bytesReceived
        self.connection = connection
        remoteAddress = connection.remoteAddress
        server = connection.server
    }

    deinit {
        connection?.exchangeWasDropped(request.head, isAnswered: isAnswered)
    }

    /// The loop that everything of this exchange happens on.
    public var loop: EventLoop { server.loop }

    /// The client's end of the connection.
    public let remoteAddress: SocketAddress

    /// Whether nobody waits for the answer any more.
    public var isOver: Bool { connection == nil }

    /// Answers with a whole response. The server frames it and adds `Date` and `Connection`; a body is
    /// left out where the request (HEAD) or the status forbids one.
    public func respond(_ response: HTTPResponse) {
        guard claim() else { return }
        connection?.respond(response, on: self)
    }

    /// Answers with a head now and a body in pieces: as long as a `Content-Length` in the fields says, else
    /// chunked, else (HTTP/1.0) up to the close of the connection.
    public func startStreaming(_ head: HTTPResponseHead) -> BodyWriter {
        let framing = claim() ? connection?.startStreaming(head, on: self) : nil
        return BodyWriter(exchange: self, framing: framing)
    }

    /// False for a second answer.
    func claim() -> Bool {
        assert(!isAnswered, "an exchange is answered once")
        defer { isAnswered = true }
        return !isAnswered
    }

    /// The answer is not HTTP; it may come in several parts.
    func claimRaw() {
        isAnswered = true
    }

    func clientLeft() {
        let callback = onClientGone
        onClientGone = nil
        callback?()
    }

    /// The answer is over. Whatever the callbacks hold is let go.
    func finished(_ outcome: InboundOutcome) {
        guard connection != nil else { return }
        connection = nil
        onClientGone = nil
        let callback = onFinished
        onFinished = nil
        callback?(outcome, bytesSent)
    }
}
