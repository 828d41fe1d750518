import Locking
import Networking

/// The position in a request's body, which its only reader moves.
final class BodyCursor: Sendable {
    private typealias Piece = Result<ArraySlice<UInt8>?, any Error>

    private enum Progress {
        /// Nothing has been read of a body in memory.
        case buffered(ArraySlice<UInt8>)
        /// No read is pending.
        case idle
        case reading(UnsafeContinuation<Piece, Never>)
        /// The body gives nothing but this any more.
        case over(Piece)
    }

    private struct State {
        var progress: Progress
        var isClaimed = false
        /// Nil until a reader collects some of the body, unless that is in memory and large.
        var memory: (any RequestMemory)?
    }

    private enum Action {
        case resume(Piece)
        case read
    }

    /// Nil for a body in memory.
    private let source: (any PieceSource)?
    private let state: Lock<State>

    init(_ body: ArraySlice<UInt8>, memory: (any RequestMemory)? = nil) {
        source = nil
        state = Lock(State(progress: body.isEmpty ? .over(.success(nil)) : .buffered(body), memory: memory))
    }

    init(_ source: any PieceSource) {
        self.source = source
        state = Lock(State(progress: .idle))
    }

    /// Takes the body for a reader. Throws if there was another one.
    func claim() throws {
        let wasClaimed = state.withLock { state in
            defer { state.isClaimed = true }
            return state.isClaimed
        }
        if wasClaimed { throw EndpointFault("the body of a request was read twice") }
    }

    /// Nil for a body in memory.
    var counted: (any CountedSource)? { source as? any CountedSource }

    /// Charges bytes that a reader collects. They count until the request is freed. Throws if the memory for
    /// bodies is full.
    func collect(_ count: Int) throws(GatewayError) {
        let memory = state.withLock { state in
            if state.memory == nil { state.memory = counted?.makeMemory() }
            return state.memory
        }
        if let memory, !memory.grow(by: count) { throw .overloaded }
    }

    /// The body for a reader that needs no task.
    enum Claimed {
        case bytes(ArraySlice<UInt8>)
        case source(any PieceSource)
    }

    /// Takes the body for a reader that needs no task. Throws if there was another one.
    func claimSource() throws -> Claimed {
        try claim()
        if let source { return .source(source) }
        return state.withLock { state in
            guard case .buffered(let bytes) = state.progress else { return .bytes([]) }
            state.progress = .over(.success(nil))
            return .bytes(bytes)
        }
    }

    /// Returns the next piece; nil at the end. Ends the body if the task is cancelled.
    func next() async throws -> ArraySlice<UInt8>? {
        let happensBefore = HappensBeforeEdge()
        let piece = await withTaskCancellationHandler {
            defer { happensBefore.acquire() }
            return await withUnsafeContinuation { begin($0, happensBefore) }
        } onCancel: {
            cancel(happensBefore)
        }
        return try piece.get()
    }

    private func begin(
        _ continuation: UnsafeContinuation<Piece, Never>, _ happensBefore: HappensBeforeEdge
    ) {
        let action: Action = state.withLock { state in
            switch state.progress {
            case .buffered(let bytes):
                state.progress = .over(.success(nil))
                return .resume(.success(bytes))
            case .idle:
                state.progress = .reading(continuation)
                return .read
            case .reading:
                return .resume(.failure(EndpointFault("two tasks read the body of a request at once")))
            case .over(let piece):
                return .resume(piece)
            }
        }
        switch action {
        case .resume(let piece): continuation.resume(returning: piece)
        case .read: source?.read { [self] in received($0, happensBefore) }
        }
    }

    private func received(_ piece: Piece, _ happensBefore: HappensBeforeEdge) {
        let waiting: UnsafeContinuation<Piece, Never>? = state.withLock { state in
            guard case .reading(let continuation) = state.progress else { return nil }
            if case .success(_?) = piece { state.progress = .idle } else { state.progress = .over(piece) }
            return continuation
        }
        happensBefore.release()
        waiting?.resume(returning: piece)
    }

    private func cancel(_ happensBefore: HappensBeforeEdge) {
        let cancelled = Piece.failure(CancellationError())
        let waiting: UnsafeContinuation<Piece, Never>? = state.withLock { state in
            defer { if case .over = state.progress {} else { state.progress = .over(cancelled) } }
            guard case .reading(let continuation) = state.progress else { return nil }
            return continuation
        }
        source?.cancel()
        happensBefore.release()
        waiting?.resume(returning: cancelled)
    }
}
