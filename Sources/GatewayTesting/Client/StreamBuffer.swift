import HTTPModel
import Locking
import Rx

/// Buffers a response between the loop or clock on which it arrives and the task that reads it.
final class StreamBuffer: Sendable {
    private enum Event: Sendable {
        case head(HTTPResponseHead)
        case piece(ArraySlice<UInt8>)
        case end((any Error)?)
    }

    private struct State: Sendable {
        var buffered = 0
        var received = 0
        var isPaused = false
        var resume: (@Sendable () -> Void)?
        /// Set by the task that reads, at the end.
        var end: Result<Void, any Error>?
    }

    /// Bytes that wait to be read, beyond which the client stops reading.
    private static let most = 256 * 1024

    private let events = Mailbox<Event>()
    private let state = Lock(State())
    private let call = SingleAssignmentDisposable()

    // MARK: - Arrival

    func began(_ call: any Disposable) { self.call.setDisposable(call) }

    func began(_ head: HTTPResponseHead, resume: (@Sendable () -> Void)? = nil) {
        state.withLock { $0.resume = resume }
        events.put(.head(head))
    }

    /// Returns whether more is wanted now; if not, `resume` is called later.
    func received(_ piece: ArraySlice<UInt8>) -> Bool {
        let isPaused = state.withLock { state in
            state.received += piece.count
            state.buffered += piece.count
            state.isPaused = state.buffered >= Self.most
            return state.isPaused
        }
        events.put(.piece(piece))
        return !isPaused
    }

    func ended() { events.put(.end(nil)) }

    /// The call failed: before the head with `error` itself, later with a `BrokenStream`.
    func failed(_ error: any Error) { events.put(.end(error)) }

    func failed(_ reason: FailureReason, _ detail: String) {
        let received = state.withLock { $0.received }
        failed(BrokenStream(reason: reason, detail: detail, received: received))
    }

    // MARK: - Reading

    func leave() {
        call.dispose()
        events.put(.end(CancellationError()))
    }

    func head() async throws -> HTTPResponseHead {
        while true {
            switch await event() {
            case .head(let head): return head
            case .piece: continue
            case .end(let error):
                throw error ?? BrokenStream(reason: .protocolError, detail: "no head", received: 0)
            }
        }
    }

    func next() async throws -> ArraySlice<UInt8>? {
        if let end = state.withLock({ $0.end }) {
            try end.get()
            return nil
        }
        while true {
            switch await event() {
            case .head: continue
            case .piece(let piece):
                let resume = state.withLock { state in
                    state.buffered -= piece.count
                    guard state.isPaused, state.buffered < Self.most / 2 else {
                        return nil as (@Sendable () -> Void)?
                    }
                    state.isPaused = false
                    return state.resume
                }
                resume?()
                return piece
            case .end(let error):
                state.withLock { $0.end = error.map { .failure($0) } ?? .success(()) }
                if let error { throw error }
                return nil
            }
        }
    }

    private func event() async -> Event {
        await withTaskCancellationHandler {
            await events.take()
        } onCancel: {
            leave()
        }
    }
}
