import Locking
import Networking
import TestWaiting

@testable import GatewayCore

/// A body whose pieces a test gives one by one.
final class StubBody: PieceSource {
    typealias Piece = Result<ArraySlice<UInt8>?, any Error>

    private struct State {
        var pieces: [Piece] = []
        var receiver: PieceReceiver?
        var isCancelled = false
        var waiting: [DeadlineContinuation<Void>] = []
    }

    private let state = Lock(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Gives pieces, which are read later if nobody reads now.
    func give(_ pieces: Piece...) {
        state.withLock { $0.pieces += pieces }
        deliver()
    }

    /// Returns once a read is pending.
    func isAwaited(file: String = #fileID, line: Int = #line) async throws {
        try await withDeadline("no read is pending", file: file, line: line) { continuation in
            let isPending = state.withLock { state in
                if state.receiver == nil { state.waiting.append(continuation) }
                return state.receiver != nil
            }
            if isPending { continuation.resume() }
        }
    }

    func read(_ receive: @escaping PieceReceiver) {
        state.withLock { $0.receiver = receive }
        deliver()
        let waiting = state.withLock { state in
            guard state.receiver != nil else { return [DeadlineContinuation<Void>]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            // It may own the body.
            state.receiver = nil
        }
    }

    private func deliver() {
        let next: (piece: Piece, receive: PieceReceiver)? = state.withLock { state in
            guard let receive = state.receiver, !state.pieces.isEmpty else { return nil }
            state.receiver = nil
            return (state.pieces.removeFirst(), receive)
        }
        if let next { next.receive(next.piece) }
    }
}
