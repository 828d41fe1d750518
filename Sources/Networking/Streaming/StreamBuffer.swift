import Locking

/// Buffers a response between the loop or clock on which it arrives and the task that reads it.
package final class StreamBuffer<Head: Sendable>: Sendable {
    /// Bytes at which the sender is paused.
    package static var highWatermark: Int { 256 << 10 }
    /// Bytes at which the sender is resumed.
    private static var lowWatermark: Int { 64 << 10 }

    private struct State {
        var head: Head?
        var headReader: CheckedContinuation<Head, any Error>?
        var pieces = PieceBuffer()
        /// Bytes that have arrived, read or not.
        var received = 0
        /// Why the response ended early.
        var failure: (any Error)?
        var pause: (@Sendable () -> Void)?
        var resume: (@Sendable () -> Void)?
        var isPaused = false
        var cancel: (@Sendable () -> Void)?

        mutating func takeResume() -> (@Sendable () -> Void)? {
            guard isPaused, pieces.byteCount <= lowWatermark else { return nil }
            isPaused = false
            return resume
        }
    }

    private let state = Lock(State())

    package init() {}

    // MARK: - The sender

    /// - Parameter cancel: ends the call, if the reader cancels.
    package func began(cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            state.cancel = cancel
            return state.failure is CancellationError
        }
        if isCancelled { cancel() }
    }

    package var isCancelled: Bool { state.withLock { $0.failure is CancellationError } }
    package var hasHead: Bool { state.withLock { $0.head != nil } }
    package var receivedCount: Int { state.withLock { $0.received } }

    /// - Parameters:
    ///   - pause: called for each piece that arrives while many bytes wait. It sends none before it returns.
    ///   - resume: called once the reader has caught up.
    package func began(
        _ head: Head, pause: (@Sendable () -> Void)? = nil, resume: (@Sendable () -> Void)? = nil
    ) {
        let reader = state.withLock { state in
            state.head = head
            state.pause = pause
            state.resume = resume
            return state.headReader.take()
        }
        reader?.resume(returning: head)
    }

    /// Returns whether more is wanted now; if not, `resume` is called later.
    @discardableResult
    package func received(_ piece: ArraySlice<UInt8>) -> Bool {
        let (reader, isPaused) = state.withLock { state in
            state.received += piece.count
            let reader = state.pieces.received(piece)
            if state.pieces.byteCount >= Self.highWatermark {
                state.isPaused = true
                // Under the lock. A reader that catches up meanwhile resumes the sender after it; if that
                // comes late, the next piece pauses it again.
                state.pause?()
            }
            return (reader, state.isPaused)
        }
        reader?(.success(piece))
        return !isPaused
    }

    /// The response is complete, or this error ended it early.
    package func ended(_ error: (any Error)? = nil) {
        let (headReader, reader) = state.withLock { state in
            if state.failure == nil { state.failure = error }
            let reader = state.pieces.finish(error.map { .failure($0) } ?? .success(()))
            return (error == nil ? nil : state.headReader.take(), reader)
        }
        if let error { headReader?.resume(throwing: error) }
        reader?(error.map { .failure($0) } ?? .success(nil))
    }

    // MARK: - The reader

    package func head() async throws -> Head {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Result<Head, any Error>? in
                    if let head = state.head { return .success(head) }
                    if let failure = state.failure { return .failure(failure) }
                    state.headReader = continuation
                    return nil
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Returns the next piece; nil at the end. Throws `ConcurrentReadError` while another task waits for a
    /// piece.
    package func next() async throws -> ArraySlice<UInt8>? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (piece, resume) = state.withLock { state in
                    (state.pieces.read { continuation.resume(with: $0) }, state.takeResume())
                }
                resume?()
                if let piece { continuation.resume(with: piece) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the call and its reader.
    package func cancel() {
        let (cancel, headReader, reader) = state.withLock { state in
            state.failure = CancellationError()
            return (state.cancel.take(), state.headReader.take(), state.pieces.cancel())
        }
        cancel?()
        headReader?.resume(throwing: CancellationError())
        reader?(.failure(CancellationError()))
    }
}
