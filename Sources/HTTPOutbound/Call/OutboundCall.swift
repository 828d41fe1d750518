public import EventIO
public import HTTPModel
public import Resilience
public import Timers

/// One call, on its loop. Subclasses handle its events.
///
/// Create one and pass it to `UpstreamPool.start` once. Then either `succeeded` or `failed` is called once,
/// unless `cancel()` comes first; nothing happens afterwards.
///
/// The call and its connection or its pool's queue refer to each other until the call ends.
///
/// Unchecked, as `LoopDisposable` is: all state is touched only on the loop.
open class OutboundCall: LoopDisposable, TimerTarget, @unchecked Sendable {
    enum State {
        /// Between two states, within one step.
        case unassigned
        case queued(UpstreamPool, ConnectionPool<OutboundCall>.Ticket)
        /// From the opening of the connection on.
        case onConnection(Connection)
        case ended
    }

    /// Whether the request may be repeated on a new connection if its connection was stale.
    final let mayResend: Bool
    /// Whether the request may be broken off when the call is cancelled. If not, and some of it may have gone
    /// out, all of it is sent, and the response is awaited and dropped.
    final let mayCut: Bool
    /// The time for a request that must not be cut; nil if that is the time for the call.
    final let uncutTotal: TimeAmount?
    /// Whether `responseBegan` decides how the body is delivered.
    final let mayStream: Bool
    /// Bytes up to which a response that arrives in one read is delivered as a whole, also to a stream.
    final let wholeResponse: Int
    final let decodesContent: Bool
    /// Whether the response is passed on as it arrives, so that a slow reader may hold the connection
    /// (`OutboundLimits.relayShare`).
    final let isRelay: Bool
    // Touched only on the loop, and never across a call that leads back here.
    final var state = State.unassigned
    final var deadlines: CallDeadlines
    /// Runs while the call is queued. On a connection, the connection's timer is used instead.
    private final var timer: TimerToken?
    private final var timerDeadline = MonotonicTime.distantFuture
    /// The instants that the call has reached.
    public internal(set) final var timings: OutboundTimings
    /// The connection's remote address, or the proxy's. nil until an address was tried.
    public private(set) final var address: PeerAddress?
    private(set) final var wasResent = false
    /// Whether some of the request went out on a connection that turned out to be stale.
    private final var wasSentBefore = false
    private final var wasSentTwice = false
    /// Whether some of the request may have reached the upstream.
    public private(set) final var requestWasSent = false
    /// Bytes that the connection had sent at the last check.
    final var bytesSent: Int64 = 0
    /// Bytes that the peer had acknowledged at the last check, over all requests of the connection.
    private final var bytesAcknowledged: Int64 = 0
    /// Whether the body goes out without Expect, since the upstream answered 417 (RFC 9110 10.1.1).
    private(set) final var dropsExpectation = false
    final var isPaused = false
    /// Whether the process had no file descriptor left for the call's connection.
    public internal(set) final var lacksDescriptors = false
    /// The memory of a large response, if the pool has a budget. Set before `succeeded`.
    public final var bodyCharge: FairBudget.Charge?

    /// Counts the body that a cancelled call has left to its connection; nil once the request is written.
    final var leftBody: AnyObject?
    /// Whether the upstream answered, or the call failed, while more of the request's body was missing on our
    /// side, such as the rest of a client's upload. The upstream may have given up waiting for it.
    public internal(set) final var lacksBody = false
    /// Whether the upstream answered before it had the whole request, and the rest was not sent: with a
    /// status of 300 or more.
    public internal(set) final var requestWasCut = false
    /// The status of a success that came before the rest of the request could not be sent; nil for other
    /// failures. The request must not be repeated.
    public internal(set) final var earlyStatus: HTTPStatus?
    /// The memory that the request's body shares with others. Kept until the request has been sent, also
    /// after a cancellation.
    public final var requestMemory: (any AnyObject & Sendable)?

    /// Whether the request was repeated after some of it had gone out on a stale connection.
    public final var requestWasSentTwice: Bool { wasSentTwice }

