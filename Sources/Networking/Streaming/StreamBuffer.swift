import HTTPModel
import Locking
import Rx

/// What of a streamed body has come and was not read yet.
final class StreamBuffer: CallObserver {
    /// From so many waiting bytes on the upstream is held back...
    static var highWatermark: Int { 256 << 10 }
    /// ...until there are no more than so many.
    private static var lowWatermark: Int { 64 << 10 }

    private struct State {
        var head: TransportResponse?
        var pieces: [ArraySlice<UInt8>] = []
        /// Of the first piece that was not read.
        var first = 0
        var bytes = 0
        var hasBody = false
        var isHeldBack = false
        var flow: (any FlowControl)?
        var end: Result<Void, any Error>?
        var headReader: CheckedContinuation<TransportResponse, any Error>?
        var reader: CheckedContinuation<ArraySlice<UInt8>?, any Error>?
        var call: (any Disposable)?
        var isCancelled = false

        mutating func pop() -> ArraySlice<UInt8>? {
            guard first < pieces.count else { return nil }
            let piece = pieces[first]
            pieces[first] = []
            first += 1
            bytes -= piece.count
            if first == pieces.count {
                pieces.removeAll(keepingCapacity: true)
                first = 0
            }
            return piece
        }
    }

    private enum AfterPiece {
        case keep
        case hand(CheckedContinuation<ArraySlice<UInt8>?, any Error>)
        case holdBack(any FlowControl)
    }

    private let state = Lock(State())

    // MARK: The call

    /// What ends the call.
    func began(_ call: any Disposable) {
        let isCancelled = state.withLock { state in
            state.call = call
            return state.isCancelled
        }
        if isCancelled { call.dispose() }
    }

    var hasBody: Bool { state.withLock { $0.hasBody } }

    func callStarted(_ head: TransportResponse, flow: any FlowControl) -> BodyForm {
        guard head.status.isSuccess else { return .whole }
        let reader = state.withLock { state in
            state.head = head
            state.flow = flow
            return state.headReader.take()
        }
        reader?.resume(returning: head)
        return .pieces
    }

    func callReceived(_ piece: UnsafeRawBufferPointer) {
        guard !piece.isEmpty else { return }
        let copy = ArraySlice(piece)
        let next = state.withLock { state -> AfterPiece in
            state.hasBody = true
            if let reader = state.reader.take() { return .hand(reader) }
            state.pieces.append(copy)
            state.bytes += copy.count
            guard !state.isHeldBack, state.bytes >= Self.highWatermark, let flow = state.flow else {
                return .keep
            }
            state.isHeldBack = true
            return .holdBack(flow)
        }
        switch next {
        case .keep: break
        case .hand(let reader): reader.resume(returning: copy)
        case .holdBack(let flow): flow.pause()
        }
    }

    func ended(with response: Response) {
        do {
            try take(response.checkStatusCode())
            finish(.success(()))
        } catch {
            finish(.failure(error))
        }
    }

    /// A success that did not come as a stream: its target takes the status, or a plugin made it.
    private func take(_ response: Response) {
        let reader = state.withLock { state -> CheckedContinuation<TransportResponse, any Error>? in
            guard state.head == nil else { return nil }
            state.head = response.raw
            if !response.data.isEmpty { state.pieces.append(response.data) }
            state.bytes += response.data.count
            return state.headReader.take()
        }
        reader?.resume(returning: response.raw)
    }

    func failed(_ error: any Error) { finish(.failure(error)) }

    private func finish(_ end: Result<Void, any Error>) {
        // A success has a head, and whoever waited for it has it.
        let (headReader, reader) = state.withLock { state in
            if state.end == nil { state.end = end }
            state.flow = nil
            return (state.headReader.take(), state.reader.take())
        }
        switch end {
        case .success: reader?.resume(returning: nil)
        case .failure(let error):
            headReader?.resume(throwing: error)
            reader?.resume(throwing: error)
        }
    }

    // MARK: Its reader

    func head() async throws -> TransportResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Result<TransportResponse, any Error>? in
                    if let head = state.head { return .success(head) }
                    if case .failure(let error)? = state.end { return .failure(error) }
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

    /// The next piece; nil at the end.
    func next() async throws -> ArraySlice<UInt8>? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (known, flow) = state.withLock {
                    state -> (Result<ArraySlice<UInt8>?, any Error>?, (any FlowControl)?) in
                    if state.isCancelled { return (.failure(CancellationError()), nil) }
                    if let piece = state.pop() {
                        guard state.isHeldBack, state.bytes <= Self.lowWatermark else {
                            return (.success(piece), nil)
                        }
                        state.isHeldBack = false
                        return (.success(piece), state.flow)
                    }
                    if let end = state.end { return (end.map { nil }, nil) }
                    precondition(state.reader == nil, "a stream is read by one task")
                    state.reader = continuation
                    return (nil, nil)
                }
                flow?.resume()
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            cancel()
        }
    }

    private func cancel() {
        let (call, headReader, reader) = state.withLock { state in
            state.isCancelled = true
            return (state.call, state.headReader.take(), state.reader.take())
        }
        call?.dispose()
        headReader?.resume(throwing: CancellationError())
        reader?.resume(throwing: CancellationError())
    }
}
