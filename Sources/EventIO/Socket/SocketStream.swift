import CLibevent
import Glibc

/// A connected (or connecting) stream socket on one loop.
///
/// Reading is driven by one persistent, edge-triggered event that also sees FIN and RST; it is registered once,
/// so that a request on an open connection costs one `read`, one `write` and no `epoll_ctl`. Writing is tried by the
/// end of the wake; what the socket does not take is queued, and only then is writability watched.
///
/// Confined to its loop. It lives, with its descriptor, until `close`, `reset` or `streamFailed`: end each
/// stream with one of them. What `startTLS` was called for is encrypted between here and the socket.
public final class SocketStream {
    public let loop: EventLoop
    /// The loop's, here so that a write needs no hold on the loop.
    let outbox: Outbox
    /// Whether the peer connected to this side, not this side to the peer.
    let isAccepted: Bool

    /// Where the peer is; for a connecting stream the address that is being tried.
    public internal(set) var remoteAddress: SocketAddress

    /// Told what happens. Held strongly until the stream is closed.
    public var handler: (any StreamHandler)?

    /// Bytes in the write queue: `isOverHighWatermark` from `high` on, `streamDrained` at `low`.
    var highWatermark = 256 * 1024
    var lowWatermark = 64 * 1024

    enum State {
        case unstarted, connecting
        /// The socket is connected, and TLS's handshake under way on it.
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
    /// Where in the loop's outbox the bytes are that go out at the end of the wake.
    var held = 0..<0
    /// Bytes that the kernel has taken so far, or will be offered by the end of the wake: what progress in writing is
    /// measured by.
    public var bytesSent: Int64 { taken }
    // Behind computed properties what other modules read: to a stored one they come with a check of their own.
    var taken: Int64 = 0
    /// `bytesAcknowledged` of a stream that has failed.
    var acknowledgedAtFailure: Int64 = 0
    /// Bytes received so far.
    public internal(set) var bytesReceived: Int64 = 0

    // Both events have this stream as their unretained context: `loop.members` retains it from `register` to
    // the end of the wake in which it is closed, and the events are retired in `close`.
    var mainEvent: EventHandle?
    var writeEvent: EventHandle?
    var watchesWriting = false
    var isWriteEventAdded = false
    private var memberIndex = -1

    var isPaused = false
    /// Bytes or an end may wait in the kernel, or in `tls`, without another edge to come.
    var mayHaveMore = false
    /// Whether the peer has ended its side, as far as an event told: `streamReachedEnd` follows when what came
    /// before is read.
    public var peerHasLeft: Bool { hasPeerLeft }
    var hasPeerLeft = false
    private var hasToldThatPeerLeft = false
    var hasReachedEnd = false
    var wasOverHighWatermark = false
    var endsAfterFlush = false
    private var hasEnded = false
    // Whether it has read and not written since, since when, and whether `loop.quietStreams` has it.
    var isQuiet = false
    private var quietSince = MonotonicTime(nanoseconds: 0)
    private var isWatchedQuiet = false
    private var pending: Pending = []
    private var pendingError: SocketError?
    var isBroken = false
    var needsSilence = false
    /// Whether what is queued is being written to a file.
    var isSpooling = false
    var attempt: ConnectAttempt?
    /// What encrypts; nil where nothing does.
    var tls: TLSEngine?

    init(loop: EventLoop, descriptor: Int32, remoteAddress: SocketAddress, state: State) {
        self.loop = loop
        outbox = loop.outbox
        self.descriptor = descriptor
        self.remoteAddress = remoteAddress
        self.state = state
        isAccepted = state == .unstarted
    }

    /// Takes over a connected, non-blocking socket: an accepted one, or one end of a socket pair. Call `start`.
    public convenience init(adopting descriptor: Int32, remoteAddress: SocketAddress, loop: EventLoop) {
        loop.preconditionCurrent("a stream is made on its event loop")
        self.init(loop: loop, descriptor: descriptor, remoteAddress: remoteAddress, state: .unstarted)
    }

    deinit {
        // Only a stream that was never started, or never got a descriptor, comes here with one.
        if state == .unstarted { Glibc.close(descriptor) }
    }

    /// Begins to read. For adopted streams, once.
    public func start(handler: any StreamHandler) {
        precondition(state == .unstarted, "a stream is started once")
        self.handler = handler
        state = .open
        join()
        register(EV_READ | EV_CLOSED | EV_ET | EV_PERSIST)
    }

    /// Makes the loop keep it alive until it is closed.
    func join() {
        memberIndex = loop.members.insert(self)
    }

    func register(_ interest: Int32) {
        watchesWriting = interest & EV_WRITE != 0
        let context = Unmanaged.passUnretained(self).toOpaque()
        mainEvent = EventHandle(loop.base, descriptor, interest, streamIsReady, context)
        if mainEvent?.add() != true { failSoon(SocketError(.register, errno)) }
    }

    public var isOpen: Bool { state == .open }
    public var isClosed: Bool { state == .closed }
    /// Whether the socket carries bytes, TLS's own at least.
    var isUp: Bool { state == .open || state == .securing }

    // MARK: Events

    fileprivate func ready(_ what: Int32) {
        switch state {
        case .open, .securing:
            if what & EV_WRITE != 0, !queue.isEmpty { flush() }
            if what & (EV_READ | EV_CLOSED) != 0 { receive(seesEnd: what & EV_CLOSED != 0) }
        case .connecting:
            attempt?.socketIsReady()
            // A peer that speaks first, or has left already, may be told by the same edge, and by no other.
            if isUp, what & (EV_READ | EV_CLOSED) != 0 { receive(seesEnd: what & EV_CLOSED != 0) }
        case .unstarted, .closed: break
        }
    }

