import Locking
package import Networking

/// The body of an answer that is sent piece by piece. Iterate once, in one task. Releasing it, or cancelling the task that reads it,
/// cancels the work that makes it.
public final class AnswerStream: AsyncSequence, Sendable {
    public typealias Element = ArraySlice<UInt8>

    /// The number of bytes; nil if it is not known.
    public let length: Int?
    /// How long a piece may take while the client is ready for it.
    package let gap: Duration
    private let source: any PieceSource

    init(_ source: any PieceSource, length: Int?, gap: Duration) {
        self.source = source
        self.length = length
        self.gap = gap
    }

    deinit { source.cancel() }

    /// Calls `receiver` once with the next piece, nil at the end, or the error that ends the body early. At most one read at a time.
    package func read(_ receiver: @escaping @Sendable (Result<ArraySlice<UInt8>?, any Error>) -> Void) {
        source.read(receiver)
    }

    package func cancel() { source.cancel() }

    /// Passes the pieces of an upstream's response to `sink` as they arrive, in place of `read`. Returns what pauses them; nil for any
    /// other body, which has to be read.
    package func relay(to sink: any PieceSink) -> (any FlowControl)? { (source as? Relay)?.relay(to: sink) }

    public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    /// Iterates over the pieces.
    public struct Iterator: AsyncIteratorProtocol {
        let stream: AnswerStream

        public mutating func next() async throws -> ArraySlice<UInt8>? {
            let stream = stream
            let happensBefore = HappensBeforeEdge()
            defer { happensBefore.acquire() }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    stream.read { piece in
                        happensBefore.release()
                        continuation.resume(with: piece)
                    }
                }
            } onCancel: {
                stream.cancel()
            }
        }
    }
}

/// Where the pieces of an answer come from.
protocol PieceSource: AnyObject, Sendable {
    /// Calls `receiver` once with the next piece, nil at the end, or the error that ends the body early.
    func read(_ receiver: @escaping @Sendable (Result<ArraySlice<UInt8>?, any Error>) -> Void)
    func cancel()
}

/// Makes the pieces of an answer: a task that sends each and waits until it is taken.
final class StreamSource: Sendable {
    let length: Int?
    let work: @Sendable (PieceChannel) async throws -> Void

    init(length: Int?, _ work: @escaping @Sendable (PieceChannel) async throws -> Void) {
        self.length = length
        self.work = work
    }
}

/// Hands pieces from the task that makes them to a reader. At most one piece waits.
final class PieceChannel: PieceSource {
    typealias Receiver = @Sendable (Result<ArraySlice<UInt8>?, any Error>) -> Void

    private struct State {
        var waiting: ArraySlice<UInt8>?
        /// The end of the body, once the waiting piece is taken.
        var end: Result<Void, any Error>?
        var receiver: Receiver?
        /// The task that waits until its piece is taken.
        var sender: CheckedContinuation<Void, any Error>?
        var task: Task<Void, Never>?
        /// Nil once it has been called.
        var onFirst: (@Sendable (Result<Void, any Error>) -> Void)?
        var isCancelled = false
    }

    private let state = Lock(State())

    /// Sets what is called once, when the first piece or the end is there.
    func onFirst(_ first: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        state.withLock { $0.onFirst = first }
    }

    /// Keeps the task that makes the pieces, to cancel it.
    func keep(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    // MARK: The task's side

    /// Returns once the piece is taken. Throws `CancellationError` if nobody will take it.
    func send(_ piece: ArraySlice<UInt8>) async throws {
        let happensBefore = HappensBeforeEdge()
        defer { happensBefore.acquire() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (receiver, isCancelled) = state.withLock { state -> (Receiver?, Bool) in
                    if state.isCancelled { return (nil, true) }
                    if let receiver = state.receiver.take() { return (receiver, false) }
                    state.waiting = piece
                    state.sender = continuation
                    return (nil, false)
                }
                if isCancelled { return continuation.resume(throwing: CancellationError()) }
                if let receiver {
                    receiver(.success(piece))
                    happensBefore.release()
                    continuation.resume()
                } else {
                    begin(.success(()))
                }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Returns whether an error breaks off a body that has begun, and that somebody still wants.
    @discardableResult
    func finish(_ end: Result<Void, any Error>) -> Bool {
        let (receiver, hasBegun, isCancelled) = state.withLock { state in
            state.end = end
            return (state.receiver.take(), state.onFirst == nil, state.isCancelled)
        }
        receiver?(end.map { nil })
        begin(end)
        return hasBegun && !isCancelled
    }

    private func begin(_ first: Result<Void, any Error>) {
        let onFirst = state.withLock { $0.onFirst.take() }
        onFirst?(first)
    }

    // MARK: The reader's side

    func read(_ receiver: @escaping Receiver) {
        enum Next {
            case piece(ArraySlice<UInt8>, CheckedContinuation<Void, any Error>?)
            case end(Result<Void, any Error>)
            case later
        }
        let next = state.withLock { state -> Next in
            if let piece = state.waiting.take() { return .piece(piece, state.sender.take()) }
            if let end = state.end { return .end(end) }
            if state.isCancelled { return .end(.failure(CancellationError())) }
            state.receiver = receiver
            return .later
        }
        switch next {
        case .piece(let piece, let sender):
            // The next piece can be made while this one is sent.
            sender?.resume()
            receiver(.success(piece))
        case .end(let end): receiver(end.map { nil })
        case .later: break
        }
    }

    func cancel() {
        let (task, sender, receiver) = state.withLock { state in
            state.isCancelled = true
            state.waiting = nil
            state.onFirst = nil
            return (state.task.take(), state.sender.take(), state.receiver.take())
        }
        task?.cancel()
        sender?.resume(throwing: CancellationError())
        receiver?(.failure(CancellationError()))
    }
}
