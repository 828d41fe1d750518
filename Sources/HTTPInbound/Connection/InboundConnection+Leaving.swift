internal import EventIO
internal import HTTPModel
internal import Timers

/// What the server tells its connections.
extension InboundConnection: ClientConnection {
    func drainAnnounced() { state.drainAnnounced() }

    func listenerClosed(at now: MonotonicTime) {
        state.listenerClosed(at: now)
        settle()
    }

    /// Finishes at a random moment, so that not all clients come back at once.
    func clientPolicyChanged() {
        let time = server.retirementTime
        retire(after: TimeAmount(nanoseconds: .random(in: 0...time.nanoseconds * 9 / 10)))
    }

    /// Finishes, because an older policy has accepted its client: after this time an idle connection closes,
    /// and a busy one after its answer. What is left when `retirementTime` is over is reset.
    func retire(after time: TimeAmount = .zero) {
        guard !isRetiring else { return }
        isRetiring = true
        let retirement = Retirement(self, endsAt: now + server.retirementTime)
        _ = loop.setTimer(at: now + time, target: retirement)
    }

    /// Answers a plain request on a port that speaks TLS, whatever it asks.
    func refusePlain(_ bytes: UnsafeRawBufferPointer) {
        let failed = failedRequest(unread: bytes.count)
        _ = state.requestFailed()
        refuse(.plainRequest(), failed)
        settle()
    }
}

/// Ends a connection, first gently and then in any case.
private final class Retirement: TimerTarget {
    private weak var connection: InboundConnection?
    private let endsAt: MonotonicTime
    private var hasBegun = false

    init(_ connection: InboundConnection, endsAt: MonotonicTime) {
        self.connection = connection
        self.endsAt = endsAt
    }

    func timerFired(_ token: TimerToken) {
        guard let connection, connection.isOpen else { return }
        if hasBegun { return connection.end(.reset, .drain) }
        hasBegun = true
        _ = connection.loop.setTimer(at: endsAt, target: self)
        connection.listenerClosed(at: connection.now)
    }
}
