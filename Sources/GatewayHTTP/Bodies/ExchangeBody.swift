import EventIO
import GatewayCore
import HTTPInbound

/// Gives an endpoint the body of an exchange, which stays on its loop.
final class ExchangeBody: BodySource {
    /// Confined to the loop.
    private final class Feed {
        let reader: InboundBodyReader
        var isCancelled = false

        init(_ reader: InboundBodyReader) {
            self.reader = reader
        }
    }

    private let feed: LoopBound<Feed>
    /// The endpoint's limit, for the error beyond it.
    private let limit: Int

    /// Call it on `loop`.
    init(_ reader: InboundBodyReader, limit: Int, loop: EventLoop) {
        feed = LoopBound(Feed(reader), loop: loop)
        self.limit = limit
    }

    func read(_ receive: @escaping @Sendable (BodyPiece) -> Void) {
        guard !feed.loop.isCurrent else { return start(receive) }
        if !feed.loop.execute({ self.start(receive) }) { receive(.failed(CancellationError())) }
    }

    func cancel() {
        guard !feed.loop.isCurrent else { return stop() }
        feed.loop.execute { self.stop() }
    }

    private func start(_ receive: @escaping @Sendable (BodyPiece) -> Void) {
        let feed = feed.value
        // A cancellation on the loop overtakes a read from another thread.
        guard !feed.isCancelled else { return }
        let limit = limit
        feed.reader.read { receive(BodyPiece($0, limit: limit)) }
    }

    private func stop() {
        feed.value.isCancelled = true
        feed.value.reader.cancel()
    }
}

extension BodyPiece {
    fileprivate init(_ piece: InboundBodyReader.Piece, limit: Int) {
        switch piece {
        case .bytes(let bytes): self = .bytes(bytes)
        case .end: self = .end
        case .failed(.refused(let error)) where error.reason == .bodyTooLarge:
            self = .failed(GatewayError.payloadTooLarge(limit: limit))
        case .failed(.refused(let error)): self = .failed(GatewayError(error))
        case .failed(.over): self = .failed(CancellationError())
        }
    }
}
