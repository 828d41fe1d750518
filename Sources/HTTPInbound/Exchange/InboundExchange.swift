public import EventIO
public import HTTPModel

/// One request and the place for its answer. Confined to the server's loop.
///
/// Answer once: by `respond`, by `startStreaming`, or not in HTTP at all (`InboundExchange+Raw`). An answer
/// to a client that has left goes nowhere and does no harm. An exchange that is let go unanswered is
/// answered 500. A handler that keeps things of its own for each request has a subclass of it, which
/// `InboundHandler.exchange(for:)` makes.
open class InboundExchange {
    /// What an exchange begins with: a request that is complete. Of each there is one exchange.
    public struct Arrival {
        let connection: InboundConnection

        /// What the handler's `decide` found out about the request.
        public var context: AnyObject? { connection.turn.context }
    }

    /// The request with its whole body. A HEAD is here as the GET whose head it asks for.
    public final let request: ReceivedRequest
    /// The method on the wire: HEAD stays HEAD.
    public final let method: HTTPMethod
    /// What the handler's `decide` found out about the request.
    public final let context: AnyObject?
    /// When the request's head was complete.
    public final let receivedAt: MonotonicTime
    /// Bytes of the request, head and body.
    public final let bytesReceived: Int
    /// Bytes of the answer so far, head and a 100 (Continue) before it included. Once it is cut: those that the client
    /// acknowledged.
    public final var bytesSent: Int { sentBytes }
    // Behind a getter, as the attribute holds in this module alone.
    final var sentBytes: Int
    private final let continueBytes: Int
    /// Whether the kernel took any of the answer. Known once the answer is over.
    public final var hasBegun: Bool { isBegun }
    private final var isBegun = true
    /// Whether some of the answer waits for the client to read.
    public final var isAnswerWaiting: Bool { connection?.isFlushed == false }
    /// Called once, when the client leaves (FIN or RST) while its answer is not complete.
    public final var onClientGone: (() -> Void)?
    /// Called once, when the answer was taken by the kernel or will never be: how it ended, and the bytes of the answer,
    /// as in `bytesSent`.
    public final var onFinished:
        ((_ outcome: InboundOutcome, _ bytesSent: Int) -> Void)?

    /// Nil once the answer is over: the exchange is then only a record.
    private(set) final var connection: InboundConnection?
    private final let peer: InboundPeer
    /// Set by the first answer; a second one is a mistake of the handler.
    private final var isAnswered = false

    public init(_ arrival: Arrival) {
        let connection = arrival.connection
        // Moved, not copied: from here on the exchange has them.
        guard let head = connection.turn.head.take() else {
            preconditionFailure("a request has one exchange")
        }
        request = ReceivedRequest(head: head, body: connection.turn.takeBody()[...])
        method = connection.turn.method ?? .get
        context = connection.turn.context.take()
        receivedAt = connection.turn.receivedAt
        bytesReceived = connection.turn.bytesReceived
        continueBytes = connection.turn.continueBytes
        sentBytes = continueBytes
        peer = connection.peer
        self.connection = connection
    }

    deinit {
        connection?.exchangeWasDropped(request.head, isAnswered: isAnswered)
    }

    /// The loop that everything of this exchange happens on.
    public final var loop: EventLoop { peer.loop }

    /// The client's end of the connection.
    public final var remoteAddress: SocketAddress { peer.address }

    /// The same as text, made once a connection.
    public final var remoteText: String { peer.text }

    /// Whether nobody waits for the answer any more.
    public final var isOver: Bool { connection == nil }

    /// Answers with a whole response. The server frames it and adds `Date` and `Connection`; a body is
    /// left out where the request (HEAD) or the status forbids one.
    public final func respond(_ response: HTTPResponse) {
        guard claim() else { return }
        connection?.respond(response, on: self)
    }

    /// Answers with a head now and a body in pieces: as long as a `Content-Length` in the fields says, else
    /// chunked, else (HTTP/1.0) up to the close of the connection.
    public final func startStreaming(_ head: HTTPResponseHead) -> BodyWriter {
        let framing = claim() ? connection?.startStreaming(head, on: self) : nil
        return BodyWriter(exchange: self, framing: framing)
    }

    /// False for a second answer.
    final func claim() -> Bool {
        assert(!isAnswered, "an exchange is answered once")
        defer { isAnswered = true }
        return !isAnswered
    }

    /// The answer is not HTTP; it may come in several parts.
    final func claimRaw() {
        isAnswered = true
    }

    final func clientLeft() {
        let callback = onClientGone
        onClientGone = nil
        callback?()
    }

    /// The connection ended before the kernel had the whole answer.
    ///
    /// - Parameter end: where the bytes that were handed to the stream end.
    final func cut(_ outcome: InboundOutcome, _ delivery: Delivery, end: Int64) {
        isBegun = delivery.hasBegun(sentBytes - continueBytes, end: end)
        sentBytes = delivery.acknowledged(of: sentBytes, end: end)
        finished(outcome)
    }

    /// The answer is over. Whatever the callbacks hold is let go.
    final func finished(_ outcome: InboundOutcome) {
        guard connection != nil else { return }
        connection = nil
        if onClientGone != nil { onClientGone = nil }
        ended(outcome)
    }

    /// Called once, when the answer was taken by the kernel or will never be: for a subclass. As it stands it calls
    /// `onFinished`.
    open func ended(_ outcome: InboundOutcome) {
        let callback = onFinished
        onFinished = nil
        callback?(outcome, bytesSent)
    }
}

/// Whom a connection is with: what its exchanges know of it, and still know once they are over.
final class InboundPeer {
    let loop: EventLoop
    let address: SocketAddress
    // The loop is its guardian.
    private var knownText: String?

    init(_ address: SocketAddress, loop: EventLoop) {
        self.address = address
        self.loop = loop
    }

    var text: String {
        if let knownText { return knownText }
        let text = address.description
        knownText = text
        return text
    }
}
