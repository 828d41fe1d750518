public import EventIO
public import HTTPModel
public import Rx

/// One call between its start and its end, on its loop: where it stands, and the one timer for all its clocks.
///
/// Its subclasses are those who hear of the end, so that a call is one object, whoever makes it: make one, `start()` it
/// once, and either `succeeded` or `failed` is called once, unless `cancel()` comes first. All of it on the loop.
///
/// A connection refers to the call that it serves and the call to its connection, the pool's line to the call that
/// waits: each is undone by `succeed`, `fail` or `cancel`, whichever comes first, and nothing happens after that.
open class OutboundCall: LoopDisposable, TimerTarget, @unchecked Sendable {
    enum Place {
        /// Between two places, within one step.
        case nowhere
        case inLine(UpstreamPool, ConnectionPool<OutboundCall>.Ticket)
        case on(Connection)
        case over
    }

    /// Whether its request may be sent once more on a new connection where the one it had turns out to be stale.
    final let mayResend: Bool
    /// Whether `responseBegan` is asked how it takes the body.
    final let mayStream: Bool
    /// Whether the content codings of its response are undone.
    final let decodesContent: Bool
    // Touched by the loop's thread alone, and never across a call that leads back here.
    final var place = Place.nowhere
    final var deadlines: CallDeadlines
    /// While it waits in line; on a connection the connection's serves.
    private final var timer: TimerToken?
    private final var timerDeadline = MonotonicTime.distantFuture
    public internal(set) final var timings: OutboundTimings
    /// The address that its connection goes to, the proxy's if there is one; nil before the first attempt to connect.
    public private(set) final var address: PeerAddress?
    private(set) final var wasResent = false
    /// Something of its request went out on a connection that turned out to be stale.
    private final var wasSentBefore = false
    private final var wasSentTwice = false
    private final var requestWasSent = false
    /// What the connection had sent when it was last looked at.
    final var bytesSent: Int64 = 0
    /// What of the connection's bytes the peer had acknowledged when it was last asked.
    private final var bytesAcknowledged: Int64 = 0
    /// Whether its body is sent without asking first: the upstream answered 417 (RFC 9110 10.1.1).
    private(set) final var dropsExpectation = false
    /// Whether it takes no more of its response's body for now.
    public internal(set) final var isPaused = false

    /// Whether something of its request went out on a connection that turned out to be stale, and all of it once more.
    public final var requestWasSentTwice: Bool { wasSentTwice }

    /// A call to this upstream with the limits of an `OutboundRequest`; `total` is its `totalTimeout`. On its loop, as all
    /// that follows.
    ///
    /// - Parameters:
    ///   - mayResend: the request may be sent once more where its connection turns out to be stale: its method is idempotent
    ///     (RFC 9110 9.2.2).
    ///   - total: `.never` for a call whose body may take as long as it takes.
    ///   - mayStream: ask `responseBegan` how the body is taken. (Most calls are not asked, and are the quicker for it.)
    ///   - decodesContent: undo the content codings that are known; else the body comes as it is, with its fields.
    public init(
        to pool: borrowing UpstreamPool, mayResend: Bool, connectTimeout: Duration? = nil,
        writeTimeout: Duration? = nil, firstByteTimeout: Duration? = nil, readTimeout: Duration? = nil,
        total: TimeAmount? = nil, mayStream: Bool = false, decodesContent: Bool = true
    ) {
        self.mayResend = mayResend
        self.decodesContent = decodesContent
        self.mayStream = mayStream
        let loop = pool.loop
        let now = loop.wakeTime
        timings = OutboundTimings(started: now)
        deadlines = CallDeadlines(
            limits: pool.callLimits.with(
                pool.limits, connect: connectTimeout, write: writeTimeout, firstByte: firstByteTimeout,
                read: readTimeout, total: total),
            started: now)
        super.init(on: loop)
    }

    /// Sends the request, over the connections that it was made for. Once.
    public final func start(at pool: UpstreamPool) { pool.start(self) }

