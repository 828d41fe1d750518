public import EventIO
public import HTTPModel

/// A request and the means to answer it. Used on the server's loop only.
///
/// Answer once: with `respond`, with `startStreaming`, or not in HTTP at all (`InboundExchange+Raw`).
/// Answering a client that has left has no effect. An exchange that has started and is released unanswered is
/// answered 500. A handler that needs state per request makes a subclass in `InboundHandler.decide`.
open class InboundExchange {
    /// A request whose head is complete, from which one exchange is made.
    public struct Arrival {
        let connection: InboundConnection

        /// Its head, until the exchange is made.
        public var head: HTTPRequestHead {
            guard let head = connection.request.head else {
                preconditionFailure("the request's exchange is made")
            }
            return head
        }

        /// The client's address: the peer's, or what a trusted proxy tells. Nil on a Unix socket.
        public var clientAddress: IPAddress? {
            (connection.request.peer ?? connection.peer).clientAddress
        }

        /// The version of TLS; nil on a plain connection.
        public var tlsVersion: TLSConfiguration.Version? { connection.peer.security?.version }

        /// The certificate that the client has shown; nil without one.
        public var clientCertificate: ClientCertificate? { connection.peer.security?.clientCertificate }

        /// Whether the server has no room for another request. An answer that the handler decides on is still
        /// sent. An exchange does not start: its `answer(to:)`, or else the server, renders the refusal.
        package var isOverloaded: Bool { connection.server.isOverloaded }
    }

    /// The request: with its whole body once it has started, or with an empty one if the body is streamed or
    /// was taken. A HEAD arrives as a GET.
    public private(set) final var request: ReceivedRequest
    /// The method on the wire: HEAD stays HEAD.
    public final let method: HTTPMethod
    /// Whether a trusted proxy sent the request (`ClientSettings.trusted`).
    public final let isFromTrustedProxy: Bool
    /// When the request's head was complete.
    public final let receivedAt: MonotonicTime
    /// Reads the body, if the handler decided to stream it, there is one, and the request is not over.
    public final var bodyReader: InboundBodyReader? { connection?.bodyReader }
    /// Bytes of the request, head and body. Grows while a body is streamed.
    public final var bytesReceived: Int { receivedBytes }
    // Behind a getter, because the attribute works within this module only.
    final var receivedBytes = 0
    /// Bytes of the answer so far, including its head and a preceding 100 (Continue). If the answer was cut,
    /// the bytes that the client acknowledged.
    public final var bytesSent: Int { sentBytes }
    // Behind a getter, because the attribute works within this module only.
    final var sentBytes = 0
    private final var continueBytes = 0
    /// Whether the kernel took any of the answer. Valid once the answer is over.
    public final var hasBegun: Bool { isBegun }
    private final var isBegun = true
    /// Whether bytes of the answer wait for the client's socket.
    public final var isAnswerWaiting: Bool { connection?.isFlushed == false }
    /// Called once if the client leaves (FIN or RST) before its answer is complete.
    public final var onClientGone: (() -> Void)?
    /// Called once, when the kernel has taken the answer or never will, with the outcome and `bytesSent`.
    public final var onFinished: ((_ outcome: InboundOutcome, _ bytesSent: Int) -> Void)?

    /// Nil before the start, and once the answer is over. The exchange is then only a record.
    private(set) final var connection: InboundConnection?
    private final let peer: InboundPeer
    /// Set by the first answer. A second one is a mistake in the handler.
    private final var isAnswered = false
    /// The memory of the request's body, if that is large and was not taken.
    private final var charge: BodyCharge?
    /// Bytes of a small body that still count.
    private final var countedBody = 0

    // These copy nothing of the head.

    /// The path of the request's target, percent-encoded.
    public final var pathBytes: ArraySlice<UInt8> { request.head.target.pathBytes }
    /// The authority that the request addresses, if it names one.
    public final var authorityBytes: ArraySlice<UInt8>? { request.head.authorityBytes }
    /// The request's version of HTTP.
    public final var version: HTTPVersion { request.head.version }

    /// Creates the exchange of the request that has arrived.
    public init(_ arrival: Arrival) {
        let connection = arrival.connection
        // Moved out of the connection, to avoid a copy.
        guard let head = connection.request.head.take() else {
            preconditionFailure("a second exchange is made for a request")
        }
        request = ReceivedRequest(head: head)
        method = connection.request.method ?? .get
        isFromTrustedProxy = connection.clientRules.trustsSender
        receivedAt = connection.request.receivedAt
        peer = connection.request.peer ?? connection.peer
    }

    /// The request is complete, unless its body is streamed. `start` follows.
    final func arrived(on connection: InboundConnection) {
        let (body, charge) = connection.takeBody()
        if !body.isEmpty {
            request.body = body[...]
            self.charge = charge
            countedBody = connection.request.countedBody
        }
        receivedBytes = connection.request.bytesReceived
        continueBytes = connection.request.continueBytes
        sentBytes = continueBytes
        self.connection = connection
    }

    /// Takes the request with its body out of an exchange that passes it on and does not keep it to its end.
    public final func takeRequest() -> ReceivedRequest {
        guard !request.body.isEmpty else { return request }
        defer { request.body = [] }
        return request
    }

