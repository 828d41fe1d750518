import Dispatch
import Locking
import Networking
import Rx

/// Hands pieces from the task that makes them to a reader. One piece waits at most, but a short body waits
/// for its end.
///
/// A body of a known length of at most `PassedResponse.whole` begins once it is whole, at most
/// `PassedResponse.headWait` after its first piece. So whatever fails before can still be answered with an
/// error.
final class PieceChannel: PieceSource {
    /// How a body begins.
    enum Start {
        /// The first piece can be read.
        case pieces
        /// The body has ended without a piece, which can be read.
        case empty
        /// Nothing has to be read.
        case whole(ArraySlice<UInt8>)
        case failure(any Error)
    }

    fileprivate struct State {
        /// Pieces that nobody has taken yet.
        var waiting = PieceBuffer()
        /// Bytes of all pieces.
        var count = 0
        /// Bytes that wait for the task, to be sent after its piece.
        var ahead = 0
        /// The task that waits until its piece is taken.
        var sender: CheckedContinuation<Void, any Error>?
        var task: Task<Void, Never>?
        /// Called when a piece waits.
        var onUnread: (@Sendable () -> Void)?
        /// Nil once it has been called.
        var onStart: (@Sendable (Start) -> Void)?
        /// Whether pieces are kept until the body is whole.
        var isHolding: Bool
        /// How long at most. Asked once, at the first piece.
        var longestHold: (@Sendable () -> RxTimeInterval)?
        /// The end of that time.
        var timer: TimerToken?
        var isCancelled = false
    }

    private let length: Int?
    private let scheduler: any SchedulerType
    private let state: Lock<State>

    /// - Parameter length: the bytes of all pieces; nil if it is not known. If it is not met, the body ends
    ///   with an `EndpointFault`.
    init(length: Int?, on scheduler: any SchedulerType) {
        self.length = length
        self.scheduler = scheduler
        let isShort = length.map { $0 <= PassedResponse.whole } ?? false
        state = Lock(State(isHolding: isShort))
    }

    /// Sets what is called once, when the body begins, and how long a short body may wait for its end.
    func onStart(
        holding longestHold: @escaping @Sendable () -> RxTimeInterval,
        _ start: @escaping @Sendable (Start) -> Void
    ) {
        state.withLock { state in
            state.onStart = start
            if state.isHolding { state.longestHold = longestHold }
        }
    }