    /// Has `sink` send the request, by one call of its `send`: when a connection was found, and again where that turned out
    /// to be stale. (So that nobody keeps a request but who made it.)
    open func sendRequest(to sink: any RequestSink) {
        preconditionFailure("a call without a request")
    }

    /// The final response's head is there, of a call that was made with `mayStream`: how is its body taken? Once.
    ///
    /// - Parameter head: without Content-Encoding and Content-Length where a content coding is undone.
    open func responseBegan(_ head: HTTPResponseHead) -> BodyDelivery { .gathered }

    /// The next piece of a body that is taken in pieces, at most 64 KiB, content codings undone. None comes while it is
    /// paused.
    ///
    /// - Parameter piece: valid during the call only.
    open func bodyReceived(_ piece: UnsafeRawBufferPointer) {}

    /// So many bytes of a body that is gathered have come, content codings undone; of a call that was made with
    /// `mayStream`.
    open func bodyGathered(_ count: Int) {}

    /// So many bytes of the request's body, which goes out in pieces, the socket has taken; never fewer than before but
    /// where the request is sent again.
    open func bodySent(_ count: Int64) {}

    /// The response is whole; the body has no transfer coding any more, and no byte where it was taken in pieces.
    ///
    /// Content codings are undone, and their fields removed. The body comes as it is, and `Content-Encoding` stays, where a
    /// coding is not known, and where a failure (400 and up) that was gathered is not coded as it says.
    open func succeeded(_ head: consuming HTTPResponseHead, _ body: consuming ArraySlice<UInt8>) {}

    /// No whole response came.
    ///
    /// - Parameter detail: for a log; not for a metric label.
    open func failed(_ reason: FailureReason, _ detail: String) {}

    /// `timings` has more: the call has a connection, and its request goes out; or the first byte of a response is there.
    open func advanced() {}

    final var isOver: Bool { if case .over = place { true } else { false } }

    // MARK: What happens to it

    final func joinedLine(of pool: UpstreamPool, _ ticket: ConnectionPool<OutboundCall>.Ticket) {
        place = .inLine(pool, ticket)
        entered(.waiting, now: loop.wakeTime)
    }

    final func connectionOpens(_ connection: Connection) -> TimeAmount {
        place = .on(connection)
        let now = loop.wakeTime
        entered(.connecting, now: now)
        return deadlines.connectBudget(now: now)
    }

    /// The connection that opens for it is encrypted now.
    final func connectionSecured(_ details: TLSDetails) {
        timings.tls = OutboundTimings.TLS(
            began: details.began, finished: details.finished, version: details.version,
            isResumed: details.isResumed)
    }

    /// It has a connection, and its request goes out.
    ///
    /// - Parameter bytesBefore: sent on the connection before.
    final func requestStarted(
        on connection: Connection, isReused: Bool, bytesBefore: Int64, now: MonotonicTime
    ) {
        place = .on(connection)
        bytesAcknowledged = bytesBefore
        address = connection.address
        timings.connected = now
        timings.isReusedConnection = isReused
        requestWasSent = true
        wasSentTwice = wasSentBefore
        advanced()
    }

    final func requestMoved(isWritten: Bool, bytesSent: Int64, now: MonotonicTime) {
        if isWritten { timings.requestWritten = now }
        self.bytesSent = bytesSent
        // A response may overtake its request.
        if timings.firstByte == nil { entered(isWritten ? .awaitingResponse : .writing, now: now) }
    }

    final func bytesReceived(areFirst: Bool, now: MonotonicTime) {
        if areFirst {
            timings.firstByte = now
            advanced()
        }
        deadlines.reached(.receiving, now: now)
    }

    /// What came was not yet the whole response.
    final func needsMore() { watchClock() }

    /// The connection is another's now, or nobody's.
    final func leftConnection() {
        guard !isOver else { return }
        noteAddress()
        place = .nowhere
    }

    /// Its connection was stale, and it gets a new one.
    ///
    /// - Parameter wasSent: something of its request was handed to the kernel.
    final func isResent(wasSent: Bool) {
        wasResent = true
        wasSentBefore = wasSentBefore || wasSent
        requestWasSent = wasSent
        timings.requestWritten = nil
        timings.firstByte = nil
        address = nil
    }

