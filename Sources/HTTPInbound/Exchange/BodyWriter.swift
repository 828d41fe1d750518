/// Writes an answer's body in pieces, with backpressure. Confined to the server's loop.
///
/// Write while `isOverHighWatermark` is false, then wait for `onDrain`. End with `finish` or `fail`; a writer
/// that is let go before fails. After the client left, nothing happens.
public final class BodyWriter {
    /// How the client learns where the body ends.
    enum Framing: Equatable {
        /// HEAD, 204, 304: the body is dropped.
        case nothing
        /// So many bytes are to come.
        case length(Int)
        case chunked
        case untilClose
    }

    private let exchange: InboundExchange
    private var framing: Framing
    private var isOver: Bool

    /// Called each time the client has taken enough that writing may go on.
    public var onDrain: (() -> Void)? {
        get { exchange.connection?.onDrain }
        set { if !isOver { exchange.connection?.onDrain = newValue } }
    }

    /// - Parameter framing: nil: nobody reads this body.
    init(exchange: InboundExchange, framing: Framing?) {
        self.exchange = exchange
        self.framing = framing ?? .nothing
        isOver = framing == nil
    }

    deinit {
        fail()
    }

    /// More waits for the client than the socket's queue should hold: write no more until `onDrain`.
    public var isOverHighWatermark: Bool { exchange.connection?.isOverHighWatermark ?? false }

    /// Sends a piece of the body. More than a promised `Content-Length` fails the answer.
    public func write(_ bytes: ArraySlice<UInt8>) {
        guard !isOver, !bytes.isEmpty, let connection = exchange.connection else { return }
        switch framing {
        case .nothing:
            break
        case .untilClose:
            connection.send(bytes, on: exchange)
        case .chunked:
            connection.sendChunk(bytes, on: exchange)
        case .length(let left) where bytes.count <= left:
            framing = .length(left - bytes.count)
            connection.send(bytes, on: exchange)
        case .length:
            fail()
        }
    }

    /// The body is complete. Less than a promised `Content-Length` fails the answer.
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

    /// The body cannot be completed: the connection is reset, so that the client does not take a part for
    /// the whole.
    public func fail() {
        guard !isOver else { return }
        isOver = true
        exchange.connection?.abort()
    }
}
