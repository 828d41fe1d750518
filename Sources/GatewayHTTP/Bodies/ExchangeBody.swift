import EventIO
import GatewayCore
import HTTPInbound
import Networking

/// Gives an endpoint the body of an exchange, which stays on its loop.
final class ExchangeBody: CountedSource {
    /// Confined to the loop.
    private final class Feed {
        let reader: InboundBodyReader
        var isCancelled = false

        init(_ reader: InboundBodyReader) {
            self.reader = reader
        }
    }

    private let feed: LoopBound<Feed>
    private let memory: BodyMemory
    private let client: AddressPrefix
    /// The endpoint's limit, for the error beyond it.
    private let limit: Int

    /// Call it on `loop`.
    init(_ reader: InboundBodyReader, from client: AddressPrefix, limit: Int, loop: EventLoop) {
        self.client = client
        memory = reader.memory
        feed = LoopBound(Feed(reader), loop: loop)
        self.limit = limit
    }

    func read(_ receive: @escaping PieceReceiver) {
        guard !feed.loop.isCurrent else { return start(receive) }
        if !feed.loop.execute({ self.start(receive) }) { receive(.failure(CancellationError())) }
    }

    func cancel() {
        guard !feed.loop.isCurrent else { return stop() }
        feed.loop.execute { self.stop() }
    }

    func makeMemory() -> (any RequestMemory)? { memory.charge() }

    func takeBrotliPlace() -> (any AnyObject & Sendable)? { BrotliPlace(for: client) }

    private func start(_ receive: @escaping PieceReceiver) {
        let feed = feed.value
        // A cancellation on the loop overtakes a read from another thread.
        guard !feed.isCancelled else { return }
        let limit = limit
        feed.reader.read { receive($0.result(limit: limit)) }
    }

    private func stop() {
        feed.value.isCancelled = true
        feed.value.reader.cancel()
    }
}

extension InboundBodyReader.Piece {
    /// A `GatewayError` if the server refused the body, a `CancellationError` if the request is over.
    fileprivate func result(limit: Int) -> Result<ArraySlice<UInt8>?, any Error> {
        switch self {
        case .bytes(let bytes): .success(bytes)
        case .end: .success(nil)
        case .failed(.refused(let error)) where error.reason == .bodyTooLarge:
            .failure(GatewayError.payloadTooLarge(limit: limit))
        case .failed(.refused(let error)): .failure(GatewayError(error))
        case .failed(.over): .failure(CancellationError())
        }
    }
}
