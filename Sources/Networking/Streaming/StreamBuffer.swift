import HTTPModel
import Locking
@_spi(Demand) import Rx

/// The part of a streamed body that has arrived and is unread.
final class StreamBuffer: CallObserver {
    /// Bytes at which the upstream is paused.
    static var highWatermark: Int { 256 << 10 }
    /// Bytes at which the upstream is resumed.
    private static var lowWatermark: Int { 64 << 10 }

    private struct State {
        var head: TransportResponse?
        var failure: (any Error)?
        var headReader: CheckedContinuation<TransportResponse, any Error>?
        var call: (any Disposable)?
        var isCancelled = false
    }

    private let state = Lock(State())
    private let pieces = ValuesBuffer<ArraySlice<UInt8>>(
        highWatermark: highWatermark, lowWatermark: lowWatermark
    ) { $0.count }

    // MARK: - The call

    func began(_ call: any Disposable) {
        let isCancelled = state.withLock { state in
            state.call = call
            return state.isCancelled
        }
        if isCancelled { call.dispose() }
    }

    /// True from the head on, because the rest of the body must belong to it.
    var hasBegun: Bool { state.withLock { $0.head != nil } }

    func callStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm {
        guard head.status.isSuccess else { return .whole }
        pieces.demand.hold(flow)
        deliver(head)
        return .pieces
    }

    private func deliver(_ head: TransportResponse) {
        let reader = state.withLock { state in
            state.head = head
            return state.headReader.take()
        }
        reader?.resume(returning: head)
    }

    func callReceived(_ piece: UnsafeRawBufferPointer) {
        guard !piece.isEmpty else { return }
        pieces.send(ArraySlice(piece))
    }

    func ended(with response: Response) {
        do {
            let response = try response.checkStatusCode()
            // A success that was not streamed: the target accepts the status, or a plugin created the response.
            if state.withLock({ $0.head == nil }) {
                if !response.data.isEmpty { pieces.send(response.data) }
                deliver(response.raw)
            }
            pieces.end(.success(()))
        } catch {
            failed(error)
        }
    }

    func failed(_ error: any Error) {
        let reader = state.withLock { state in
            state.failure = error
            return state.headReader.take()
        }
        reader?.resume(throwing: error)
        pieces.end(.failure(error))
    }

    // MARK: - The reader

    func head() async throws -> TransportResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Result<TransportResponse, any Error>? in
                    if let head = state.head { return .success(head) }
                    if let failure = state.failure { return .failure(failure) }
                    if state.isCancelled { return .failure(CancellationError()) }
                    state.headReader = continuation
                    return nil
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Returns the next piece; nil at the end.
    func next() async throws -> ArraySlice<UInt8>? {
        try await withTaskCancellationHandler {
            try await pieces.next()
        } onCancel: {
            cancel()
        }
    }

    private func cancel() {
        let (call, reader) = state.withLock { state in
            state.isCancelled = true
            return (state.call, state.headReader.take())
        }
        call?.dispose()
        reader?.resume(throwing: CancellationError())
        pieces.cancel()
    }
}

extension Demand {
    /// Also pauses a response's body while there is no demand.
    func hold(_ flow: any FlowControl) {
        hold(Demand.Source(pause: { flow.pause() }, resume: { flow.resume() }))
    }
}