    /// The upstream does not know what it was asked: its request is sent again, on a new connection and without asking.
    final func expectationFailed() {
        dropsExpectation = true
        timings.requestWritten = nil
        timings.firstByte = nil
        address = nil
    }

    /// Keeps the address being tried when the call leaves before the connection opens.
    private func noteAddress() {
        if address == nil, case .on(let connection) = place { address = connection.address }
    }

    // MARK: Its end

    final func succeed(_ head: consuming HTTPResponseHead, _ body: consuming ArraySlice<UInt8>) {
        guard end() else { return }
        succeeded(head, body)
    }

    final func fail(_ reason: FailureReason, _ detail: String) {
        guard end() else { return }
        failed(reason, detail)
    }

    /// The failure of this call, as a stream's error.
    final func error(_ reason: FailureReason, _ detail: String) -> OutboundError {
        OutboundError(reason: reason, detail: detail, requestWasSent: requestWasSent, timings: timings)
    }

    /// Fails in a turn of its own: a subscriber that calls again when a call fails is not called from within its own call.
    final func failSoon(_ reason: FailureReason, _ detail: String) {
        loop.defer(FailedStart(self, reason, detail))
    }

    /// Nobody wants it any more.
    public override final func cancel() {
        noteAddress()
        let left = place
        guard end() else { return }
        leave(left, .callCancelled)
    }

    public final func timerFired(_ token: TimerToken) {
        timer = nil
        timerDeadline = .distantFuture
        clockFired()
    }

    /// A time has come that a timer was set for. Which clocks are over by now is seen here.
    final func clockFired() {
        noticeDelivery()
        switch deadlines.verdict(now: loop.wakeTime) {
        case .notYet: watchClock()
        case .failed(let reason, let detail):
            noteAddress()
            let left = place
            place = .nowhere
            leave(left, DiscardReason(reason))
            fail(reason, detail)
        }
    }

    // MARK: -

    final func entered(_ stage: CallDeadlines.Stage, now: MonotonicTime) {
        deadlines.reached(stage, now: now)
        watchClock()
    }

    /// Sets the timer only where what it is set for now would come too late: a deadline that moved away is seen
    /// when the timer fires.
    private func watchClock() {
        let next = deadlines.next
        if case .on(let connection) = place { return connection.watchClock(until: next) }
        guard !isOver, next < timerDeadline else { return }
        if let timer { loop.cancelTimer(timer) }
        timer = loop.setTimer(at: next, target: self)
        timerDeadline = next
    }

    /// The kernel tells nobody how far a request has got, so it is asked when the time is over.
    private func noticeDelivery() {
        let now = loop.wakeTime
        guard deadlines.needsDelivery(now: now), case .on(let connection) = place,
            let stream = connection.stream
        else { return }
        let acknowledged = stream.bytesAcknowledged
        let isComplete = acknowledged >= stream.bytesTaken
        let delivery = CallDeadlines.Delivery(
            hasMoved: acknowledged > bytesAcknowledged, isComplete: isComplete,
            lastSent: isComplete ? stream.lastSent : nil)
        bytesAcknowledged = max(bytesAcknowledged, acknowledged)
        deadlines.looked(at: delivery, now: now)
    }

    private func leave(_ place: Place, _ reason: DiscardReason) {
        switch place {
        case .nowhere, .over: break
        case .inLine(let pool, let ticket): pool.callLeftLine(ticket)
        case .on(let connection): connection.abandon(reason)
        }
    }

    private func end() -> Bool {
        if isOver { return false }
        place = .over
        timings.finished = loop.wakeTime
        if let timer { loop.cancelTimer(timer) }
        timer = nil
        return true
    }
}

/// The end of a call that failed as it was started.
private final class FailedStart: DeferredWork {
    private let call: OutboundCall
    private let reason: FailureReason
    private let detail: String

    init(_ call: OutboundCall, _ reason: FailureReason, _ detail: String) {
        self.call = call
        self.reason = reason
        self.detail = detail
    }

    /// Nothing happens if the call was cancelled meanwhile.
    func runDeferred() { call.fail(reason, detail) }
}
