import CLibevent
import Glibc

/// A stream socket on one loop, connected or connecting.
///
/// One persistent, edge-triggered event reports input, FIN and RST. It is registered once, so a request on an
/// open connection costs one `read`, one `write` and no `epoll_ctl`. Writes go out by the end of the wake;
/// writability is watched only while something is queued.
///
/// Used on its loop only. The stream and its descriptor live until `close`, `reset` or `streamFailed`, so end
/// each stream with one of them. After `startTLS` or `acceptTLS` its traffic is encrypted.
public final class SocketStream {
    /// The loop on which the stream is used.
    public let loop: EventLoop
    /// Kept here so that a write does not retain the loop.
    let outbox: Outbox
    /// Whether the peer opened the connection.
    let isAccepted: Bool

    /// The peer's address; while connecting, the address being tried.
    public internal(set) var remoteAddress: SocketAddress

    /// With whom an accepted stream shares its turns. Nil: with the peer's other streams.
    public var client: AddressPrefix?

    /// Receives the events. Retained until the stream is closed.
    public var handler: (any StreamHandler)?

    /// `isOverHighWatermark` starts at `highWatermark` queued bytes; `streamDrained` is called at
    /// `lowWatermark`.
    var highWatermark = 64 * 1024
    var lowWatermark = 16 * 1024

    enum State {
        case unstarted, connecting
        /// Connected, with the TLS handshake in progress.
        case securing
        case open, closed
    }

    struct Pending: OptionSet {
        let rawValue: UInt8
        static let connected = Pending(rawValue: 1)
        static let read = Pending(rawValue: 2)
        static let failure = Pending(rawValue: 4)
        static let queued = Pending(rawValue: 8)
    }

    var state: State
    var descriptor: Int32
    var queue = WriteQueue()
    /// The range of the loop's outbox that holds this stream's bytes.
    var held = 0..<0
    /// Bytes the kernel has taken or will be offered by the end of the wake. Of an encrypted stream, the
    /// plaintext in them.
    public var bytesSent: Int64 { tls == nil ? taken : plaintextSent }
    // Stored properties that other modules read sit behind computed ones: the attribute works within this
    // module only.
    var taken: Int64 = 0
    /// `bytesAcknowledged` once the stream has failed.
    var acknowledgedAtFailure: Int64 = 0

    // Both events refer to this stream unretained: `loop.members` retains it from `join` to the end of the
    // wake in which it closes, and `close` retires the events.
    var mainEvent: EventHandle?
    var writeEvent: EventHandle?
    var watchesWriting = false
    var isWriteEventAdded = false
    private var memberIndex = -1

    var isPaused = false
    /// Bytes or an end may be waiting in the kernel or in `tls`, and no further edge will report them.
    var mayHaveMore = false
    private var awaitsTurn = false
    /// Whether an event has reported the end of the peer's side. `streamReachedEnd` follows after the last
    /// read.
    public var peerHasLeft: Bool { hasPeerLeft }
    var hasPeerLeft = false
    private var hasReportedPeerLeft = false
    var hasReachedEnd = false
    var wasOverHighWatermark = false
    var endsAfterFlush = false
    private var hasEnded = false
    // Quiet: it has read and not written since `quietSince`. `loop.quietStreams` watches it if
    // `isWatchedQuiet`.
    var isQuiet = false
    private var quietSince = MonotonicTime(nanoseconds: 0)
    private var isWatchedQuiet = false
    private var pending: Pending = []
    private var pendingError: SocketError?
    var isBroken = false
    var needsSilence = false
    var isSpooling = false
    var attempt: ConnectAttempt?
    var tls: TLSEngine?

    init(loop: EventLoop, descriptor: Int32, remoteAddress: SocketAddress, state: State) {
        self.loop = loop
        outbox = loop.outbox
        self.descriptor = descriptor
        self.remoteAddress = remoteAddress
        self.state = state
        isAccepted = state == .unstarted
    }

    /// Adopts a connected, non-blocking socket: an accepted one, or one end of a socket pair. Call `start`
    /// next.
    public convenience init(adopting descriptor: Int32, remoteAddress: SocketAddress, loop: EventLoop) {
        loop.preconditionCurrent("a stream must be created on its event loop")
        self.init(loop: loop, descriptor: descriptor, remoteAddress: remoteAddress, state: .unstarted)
    }

    deinit {
        // Only a stream that was never started still has a descriptor here.
        if state == .unstarted { Glibc.close(descriptor) }
    }