    /// Takes the memory of a large body. Whoever keeps the body keeps it too.
    public final func takeCharge() -> BodyCharge? { charge.take() }

    /// Returns the answer if the request has no room. Asked before its body is read, and when it is
    /// to start. The default has room.
    open func overloadAnswer() -> (response: HTTPResponse, note: AnswerNote)? { nil }

    /// Returns the answer to a request that the server refuses before its start, such as one with too long a
    /// body; nil for the answer of `InboundServer.errorRenderer`. The default is nil.
    open func answer(to error: InboundError) -> (response: HTTPResponse, note: AnswerNote)? { nil }

    /// The note of a request whose client left during the upload, before the exchange started. The default is
    /// empty.
    open var noteBeforeStart: AnswerNote { AnswerNote() }

    deinit {
        guard let connection else { return }
        releaseBody(connection)
        connection.exchangeWasDropped(request.head, isAnswered: isAnswered)
    }

    private final func releaseBody(_ connection: InboundConnection) {
        guard countedBody > 0 else { return }
        connection.server.bodies.release(countedBody)
        countedBody = 0
    }

    /// The answer is complete, but its client may take it slowly. A body that was taken has been used.
    final func answerCompleted(on connection: InboundConnection) {
        if countedBody > 0, request.body.isEmpty { releaseBody(connection) }
    }

    /// Handles the request, once: when it is complete, or when its head is if the body is streamed. The
    /// default calls the handler's `handle`. An override answers now or later.
    open func start() { connection?.handler.handle(self) }

    /// The loop of the client's connection.
    public final var loop: EventLoop { peer.loop }

    /// The peer of the connection: the client, or a proxy.
    public final var remoteAddress: SocketAddress { peer.address }

    /// The peer's address and port as text, formatted once per connection.
    public final var remoteText: String { peer.text }

    /// What trusted proxies tell about the client; nil if the peer is the client.
    public final var client: ForwardedClient? { peer.client }

    /// The client's address as text, without a port.
    public final var clientText: String { peer.clientText }

    /// The version of TLS; nil on a plain connection.
    public final var tlsVersion: TLSConfiguration.Version? { peer.security?.version }

    /// The certificate that the client has shown; nil without one.
    public final var clientCertificate: ClientCertificate? { peer.security?.clientCertificate }

    /// Identifies the client where something is shared between clients.
    public final var clientPrefix: AddressPrefix { peer.clientPrefix }

    /// Whether the answer is over, or the client gone.
    public final var isOver: Bool { connection == nil }

    /// Sends a complete response. The server frames it and adds `Date` and `Connection`. It omits the body if
    /// the request (HEAD) or the status forbids one.
    public final func respond(_ response: HTTPResponse) {
        guard claim() else { return }
        connection?.respond(response, on: self)
    }

    /// Sends a head now and the body in pieces: with the `Content-Length` of the fields, else chunked, or up
    /// to the close of the connection for HTTP/1.0.
    public final func startStreaming(_ head: HTTPResponseHead) -> BodyWriter {
        let framing = claim() ? connection?.startStreaming(head, on: self) : nil
        return BodyWriter(exchange: self, framing: framing)
    }

    /// A 100 (Continue) of this size was sent, because the reader of the body asked for it.
    final func sentContinue(_ count: Int) {
        continueBytes += count
        sentBytes += count
    }

    /// Whether the server has memory to hold an answer of this size while it is written piece by piece. If
    /// not, write it at once: what waits for a slow client may go to a file.
    public final func mayHold(_ bytes: Int) -> Bool { connection?.server.mayHold(bytes) ?? false }

    /// Counts bytes of the answer that wait in memory until it is sent, as bytes that wait for the client
    /// (`InboundLimits.waitingAnswers`). May end the request.
    public final func hold(_ bytes: Int) {
        connection?.heldBytes = bytes
        connection?.settle()
    }

    final func claim() -> Bool {
        assert(!isAnswered, "an exchange must be answered only once")
        defer { isAnswered = true }
        return !isAnswered
    }

    /// Marks the exchange as answered outside HTTP, possibly in several calls.
    final func claimRaw() {
        isAnswered = true
    }

    final func clientLeft() {
        let callback = onClientGone
        onClientGone = nil
        callback?()
    }

    /// Ends an answer that the kernel did not take completely. `end` is where it ends in the connection's
    /// output.
    final func cut(_ outcome: InboundOutcome, _ delivery: Delivery, end: Int64) {
        isBegun = delivery.hasBegun(sentBytes - continueBytes, end: end)
        sentBytes = delivery.acknowledged(of: sentBytes, end: end)
        finished(outcome)
    }

    final func finished(_ outcome: InboundOutcome) {
        guard let connection = connection.take() else { return }
        releaseBody(connection)
        if onClientGone != nil { onClientGone = nil }
        ended(outcome)
    }

    /// Called once, when the whole answer has been passed on to the connection: from now on it waits for the
    /// client alone. Not called if the request ends before. The default does nothing.
    open func passedOn() {}

    /// Called once, when the kernel has taken the answer or never will. The default calls `onFinished`.
    open func ended(_ outcome: InboundOutcome) {
        let callback = onFinished
        onFinished = nil
        callback?(outcome, bytesSent)
    }
}
