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
        /// Nil once a refusal of the body is counted.
        private var counters: RequestCounters?

        init(_ reader: InboundBodyReader, _ counters: RequestCounters) {
            self.reader = reader
            self.counters = counters
        }

        func read(limit: Int, _ receive: @escaping PieceReceiver) {
            reader.read { [self] piece in
                if case .failed(.refused(let error)) = piece { counters.take()?.count(error) }
                receive(piece.result(limit: limit))
            }
        }
    }

    private let feed: LoopBound<Feed>
    private let memory: BodyMemory
    private let client: AddressPrefix
    /// The endpoint's limit, for the error beyond it.
    private let limit: Int

    /// Call it on `loop`.
    ///
    /// - Parameter counters: count a refusal of the body.
    init(
        _ reader: InboundBodyReader, from client: AddressPrefix, limit: Int, _ counters: RequestCounters,
        loop: EventLoop
    ) {
        self.client = client
        memory = reader.memory
        feed = LoopBound(Feed(reader, counters), loop: loop)
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
        feed.read(limit: limit, receive)
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