    // MARK: Reading

    /// Stops reading. What comes stays in the kernel, and the peer is slowed down by its window.
    public func pauseReading() {
        isPaused = true
    }

    /// Reads on. Bytes that waited are handed over soon, from the loop.
    public func resumeReading() {
        guard isPaused else { return }
        isPaused = false
        if mayHaveMore { soon(.read) }
    }

    private func receive(seesEnd: Bool) {
        if seesEnd { hasPeerLeft = true }
        if tls != nil { return receiveSecured(seesEnd: seesEnd) }
        guard !isPaused, !hasReachedEnd else { return becameReadyUnread(seesEnd: seesEnd) }
        var rounds = 0
        while state == .open {
            let count = recv(descriptor, loop.scratch.baseAddress, loop.scratch.count, 0)
            guard count > 0 else {
                if count < 0 && errno == EINTR { continue }
                mayHaveMore = false
                if count == 0 { return endOfInput() }
                if errno != EAGAIN { fail(SocketError(.read, errno)) }
                return
            }
            bytesReceived &+= Int64(count)
            // A short read of a stream socket means that it is empty (epoll(7)); an end, though, is told by a
            // read of its own.
            mayHaveMore = count == loop.scratch.count || hasPeerLeft
            if !mayHaveMore { mayGoQuiet() }
            handler?.streamReceived(UnsafeRawBufferPointer(rebasing: loop.scratch[..<count]))
            guard mayHaveMore else { return }
            guard !isPaused else {
                // The end came with the bytes that made the handler pause: no event will tell it again.
                if hasPeerLeft { tellThatPeerLeft() }
                return
            }
            rounds += 1
            // A peer that sends without end lets the others have their turn.
            if rounds == 16 { return soon(.read) }
        }
    }

    /// An edge while nothing is to be read: RST comes as plain readiness, so ask which it was.
    func becameReadyUnread(seesEnd: Bool) {
        mayHaveMore = true
        let code = Descriptor.takeError(of: descriptor)
        if code != 0 { return fail(SocketError(.read, code)) }
        if seesEnd { tellThatPeerLeft() }
    }

    func tellThatPeerLeft() {
        guard !hasReachedEnd, !hasToldThatPeerLeft else { return }
        hasToldThatPeerLeft = true
        handler?.streamPeerLeft()
    }

    func mayGoQuiet() {
        isQuiet = true
        quietSince = loop.wakeTime
        guard !isWatchedQuiet else { return }
        isWatchedQuiet = true
        loop.quietStreams.watch(self)
    }

    /// Reads again when it has been quiet since `limit` or longer. True when it has to be looked at again later.
    func checkQuiet(since limit: MonotonicTime) -> Bool {
        guard isQuiet, state == .open else {
            isWatchedQuiet = false
            return false
        }
        guard quietSince <= limit else { return true }
        isWatchedQuiet = false
        isQuiet = false
        receive(seesEnd: false)
        return false
    }

    func endOfInput() {
        hasReachedEnd = true
        handler?.streamReachedEnd()
    }

    // MARK: Ending

    /// Ends this side (FIN) once the queue is written. Reading goes on.
    public func shutdownWrite() {
        guard mayWrite else { return }
        endsAfterFlush = true
        if state == .open, queuedByteCount == 0, !sendHeld() { endNow() }
    }

    func endNow() {
        guard !hasEnded else { return }
        if let tls, !sayGoodbye(tls) { return }
        hasEnded = true
        Glibc.shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Closes now. What was written in this wake is offered to the socket, the queue is dropped, nothing more is told,
    /// and the handler is let go.
    public func close() {
        guard state != .closed else { return }
        if needsSilence { dropUnsent() }
        if let tls { leave(tls) }
        sendHeld()
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

    /// Closes with RST: what is unsent is thrown away by the kernel too, and the peer sees an error.
    public func reset() {
        guard state != .closed else { return }
        taken &-= Int64(held.count)
        held = 0..<0
        tls?.stopWaiting()
        tls = nil
        if descriptor >= 0 {
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        }
        close()
    }

    /// Closes, then tells. From the loop only.
    func fail(_ error: SocketError) {
        var error = error
        if error.subject.isEmpty { error.subject = remoteAddress.description }
        let handler = handler
        // The kernel forgets it with the socket.
        if isAccepted { acknowledgedAtFailure = bytesAcknowledged }
        close()
        handler?.streamFailed(error)
    }

    // MARK: Later

    /// Remembers a failure that was found inside a call of the owner's, to tell it from the loop.
    func failSoon(_ error: SocketError) {
        if pendingError == nil { pendingError = error }
        isBroken = true
        soon(.failure)
    }

    func soon(_ what: Pending) {
        if pending.isEmpty { loop.defer(self) }
        pending.insert(what)
    }
}

extension SocketStream: DeferredWork {
    /// For its loop to call.
    public func runDeferred() {
        let todo = pending
        pending = []
        if todo.contains(.connected) { attempt?.socketIsReady() }
        if todo.contains(.queued), state == .open, !queue.isEmpty { handler?.streamQueued() }
        if todo.contains(.read), isUp { receive(seesEnd: false) }
        guard todo.contains(.failure), let error = pendingError, state != .closed else { return }
        // What the peer sent before it left is still there to be read: it may explain the failure.
        if isUp, !isPaused { receive(seesEnd: true) }
        if state != .closed { fail(error) }
    }
}

extension SocketStream: LoopMember {
    func loopEnds() {
        fail(SocketError(.loopEnded, .read))
    }
}

func streamIsReady(_: Int32, what: Int16, context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    // `loop.members` retains it to the end of this wake.
    Unmanaged<SocketStream>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.ready(Int32(what)) }
}