    /// Starts reading. Call it once, on an adopted stream.
    public func start(handler: any StreamHandler) {
        precondition(state == .unstarted, "a stream can be started only once")
        self.handler = handler
        state = .open
        join()
        register(EV_READ | EV_CLOSED | EV_ET | EV_PERSIST)
    }

    func join() {
        memberIndex = loop.members.insert(self)
    }

    func register(_ interest: Int32) {
        watchesWriting = interest & EV_WRITE != 0
        let context = Unmanaged.passUnretained(self).toOpaque()
        mainEvent = EventHandle(loop.base, descriptor, interest, streamIsReady, context)
        if mainEvent?.add() != true { failLater(SocketError(.register, errno)) }
    }

    /// Whether the stream is connected and not closed.
    public var isOpen: Bool { state == .open }
    /// Whether the socket carries bytes, even if only the TLS handshake.
    var isUp: Bool { state == .open || state == .securing }

    // MARK: Events

    fileprivate func ready(_ what: Int32) {
        switch state {
        case .open, .securing:
            if what & EV_WRITE != 0, !queue.isEmpty { flush() }
            if what & (EV_READ | EV_CLOSED) != 0 { receiveInTurn(seesEnd: what & EV_CLOSED != 0) }
        case .connecting:
            attempt?.socketIsReady()
            // The same edge may report that the peer spoke first or has already left, and no other will.
            if isUp, what & (EV_READ | EV_CLOSED) != 0 { receive(seesEnd: what & EV_CLOSED != 0) }
        case .unstarted, .closed: break
        }
    }

    // MARK: Reading

    /// Stops reading. Input stays in the kernel, and the full window slows the peer down.
    public func pauseReading() {
        isPaused = true
    }

    /// Resumes reading. Waiting bytes are delivered soon, from the loop.
    public func resumeReading() {
        guard isPaused else { return }
        isPaused = false
        if mayHaveMore { runLater(.read) }
    }

    /// Reads now, or in a later turn if this one has taken long enough.
    ///
    /// What waits for its turn is not read sooner because more has come: it would have two turns.
    private func receiveInTurn(seesEnd: Bool) {
        if isPaused || !awaitsTurn && loop.mayRead() { return receive(seesEnd: seesEnd) }
        if seesEnd { hasPeerLeft = true }
        mayHaveMore = true
        awaitTurn()
    }

    /// Reads on when the other clients have had their turn.
    func awaitTurn() {
        guard !awaitsTurn else { return }
        awaitsTurn = true
        loop.awaitTurn(self, for: isAccepted ? client ?? AddressPrefix(remoteAddress) : nil)
    }

    /// Reads on without holding up others.
    func receiveLater() {
        if loop.isTurnOver { awaitTurn() } else { runLater(.read) }
    }

    func receive(seesEnd: Bool) {
        if seesEnd { hasPeerLeft = true }
        if tls != nil { return receiveSecured(seesEnd: seesEnd) }
        guard !isPaused, !hasReachedEnd else { return readyWhilePaused(seesEnd: seesEnd) }
        var rounds = 0
        while state == .open {
            let count = recv(descriptor, loop.scratch.baseAddress, loop.scratch.count, 0)
            guard count > 0 else {
                if count < 0 && errno == EINTR { continue }
                mayHaveMore = false
                // A write was told of the reset before, and the kernel reports it only once: this end is not
                // orderly.
                if count == 0, let error = pendingError, error.code == ECONNRESET { return fail(error) }
                if count == 0 { return endOfInput() }
                if errno != EAGAIN { fail(SocketError(.read, errno)) }
                return
            }
            // A short read means that the socket is empty (epoll(7)). Only another read reports an end.
            mayHaveMore = count == loop.scratch.count || hasPeerLeft
            if !mayHaveMore { becameQuiet() }
            handler?.streamReceived(UnsafeRawBufferPointer(rebasing: loop.scratch[..<count]))
            guard mayHaveMore else { return }
            guard !isPaused else {
                // The end came with these bytes, so no further event reports it.
                if hasPeerLeft { reportPeerLeft() }
                return
            }
            rounds += 1
            if rounds == 16 || loop.checkTurn() { return receiveLater() }
        }
    }

    /// Handles an edge while reading is paused or over. An RST looks like plain readiness, so ask for the
    /// error.
    func readyWhilePaused(seesEnd: Bool) {
        mayHaveMore = true
        let code = Descriptor.takeError(of: descriptor)
        if code != 0 { return fail(SocketError(.read, code)) }
        if seesEnd { reportPeerLeft() }
    }