    /// Creates a call to the pool's origin. nil limits are the pool's (`OutboundLimits`).
    ///
    /// - Parameters:
    ///   - pool: where the call will be started.
    ///   - mayResend: whether the request may be repeated on a new connection if its connection was stale;
    ///     true for idempotent methods (RFC 9110 9.2.2).
    ///   - mayCut: whether the request may be broken off when the call is cancelled; false for methods that
    ///     are not idempotent. A request whose body comes from a source is broken off anyway.
    ///   - uncutTotal: time for a request that must not be cut, if the call ends earlier. Nil: its `total`.
    ///   - connectTimeout: time to resolve and connect.
    ///   - writeTimeout: longest wait for the upstream to take more of the request.
    ///   - firstByteTimeout: time from the request's last byte to the response's first.
    ///   - readTimeout: longest silence within the response.
    ///   - total: time for the whole call; `.never` for no limit.
    ///   - pause: longest pause on the caller's side; `.never` if the caller has a limit of its own.
    ///   - mayStream: call `responseBegan`, `bodyGathered`, `bodySent` and `bodyWaits`. Calls are faster
    ///     without them.
    ///   - wholeResponse: bytes, with the head, up to which a response that arrives in one read is delivered
    ///     without `responseBegan`, as `succeeded`. For calls that may stream; others get every response so.
    ///   - decodesContent: decode known content codings. Otherwise the body and its fields come unchanged.
    ///   - isRelay: the response is passed on as it arrives, to a reader that may be slow.
    public init(
        to pool: borrowing UpstreamPool, mayResend: Bool, mayCut: Bool = true,
        uncutTotal: TimeAmount? = nil, connectTimeout: Duration? = nil,
        writeTimeout: Duration? = nil, firstByteTimeout: Duration? = nil, readTimeout: Duration? = nil,
        total: TimeAmount? = nil, pause: TimeAmount? = nil, mayStream: Bool = false, wholeResponse: Int = 0,
        decodesContent: Bool = true, isRelay: Bool = false
    ) {
        self.isRelay = isRelay
        self.wholeResponse = mayStream ? wholeResponse : .max
        self.mayResend = mayResend
        self.mayCut = mayCut
        self.uncutTotal = uncutTotal
        self.decodesContent = decodesContent
        self.mayStream = mayStream
        let loop = pool.loop
        let now = loop.wakeTime
        timings = OutboundTimings(started: now)
        deadlines = CallDeadlines(
            limits: pool.callLimits.with(
                pool.limits, connect: connectTimeout, write: writeTimeout, firstByte: firstByteTimeout,
                read: readTimeout, total: total, pause: pause),
            started: now)
        super.init(on: loop)
    }

    /// Whether the connection may read the rest of the response. Asked once the call is cancelled.
    open var mayDrain: Bool { true }

    /// Counts the memory of the request's body as long as it lives; nil for no body in memory.
    open var countedBody: AnyObject? { nil }

    /// What a cancelled call holds until its end if its request must not be cut. Asked once.
    open var heldWhileUncut: [AnyObject] { [] }

    /// Writes the request with one call of `write`. Called once a connection is found, and again if that was
    /// stale, so only the call needs to keep the request.
    open func writeRequest(to writer: RequestWriter) {
        preconditionFailure("a call without a request")
    }

    /// Decides how the body of the final response is delivered. Called once per call, only with `mayStream`.
    /// `head` lacks Content-Encoding and Content-Length if a content coding is decoded.
    open func responseBegan(_ head: HTTPResponseHead) -> BodyDelivery { .gathered }

    /// Receives the next piece of a streamed body: at most 64 KiB, content codings decoded, valid only during
    /// the call. Not called while paused.
    open func bodyReceived(_ piece: UnsafeRawBufferPointer) {}

    /// Reports the bytes of a gathered body so far, content codings decoded. Only with `mayStream`.
    open func bodyGathered(_ count: Int) {}

    /// Reports the bytes of the streamed request body that the socket has taken; fewer when it is sent again.
    open func bodySent(_ count: Int64) {}

    /// Reports how many bytes of a request body in memory wait for the socket, 0 at its end. Only with
    /// `mayStream`, and not if the socket takes all of it at once.
    open func bodyWaits(_ count: Int) {}

    /// Whether a response has to be charged before `succeeded`. Calls that keep small ones add them up.
    open func needsCharge(_ size: Int) -> Bool { size >= BodyMemory.counted }

