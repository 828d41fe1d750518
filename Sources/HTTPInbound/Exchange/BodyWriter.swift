/// Writes an answer's body in pieces, with backpressure. Used on the server's loop only.
///
/// Write while `isOverHighWatermark` is false, then wait for `onDrain`. End with `finish` or `fail`;
/// releasing an unfinished writer fails the answer. Has no effect after the client has left.
public final class BodyWriter {
    /// How the client finds the end of the body.
    enum Framing: Equatable {
        /// HEAD, 204 or 304: the body is dropped.
        case nothing
        /// The number of bytes still to come.
        case length(Int)
        case chunked
        case untilClose
    }

    private let exchange: InboundExchange
    private var framing: Framing
    private var isOver: Bool

    /// Called whenever the client has taken enough to continue writing.
    public var onDrain: (() -> Void)? {
        get { exchange.connection?.onDrain }
        set { if !isOver { exchange.connection?.onDrain = newValue } }
    }

    /// `framing` is nil if the answer cannot be streamed.
    init(exchange: InboundExchange, framing: Framing?) {
        self.exchange = exchange
        self.framing = framing ?? .nothing
        isOver = framing == nil
    }

    deinit {
        fail()
    }

    /// Whether too much waits for the client, or nothing of the body will be sent any more. Write no more
    /// until `onDrain`.
    public var isOverHighWatermark: Bool { isOver || exchange.connection?.isOverHighWatermark ?? true }

    /// Counts bytes of the body that are in memory but not written yet, until the next call, as bytes that
    /// wait for the client (`InboundLimits.waitingAnswers`). May end the request.
    public func hold(_ bytes: Int) {
        guard !isOver, let connection = exchange.connection else { return }
        connection.heldBytes = bytes
        connection.settle()
    }

    /// Counts bytes that wait in the source of the body, until the next call, likewise. Unlike bytes of
    /// `hold(_:)`, they may stay there as long as the client is slow, and what was written before them does
    /// not wait for them.
    public func countUnread(_ bytes: Int) {
        guard !isOver, let connection = exchange.connection else { return }
        connection.unreadBytes = bytes
        connection.settle()
    }

    /// Sends part of the body. Exceeding the `Content-Length` fails the answer.
    public func write(_ bytes: ArraySlice<UInt8>) {
        guard let connection = claim(bytes.count) else { return }
        if case .chunked = framing {
            connection.sendChunk(bytes, on: exchange)
        } else {
            connection.send(bytes, on: exchange)
        }
    }

    /// Sends part of the body, which has to be valid during the call only. Otherwise like `write(_:)` for a
    /// slice.
    public func write(_ bytes: UnsafeRawBufferPointer) {
        guard let connection = claim(bytes.count) else { return }
        if case .chunked = framing {
            connection.sendChunk(bytes, on: exchange)
        } else {
            connection.send(bytes, on: exchange)
        }
    }

    /// Returns where to send this many bytes; nil if they are not to be sent.
    private func claim(_ count: Int) -> InboundConnection? {
        guard !isOver, count > 0 else { return nil }
        switch framing {
        case .nothing: return nil
        case .untilClose, .chunked: break
        case .length(let left) where count <= left: framing = .length(left - count)
        case .length:
            fail()
            return nil
        }
        return exchange.connection
    }

    /// Ends the body. Falling short of the `Content-Length` fails the answer.
    public func finish() {
        guard !isOver else { return }
        switch framing {
        case .length(let left) where left > 0:
            fail()
        case .chunked:
            isOver = true
            exchange.connection?.finishStreaming(lastChunk: true, on: exchange)
        case .length, .nothing, .untilClose:
            isOver = true
            exchange.connection?.finishStreaming(lastChunk: false, on: exchange)
        }
    }

    /// Gives up on the body. Resets the connection, so that the client does not take a part for the whole.
    public func fail() {
        guard !isOver else { return }
        isOver = true
        exchange.connection?.abort()
    }
}
