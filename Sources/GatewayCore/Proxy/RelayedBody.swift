import Locking
import Networking

/// The body of a client's request on its way to an upstream.
final class RelayedBody: ArrivingBody {
    private struct State {
        var hasBegun = false
        var isClosed = false
        var failure: (any Error)?
    }

    let length: Int64?
    let expectsContinue: Bool
    private let source: any PieceSource
    private let state = Lock(State())
    /// Called when the client's body is wanted, and when it is complete.
    private let uploads: @Sendable (_ isUploading: Bool) -> Void

    init(
        _ source: any PieceSource, length: Int64?, expectsContinue: Bool,
        uploads: @escaping @Sendable (_ isUploading: Bool) -> Void
    ) {
        self.source = source
        self.length = length
        self.expectsContinue = expectsContinue
        self.uploads = uploads
    }

    /// Whether some of the body was asked for, so that it cannot be sent again.
    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Why the body did not arrive; nil if it did.
    var failure: (any Error)? { state.withLock { $0.failure } }

    func read(_ receive: @escaping PieceReceiver) {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if isFirst { uploads(true) }
        source.read { [self] piece in
            switch piece {
            case .success(nil): cancel()
            case .success: break
            case .failure(let error): state.withLock { $0.failure = error }
            }
            receive(piece)
        }
    }

    func cancel() {
        let wasOpen = state.withLock { state in
            defer { state.isClosed = true }
            return state.hasBegun && !state.isClosed
        }
        guard wasOpen else { return }
        source.cancel()
        uploads(false)
    }
}