    /// Charges the response that `succeeded` receives next. Returns false if the memory is full.
    open func charge(_ size: Int, to memory: FairBudget.Share) -> Bool {
        bodyCharge = memory.charge(size)
        return bodyCharge != nil
    }

    /// The response is complete. Its transfer coding is removed; `body` is empty if it was streamed.
    ///
    /// Content codings are decoded, and their fields removed. The body stays coded, with `Content-Encoding`,
    /// if a coding is unknown, or if the gathered body of a failure (400 and up) does not match its fields.
    open func succeeded(_ head: consuming HTTPResponseHead, _ body: consuming ArraySlice<UInt8>) {}

    /// No complete response came. `detail` is for a log, and too varied for a metric label.
    open func failed(_ reason: FailureReason, _ detail: String) {}

    /// The call was cancelled before it ended.
    open func cancelled() {}

    /// `timings` has a new instant: the request goes out, or the first byte of a response has arrived.
    open func timingsChanged() {}

    /// Whether the call waits for a piece of the request's body, or for a reader of the response.
    public final var awaitsOwnSide: Bool { deadlines.isAt(.awaitingBody) || deadlines.isAt(.paused) }

    /// Whether the time of the whole call has passed.
    public final func isOutOfTime(at now: MonotonicTime) -> Bool { deadlines.isOutOfTime(at: now) }

    /// Returns how long the call has waited for a sign of its upstream, without the time in a queue and in
    /// pauses of its own side.
    public final func waitForUpstream(at now: MonotonicTime) -> TimeAmount {
        deadlines.waitForUpstream(since: timings.connected, at: now)
    }

    final var hasEnded: Bool { if case .ended = state { true } else { false } }

    // MARK: Events

    final func joinedQueue(of pool: UpstreamPool, _ ticket: ConnectionPool<OutboundCall>.Ticket) {
        state = .queued(pool, ticket)
        entered(.waiting, now: loop.wakeTime)
    }

    final func connectionOpens(_ connection: Connection) -> TimeAmount {
        state = .onConnection(connection)
        let now = loop.wakeTime
        if timings.assigned == nil { timings.assigned = now }
        entered(.connecting, now: now)
        return deadlines.connectBudget(now: now)
    }

    /// The request goes out on this connection, which has sent `bytesBefore` bytes of earlier requests.
    final func requestStarted(
        on connection: Connection, isReused: Bool, bytesBefore: Int64, now: MonotonicTime
    ) {
        state = .onConnection(connection)
        bytesAcknowledged = bytesBefore
        address = connection.address
        if timings.assigned == nil { timings.assigned = now }
        timings.connected = now
        timings.isReusedConnection = isReused
        wasSentTwice = wasSentBefore
        requestWasSent = true
        timingsChanged()
    }

    final func requestProgressed(isWritten: Bool, bytesSent: Int64, now: MonotonicTime) {
        let isProgress = bytesSent > self.bytesSent
        self.bytesSent = bytesSent
        if isWritten, leftBody != nil { leftBody = nil }
        guard timings.firstByte != nil else {
            return entered(isWritten ? .awaitingResponse : .writing, now: now)
        }
        // The response has overtaken its request.
        if isWritten { return pauseChanged(now: now) }
        if isProgress || !deadlines.isAt(.writing) { entered(.writing, now: now) }
    }

    final func bytesReceived(areFirst: Bool, now: MonotonicTime) {
        if areFirst {
            timings.firstByte = now
            timingsChanged()
        }
        deadlines.reached(.receiving, now: now)
    }

    /// The input ended within the response.
    final func needsMore() { updateTimer() }

    /// The connection no longer serves this call.
    final func leftConnection() {
        guard !hasEnded else { return }
        keepAddress()
        state = .unassigned
    }

    /// The connection was stale, so the request goes out on a new one. `wasSent`: the kernel got some of it.
    final func isResent(wasSent: Bool) {
        wasResent = true
        wasSentBefore = wasSentBefore || wasSent
        requestWasSent = wasSentBefore
        timings.firstByte = nil
        address = nil
    }

    /// The connection failed before any of the request was handed to the kernel.
    final func requestStayedUnsent() { requestWasSent = wasSentBefore }

