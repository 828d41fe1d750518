internal import EventIO
internal import HTTPModel
internal import Rx

/// One call between its start and its end, on its loop: where it stands, and the one timer for all its clocks.
///
/// A connection refers to the call that it serves and the call to its connection, the pool's line to the call that
/// waits: each is undone by `succeed`, `fail` or `cancel`, whichever comes first, and nothing happens after that.
final class ActiveCall: TimerTarget {
    private enum Place {
        /// Between two places, within one step.
        case nowhere
        case inLine(ConnectionPool<ActiveCall>.Ticket)
        case on(Connection)
        case over
    }

    /// Keeps the request, and hears of the end.
    let source: LoopSource<CallWork>
    private let pool: UpstreamPool
    // Touched by the loop's thread alone, and never across a call that leads back here.
    @exclusivity(unchecked) private var place = Place.nowhere
    @exclusivity(unchecked) private var deadlines: CallDeadlines
    @exclusivity(unchecked) private var timer: TimerToken?
    @exclusivity(unchecked) private var timerDeadline = MonotonicTime.distantFuture
    @exclusivity(unchecked) private(set) var timings: OutboundTimings
    @exclusivity(unchecked) private(set) var wasResent = false
    @exclusivity(unchecked) private var requestWasSent = false
    /// What the connection had sent when it was last looked at.
    @exclusivity(unchecked) private var bytesSent: Int64 = 0

    init(_ source: LoopSource<CallWork>, pool: UpstreamPool) {
        self.source = source
        self.pool = pool
        let now = pool.loop.now
        timings = OutboundTimings(started: now)
        let limits = pool.callLimits.with(
            firstByte: source.work.request.firstByteTimeout, total: source.work.request.totalTimeout)
        deadlines = CallDeadlines(limits: limits, started: now)
    }

    var method: HTTPMethod { source.work.request.method }

    var isOver: Bool { if case .over = place { true } else { false } }

    // MARK: What happens to it

    func joinedLine(_ ticket: ConnectionPool<ActiveCall>.Ticket) {
        place = .inLine(ticket)
        entered(.waiting)
    }

    func connectionOpens(_ connection: Connection) -> TimeAmount {
        place = .on(connection)
        entered(.connecting)
        return deadlines.connectBudget(now: pool.loop.now)
    }

    /// It has a connection, and its request goes out.
    func requestStarted(on connection: Connection, isReused: Bool) {
        place = .on(connection)
        timings.connected = pool.loop.now
        timings.isReusedConnection = isReused
        requestWasSent = true
    }

    func requestMoved(isWritten: Bool) {
        if isWritten { timings.requestWritten = pool.loop.now }
        if case .on(let connection) = place { bytesSent = connection.bytesSent }
        // A response may overtake its request.
        if timings.firstByte == nil { entered(isWritten ? .awaitingResponse : .writing) }
    }

    func bytesReceived(areFirst: Bool) {
        let now = pool.loop.now
        if areFirst { timings.firstByte = now }
        deadlines.reached(.receiving, now: now)
    }

    /// What came was not yet the whole response.
    func needsMore() { watchClock() }

    /// The connection is another's now, or nobody's.
    func leftConnection() { if !isOver { place = .nowhere } }

    /// Its connection was stale: it gets a new one.
    func isResent() { wasResent = true }

    // MARK: Its end

    func succeed(_ head: HTTPResponseHead, _ body: ArraySlice<UInt8>) {
        guard end() else { return }
        source.onLast(OutboundResponse(head: head, body: body, timings: timings))
    }

    func fail(_ reason: OutboundError.Reason, _ detail: String) {
        guard end() else { return }
        source.onError(
            OutboundError(reason: reason, detail: detail, requestWasSent: requestWasSent, timings: timings))
    }

    /// Nobody wants it any more.
    func cancel() {
        let left = place
        guard end() else { return }
        leave(left)
    }

    func timerFired(_ token: TimerToken) {
        timer = nil
        timerDeadline = .distantFuture
        noticeWriting()
        switch deadlines.verdict(now: pool.loop.now) {
        case .notYet: watchClock()
        case .failed(let reason, let detail):
            let left = place
            place = .nowhere
            leave(left)
            fail(reason, detail)
        }
    }

    // MARK: -

    private func entered(_ stage: CallDeadlines.Stage) {
        deadlines.reached(stage, now: pool.loop.now)
        watchClock()
    }

    /// Sets the timer only where what it is set for now would come too late: a deadline that moved away is seen
    /// when the timer fires.
    private func watchClock() {
        let next = deadlines.next
        guard !isOver, next < timerDeadline else { return }
        if let timer { pool.loop.cancelTimer(timer) }
        timer = pool.loop.setTimer(at: next, target: self)
        timerDeadline = next
    }

    /// The stream tells only the end of writing, so progress is looked for when its time is over.
    private func noticeWriting() {
        guard deadlines.isWriting, case .on(let connection) = place else { return }
        guard connection.bytesSent > bytesSent else { return }
        bytesSent = connection.bytesSent
        deadlines.reached(.writing, now: pool.loop.now)
    }

    private func leave(_ place: Place) {
        switch place {
        case .nowhere, .over: break
        case .inLine(let ticket): pool.callLeftLine(ticket)
        case .on(let connection): connection.abandon()
        }
    }

    private func end() -> Bool {
        if isOver { return false }
        place = .over
        timings.finished = pool.loop.now
        if let timer { pool.loop.cancelTimer(timer) }
        timer = nil
        return true
    }
}
