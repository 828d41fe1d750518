public import HTTPModel
import Locking
public import Rx

/// One attempt of a call, for the access log and for the timeline that a request may ask for.
///
/// Public through the SPI `Records`, as `RecordedCall` is.
@_spi(Records)
public struct CallAttempt: Sendable {
    /// When it began, on the clock of calls.
    public let began: RxTime
    /// Nil if the attempt is in progress.
    public fileprivate(set) var ended: RxTime?
    /// The address of its connection, or of its proxy; nil if none was chosen.
    public fileprivate(set) var address: PeerAddress?
    /// Nil if the attempt had no connection, or if the request records no timeline.
    package fileprivate(set) var connection: RequestTimeline.Connection?
    /// Nanoseconds from its beginning until it had the connection and began to send the request. Only for a
    /// timeline.
    package fileprivate(set) var sent: Int64?
    /// Nanoseconds from its beginning to the first byte of a response. Only for a timeline.
    package fileprivate(set) var firstByte: Int64?
    /// The status of a complete response.
    package fileprivate(set) var status: Int?
    /// Why the attempt failed. If status and reason are nil, it was cancelled or is in progress.
    package fileprivate(set) var reason: FailureReason?
    /// See `RecordedCall.detail`.
    package fileprivate(set) var detail: String?

    fileprivate init(at time: RxTime) { began = time }

    fileprivate mutating func end(
        at time: RxTime, _ address: PeerAddress?, _ result: Result<HTTPStatus, TransportError>?
    ) {
        guard ended == nil else { return }
        ended = max(time, began)
        self.address = address
        switch result {
        case .success(let status):
            self.status = status.code
            reason = status.code >= 400 ? .upstreamStatus : nil
        case .failure(let error):
            reason = error.reason
            detail = error.message
        case nil: break
        }
    }

    fileprivate mutating func use(_ connection: RequestTimeline.Connection, sent: Int64?, firstByte: Int64?) {
        // If this attempt is over, the caller means another one, which is not in the log.
        guard ended == nil else { return }
        self.connection = connection
        // In whole microseconds, as all times are.
        if let sent { self.sent = max(0, sent) / 1000 * 1000 }
        if let firstByte { self.firstByte = max(0, firstByte) / 1000 * 1000 }
    }

    /// Nanoseconds from its beginning to its end; nil if it is in progress. Not less than `sent` and
    /// `firstByte`.
    package var elapsed: Int64? {
        ended.map { max($0.nanoseconds(since: began), firstByte ?? sent ?? 0) }
    }
}

/// The attempts of one call: the only record of them, from which both the access log and the timeline are
/// written.
///
/// It exists from the first retry on, or from the start in a request that records a timeline: nearly all
/// calls have none. Any thread may record.
final class AttemptLog: Sendable {
    /// Maximum number of attempts in the log. Further attempts are counted.
    static let limit = 64

    private struct State: Sendable {
        var attempts: [CallAttempt] = []
        var omitted = 0
    }

    private let state = Lock(State())

    func began(at time: RxTime) {
        state.withLock { state in
            guard state.attempts.count < Self.limit else {
                state.omitted += 1
                return
            }
            state.attempts.append(CallAttempt(at: time))
        }
    }

    /// Records the end of the attempt in progress, if there is one.
    ///
    /// - Parameter result: nil if it was cancelled.
    func ended(at time: RxTime, _ address: PeerAddress?, _ result: Result<HTTPStatus, TransportError>?) {
        change { $0.end(at: time, address, result) }
    }

    /// Records the connection of the attempt in progress.
    func used(_ connection: RequestTimeline.Connection, sent: Int64?, firstByte: Int64?) {
        change { $0.use(connection, sent: sent, firstByte: firstByte) }
    }

    /// Forgets the attempt in progress, because the circuit opened before it and refused it.
    func refused() {
        state.withLock { if $0.attempts.last?.ended == nil { _ = $0.attempts.popLast() } }
    }

    private func change(_ change: (inout CallAttempt) -> Void) {
        state.withLock { state in
            guard let last = state.attempts.indices.last else { return }
            change(&state.attempts[last])
        }
    }

    var attempts: [CallAttempt] { all.attempts }

    /// The attempts, and how many the log omits.
    var all: (attempts: [CallAttempt], omitted: Int) { state.withLock { ($0.attempts, $0.omitted) } }
}