    /// Begins after this time at the latest, even without a piece. Call it once, after `onStart`, for a body
    /// of unknown length.
    func begin(within time: RxTimeInterval) {
        let timer = scheduler.setTimer(after: time, target: self)
        let isUnneeded = state.withLock { state in
            if state.onStart != nil { state.timer = timer }
            return state.onStart == nil
        }
        if isUnneeded { scheduler.cancelTimer(timer) }
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

    /// Returns once the piece is taken or held. Throws `CancellationError` if nobody will take it, and an
    /// `EndpointFault` if the body exceeds its length.
    func send(_ piece: ArraySlice<UInt8>) async throws {
        let happensBefore = HappensBeforeEdge()
        defer { happensBefore.acquire() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                switch state.withLock({ $0.sent(piece, by: continuation, length) }) {
                case .cancelled: continuation.resume(throwing: CancellationError())
                case .tooLong:
                    continuation.resume(throwing: EndpointFault("a stream exceeds its \(length ?? 0) bytes"))
                case .held(let isFirst):
                    if isFirst { setTimer() }
                    happensBefore.release()
                    continuation.resume()
                case .taken(let receiver):
                    receiver(.success(piece))
                    happensBefore.release()
                    continuation.resume()
                case .waits:
                    beginWithPieces()
                    state.withLock { $0.onUnread }?()
                }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Counts a piece that waits for the task. If others wait already, the client is slow, and the reader
    /// counts what waits for it.
    ///
    /// - Throws: `StreamAhead` if more than `limit` bytes wait. A single piece may have any size.
    func pieceWaits(_ count: Int, limit: Int) throws(StreamAhead) {
        let (before, report) = state.withLock { state in
            defer { state.ahead += count }
            return (state.ahead, state.ahead > 0 ? state.onUnread : nil)
        }
        if before > 0, before + count > limit { throw StreamAhead(limit: limit) }
        report?()
    }

    /// The task has taken a piece that waited.
    func pieceTaken(_ count: Int) { state.withLock { $0.ahead -= count } }

    /// Returns the error that breaks off a body that has begun and that somebody still wants.
    func finish(_ end: Result<Void, any Error>) -> (any Error)? {
        var end = end
        let (receiver, beginning, held, isEmpty, isCancelled) = state.withLock { state in
            if case .success = end, let length, state.count < length {
                end = .failure(EndpointFault("a stream has \(state.count) of its \(length) bytes"))
            }
            let held = state.takeHeld()
            return (state.waiting.finish(end), state.begin(), held, state.count == 0, state.isCancelled)
        }
        receiver?(end.map { nil })
        switch end {
        case .success: begin(held.map { .whole($0) } ?? (isEmpty ? .empty : .pieces), beginning)
        case .failure(let error):
            begin(.failure(error), beginning)
            if beginning.onStart == nil, !isCancelled { return error }
        }
        return nil
    }

    private func begin(_ start: Start, _ beginning: State.Beginning) {
        if let timer = beginning.timer { scheduler.cancelTimer(timer) }
        beginning.onStart?(start)
    }

    private func beginWithPieces() { begin(.pieces, state.withLock { $0.begin() }) }

    private func setTimer() {
        guard let longestHold = state.withLock({ $0.longestHold.take() }) else { return }
        let timer = scheduler.setTimer(after: longestHold(), target: self)
        let isUnneeded = state.withLock { state in
            if state.isHolding { state.timer = timer }
            return !state.isHolding
        }
        if isUnneeded { scheduler.cancelTimer(timer) }
    }

    // MARK: The reader's side

    var unreadByteCount: Int { state.withLock { $0.waiting.byteCount + $0.ahead } }

    func onUnread(_ report: @escaping @Sendable () -> Void) { state.withLock { $0.onUnread = report } }

    func read(_ receive: @escaping PieceReceiver) {
        let (piece, sender) = state.withLock { state in
            let piece = state.waiting.read(receive)
            return (piece, state.waiting.isEmpty ? state.sender.take() : nil)
        }
        // The next piece can be made while this one is sent.
        sender?.resume()
        if let piece { receive(piece) }
    }

    func cancel() {
        let (task, sender, receiver, timer) = state.withLock { state in
            state.isCancelled = true
            return (state.task.take(), state.sender.take(), state.waiting.cancel(), state.begin().timer)
        }
        if let timer { scheduler.cancelTimer(timer) }
        task?.cancel()
        sender?.resume(throwing: CancellationError())
        receiver?(.failure(CancellationError()))
    }
}

extension PieceChannel: TimerTarget {
    /// The body is not whole yet, or has no piece yet.
    func timerFired(_ token: TimerToken) { beginWithPieces() }
}

extension PieceChannel.State {
    enum Sent {
        case cancelled
        case tooLong
        case held(isFirst: Bool)
        case taken(PieceReceiver)
        case waits
    }

    /// Who has to be told that the body begins; nil if that was done. And the timer to cancel.
    typealias Beginning = (onStart: (@Sendable (PieceChannel.Start) -> Void)?, timer: TimerToken?)

    mutating func sent(
        _ piece: ArraySlice<UInt8>, by sender: CheckedContinuation<Void, any Error>, _ length: Int?
    ) -> Sent {
        if isCancelled { return .cancelled }
        count += piece.count
        if let length, count > length { return .tooLong }
        let isFirst = waiting.isEmpty
        if let receiver = waiting.received(piece) { return .taken(receiver) }
        if isHolding { return .held(isFirst: isFirst) }
        self.sender = sender
        return .waits
    }

    /// Removes and returns the pieces of a body that is still held; nil for any other body.
    mutating func takeHeld() -> ArraySlice<UInt8>? {
        isHolding ? waiting.takeAll() : nil
    }

    mutating func begin() -> Beginning {
        isHolding = false
        longestHold = nil
        return (onStart.take(), timer.take())
    }
}