    func reportPeerLeft() {
        guard !hasReachedEnd, !hasReportedPeerLeft else { return }
        hasReportedPeerLeft = true
        handler?.streamPeerLeft()
    }

    func becameQuiet() {
        isQuiet = true
        quietSince = loop.wakeTime
        guard !isWatchedQuiet else { return }
        isWatchedQuiet = true
        loop.quietStreams.watch(self)
    }

    /// Reads again if the stream has been quiet since `limit`. Returns true to be called again later.
    func checkQuiet(since limit: MonotonicTime) -> Bool {
        guard isQuiet, isUp else {
            isWatchedQuiet = false
            return false
        }
        guard quietSince <= limit else { return true }
        isWatchedQuiet = false
        isQuiet = false
        receiveInTurn(seesEnd: false)
        return false
    }

    func endOfInput() {
        hasReachedEnd = true
        handler?.streamReachedEnd()
    }

    // MARK: Ending

    /// Ends this side (FIN) after the queue is written. Reading continues.
    public func shutdownWrite() {
        guard mayWrite else { return }
        endsAfterFlush = true
        guard state == .open, queuedByteCount == 0 else { return }
        // It leaves together with what is held.
        tls?.sendCloseNotify()
        if !sendHeld() { endNow() }
    }

    func endNow() {
        guard !hasEnded else { return }
        if let tls, !sendCloseNotify(tls) { return }
        hasEnded = true
        Glibc.shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes now. Offers this wake's writes to the socket, drops the queue and releases the handler.
    public func close() {
        guard state != .closed else { return }
        if needsSilence { dropUnsent() }
        if let tls { endTLS(tls) }
        sendHeld()
        countPlaintext()
        state = .closed
        attempt?.cancel()
        attempt = nil
        if let event = mainEvent.take() { event.retire(on: loop) }
        if let event = writeEvent.take() { event.retire(on: loop) }
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
        queue.removeAll()
        pending = []
        handler = nil
        tls = nil
        if memberIndex >= 0 { loop.members.remove(at: memberIndex) }
        memberIndex = -1
    }

    /// Closes with RST: the kernel drops unsent bytes, and the peer sees an error.
    public func reset() {
        guard state != .closed else { return }
        taken &-= Int64(held.count)
        held = 0..<0
        tls?.stopWaiting()
        countPlaintext()
        tls = nil
        if descriptor >= 0 {
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        }
        close()
    }

    /// Closes, then reports the error. Called from the loop only.
    func fail(_ error: SocketError) {
        var error = error
        if error.subject.isEmpty { error.subject = remoteAddress.description }
        let handler = handler
        // The kernel forgets the count when the socket is closed.
        if isAccepted { acknowledgedAtFailure = bytesAcknowledged }
        close()
        handler?.streamFailed(error)
    }

    // MARK: Later

    /// Records a failure inside a call of the owner, to report it from the loop.
    func failLater(_ error: SocketError) {
        if pendingError == nil { pendingError = error }
        isBroken = true
        runLater(.failure)
    }

    func runLater(_ task: Pending) {
        if pending.isEmpty { loop.defer(self) }
        pending.insert(task)
    }
}

extension SocketStream: DeferredWork {
    /// Reports events that were held back to the end of the wake.
    public func runDeferred() {
        let todo = pending
        pending = []
        if todo.contains(.connected) { attempt?.socketIsReady() }
        if todo.contains(.queued), state == .open, !queue.isEmpty { handler?.streamQueued() }
        if todo.contains(.read), isUp { receiveInTurn(seesEnd: false) }
        guard todo.contains(.failure), let error = pendingError, state != .closed else { return }
        // Read what the peer sent before it left: it may explain the failure.
        if isUp, !isPaused { receive(seesEnd: true) }
        if state != .closed { fail(error) }
    }
}

extension SocketStream: TurnWork {
    /// Reads on when the other clients have had their turn.
    public func turnBegins() {
        awaitsTurn = false
        if isUp { receive(seesEnd: hasPeerLeft) }
    }
}

extension SocketStream: LoopMember {
    func loopEnds() {
        fail(SocketError(.loopEnded, .read))
    }
}

func streamIsReady(_: Int32, what: Int16, context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    // `loop.members` retains it until the end of this wake.
    Unmanaged<SocketStream>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.ready(Int32(what)) }
}