    /// The upstream rejected the expectation (417), so the request goes out without it, on a new connection.
    final func expectationFailed() {
        dropsExpectation = true
        timings.firstByte = nil
        address = nil
    }

    /// Keeps the address that was tried last, for a call that leaves before the connection opens.
    private func keepAddress() {
        guard address == nil, case .onConnection(let connection) = state else { return }
        address = connection.address
    }

    // MARK: End

    final func succeed(_ head: consuming HTTPResponseHead, _ body: consuming ArraySlice<UInt8>) {
        guard end() else { return }
        succeeded(head, body)
    }

    final func fail(_ reason: FailureReason, _ detail: String) {
        guard end() else { return }
        failed(reason, detail)
    }

    /// Fails in the loop's next turn, so that a subscriber that calls again on failure does not recurse.
    final func failLater(_ reason: FailureReason, _ detail: String) {
        loop.defer(FailedStart(self, reason, detail))
    }

    /// Stops the call. Nothing is reported any more. Its connection reads the rest of the response within
    /// `OutboundLimits.drainTime` and then serves other calls. If the response is streamed, or the body of
    /// the request, or if `mayDrain` is false, it is closed.
    open override func cancel() {
        keepAddress()
        let left = state
        guard end() else { return }
        leave(left, .callCancelled)
        cancelled()
    }

    /// Ends the call or its connection when a deadline has passed.
    public final func timerFired(_ token: TimerToken) {
        timer = nil
        timerDeadline = .distantFuture
        checkDeadlines()
    }

    /// Fails the call if one of its deadlines has passed.
    final func checkDeadlines() {
        checkDelivery()
        switch deadlines.verdict(now: loop.wakeTime) {
        case .notYet: updateTimer()
        case .failed(let reason, var detail):
            if case .onConnection(let connection) = state, connection.endsWithoutBodyEnd {
                return connection.finishEarly()
            }
            if case .queued(let pool, _) = state { pool.explainWait(of: self, in: &detail) }
            keepAddress()
            let left = state
            state = .unassigned
            leave(left, outlivesCall ? .callCancelled : DiscardReason(reason))
            fail(reason, detail)
        }
    }

    /// Whether only the call's time is over, not the request's.
    private var outlivesCall: Bool {
        guard !mayCut, let uncutTotal else { return false }
        let now = loop.wakeTime
        return !deadlines.isStageOver(at: now) && timings.started + uncutTotal > now
    }

    // MARK: -

    final func entered(_ stage: CallDeadlines.Stage, now: MonotonicTime) {
        deadlines.reached(stage, now: now)
        updateTimer()
    }

    /// Sets the timer only if it would fire too late. After a later deadline it fires in vain.
    final func updateTimer() {
        let next = deadlines.next
        if case .onConnection(let connection) = state { return connection.setTimer(by: next) }
        guard !hasEnded, next < timerDeadline else { return }
        if let timer { loop.cancelTimer(timer) }
        timer = loop.setTimer(at: next, target: self)
        timerDeadline = next
    }

    /// Asks the kernel how far the request has got, since the kernel does not report it.
    private func checkDelivery() {
        let now = loop.wakeTime
        guard deadlines.needsDelivery(now: now), case .onConnection(let connection) = state,
            let stream = connection.stream
        else { return }
        let acknowledged = stream.bytesAcknowledged
        let isComplete = acknowledged >= stream.bytesTaken
        let delivery = CallDeadlines.Delivery(
            hasMoved: acknowledged > bytesAcknowledged, isComplete: isComplete,
            lastSent: isComplete ? stream.lastSent : nil)
        bytesAcknowledged = max(bytesAcknowledged, acknowledged)
        deadlines.deliveryChecked(delivery, now: now)
    }

    private func leave(_ state: State, _ reason: DiscardReason) {
        switch state {
        case .unassigned, .ended: break
        case .queued(let pool, let ticket): pool.callLeftQueue(ticket)
        case .onConnection(let connection): connection.abandon(reason)
        }
    }

    private func end() -> Bool {
        if hasEnded { return false }
        state = .ended
        if let timer { loop.cancelTimer(timer) }
        timer = nil
        return true
    }
}
