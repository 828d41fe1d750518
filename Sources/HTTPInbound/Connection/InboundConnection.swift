internal import EventIO
internal import HTTPModel
internal import HTTPWire
internal import Timers

/// One client connection: performs what `ConnectionStateMachine` decides. Used on its loop only. The server
/// retains it until it ends, so it outlives every callback of its stream.
final class InboundConnection {
    /// What was parsed while an earlier answer was pending.
    enum ParsedAhead {
        case nothing
        case request(HTTPRequestHead, RequestFraming, headBytes: Int)
        indirect case failure(InboundError, RequestInProgress)
    }

    let server: InboundServer
    // Copies of the server's properties, which save retaining the server.
    let loop: EventLoop
    private(set) var handler: any InboundHandler
    let stream: SocketStream
    var peer: InboundPeer
    /// How it finds out about the clients of its requests.
    var clientRules: ClientRules
    var index = 0
    var holdsPlace: Bool
    var state: ConnectionStateMachine
    var parser: RequestParser
    var parsedAhead = ParsedAhead.nothing
    /// Input that was read but not parsed. While there is any, the socket is not read.
    var pending = PendingInput()
    /// Its bytes in memory, as the server counts them.
    var pendingBytes = 0
    var request: RequestInProgress
    /// The exchange of the current answer. The handler owns it; releasing it clears this.
    unowned var exchange: InboundExchange?
    /// Reads the body of the current request; nil if it is not streamed.
    var bodyReader: InboundBodyReader?
    var unsentAnswers = UnsentAnswers()
    var onDrain: (() -> Void)?
    var isOpen = true
    /// Until when the eviction order already lists this connection as idle.
    var idleReportExpiry = MonotonicTime(nanoseconds: 0)
    private var headBytes = 0
    /// Bytes passed to the stream. The kernel has all of them when the stream has sent as many.
    var bytesWritten: Int64 = 0
    /// Bytes of the current answer that are held in memory by whoever writes it.
    var heldBytes = 0
    /// Bytes of the current answer that wait in its source.
    var unreadBytes = 0
    /// Those, and the ones in the stream's queue in memory, as reported to the server.
    var waitingBytes = 0
    /// Since when `waitingBytes` has exceeded what an answer may hold in memory.
    var largeSince: MonotonicTime?
    /// Bytes in a file, written or being written.
    var spooledBytes = 0
    private var isParsing = false
    /// Whether it goes on in a later turn of the loop.
    private(set) var awaitsTurn = false
    /// Whether there are bytes behind those that are being parsed.
    private var hasUnparsed = false
    private var isReading = true
    /// Whether it finishes soon, because its client was accepted by an older policy.
    var isRetiring = false
    /// The one timer, replaced only when a deadline comes before it.
    var timer: (token: TimerToken, at: MonotonicTime)?

    /// - Parameter acceptedAt: from when its first head has time.
    init(
        stream: SocketStream, server: InboundServer, peer: InboundPeer, holdsPlace: Bool,
        acceptedAt: MonotonicTime
    ) {
        self.stream = stream
        self.holdsPlace = holdsPlace
        self.server = server
        self.peer = peer
        loop = server.loop
        handler = server.handler
        clientRules = Self.clientRules(of: peer, server.clients)
        state = ConnectionStateMachine(limits: server.stateLimits, acceptedAt: acceptedAt)
        parser = RequestParser(limits: server.requestLimits)
        request = RequestInProgress(receivedAt: acceptedAt)
    }

    /// Serves the next requests by another handler, not the one whose body is being read.
    func use(_ handler: any InboundHandler, limits: StateLimits) {
        self.handler = handler
        state.use(limits)
        clientRules = Self.clientRules(of: peer, server.clients)
    }

    var isFlushed: Bool { stream.bytesSent == bytesWritten }
    var isOverHighWatermark: Bool { stream.isOverHighWatermark }
    var now: MonotonicTime { loop.wakeTime }

    // MARK: Parsing

    /// Parses as far as the state allows: first a request parsed ahead, then `input`. Returns the bytes used.
    private func parse(_ input: UnsafeRawBufferPointer) -> Int {
        var used = 0
        var hasServed = false
        isParsing = true
        defer {
            isParsing = false
            hasUnparsed = false
        }
        while isOpen {
            hasUnparsed = used < input.count
            // Others have their turn before a further request.
            if hasServed, hasUnparsed, loop.checkTurn() {
                awaitTurn()
                break
            }
            if state.mayBeginRequest, beginParsedAhead() {
                hasServed = true
                continue
            }
            guard state.mayParse else { break }
            let before = used
            let event = parser.parse(input, consumed: &used)
            hasUnparsed = used < input.count
            if state.isReadingBody {
                request.bytesReceived += used - before
            } else {
                headBytes += used - before
            }
            switch consume event {
            case .needMore:
                if parser.hasStarted, state.headStarted(at: now) { reportWaiting() }
                return used
            case .head(let head, let framing):
                let count = headBytes
                headBytes = 0
                parser.takeEnd()
                switch state.headCompleted() {
                case .begin: begin(head, framing, headBytes: count)
                case .hold: parsedAhead = .request(head, framing, headBytes: count)
                }
                // Usually that was all.
                if used == input.count, !parser.hasStarted, case .nothing = parsedAhead { return used }
                if !state.isReadingBody { hasServed = true }
            case .body(let range):
                bodyReceived(UnsafeRawBufferPointer(rebasing: input[range]))
            case .end:
                if state.isReadingBody { bodyEnded() }
                hasServed = true
            case .failed(let error):
                let failed = failedRequest(unread: input.count - used)
                fail(with: .malformed(error, head: failed.currentHead), failed)
            }
        }
        return used
    }

    /// Begins the request that was parsed ahead, if any, or returns false.
    private func beginParsedAhead() -> Bool {
        switch parsedAhead {
        case .nothing:
            return false
        case .request(let head, let framing, let count):
            parsedAhead = .nothing
            begin(head, framing, headBytes: count)
        case .failure(let error, let failed):
            parsedAhead = .nothing
            refuse(error, failed)
        }
        return true
    }

    func fail(with error: InboundError, _ failed: RequestInProgress) {
        if state.isReadingBody, !state.isAnswerPending { return failRest() }
        switch state.requestFailed() {
        case .refuse: refuse(error, failed)
        case .hold: parsedAhead = .failure(error, failed)
        case .failBody: failBody(error)
        }
    }

    /// The rest of a body is malformed, and its request has been answered. The next request cannot be found.
    private func failRest() {
        if let after = state.restFailed(at: now) { perform(after) }
    }

    /// Describes a request that failed: the current one if its body was being read, else what arrived of its
    /// head. The `unread` bytes have arrived and will not be parsed.
    func failedRequest(unread: Int = 0) -> RequestInProgress {
        guard !state.isReadingBody else { return request }
        var failed = RequestInProgress(receivedAt: state.headSince ?? now)
        failed.head = parser.refusedHead
        if clientRules.areNeeded, var head = failed.head {
            failed.peer = identifyClient(&head)
            failed.head = head
        }
        failed.method = parser.method
        failed.bytesReceived = headBytes + unread
        return failed
    }

    /// Continues after an answer: with a request parsed ahead, then pending input, then the socket.
    func continueParsing() {
        guard !isParsing else { return }
        // Usually nothing waits, and the parser needs more bytes.
        if pending.isEmpty, case .nothing = parsedAhead { return settle() }
        guard !loop.isTurnOver else {
            awaitTurn()
            return settle()
        }
        // A copy, because the calls below may discard pending input.
        let input = pending
        // What is parsed now may count as a body.
        countPending(0)
        pending.drop(input.read { parse($0) })
        if bodyReader != nil { deliverBody() }
        if request.ignoresBody { answerBeforeBody() }
        settle()
    }

    private func awaitTurn() {
        guard !awaitsTurn else { return }
        awaitsTurn = true
        loop.awaitTurn(self, for: client)
    }

    /// Updates reading, deadlines and counts after each batch of events.
    func settle() {
        guard isOpen, !isParsing else { return }
        countPending(pending.residentCount)
        countWaiting()
        if server.isShortOfMemory { spoolIfLarge() }
        guard isOpen else { return }
        armTimer()
        if state.isDiscarding, !pending.isEmpty {
            let count = pending.count
            pending.removeAll()
            discard(count)
            guard isOpen else { return }
        }
        let wantsReading = state.wantsBytes && pending.isEmpty
        guard wantsReading != isReading else { return }
        isReading = wantsReading
        // Last, because it may read at once.
        if wantsReading { stream.resumeReading() } else { stream.pauseReading() }
    }

    /// Whether some of another request may have arrived that is not parsed. Exact only during a drain.
    var hasInput: Bool { state.isDraining && (isParsing ? hasUnparsed : !pending.isEmpty) }

    var readerDueAt: MonotonicTime { state.readerPace?.dueAt ?? now }

    func askWhenReaderIsDue() -> MonotonicTime {
        state.readerObserved(acknowledged: stream.bytesAcknowledged, at: now)
        return readerDueAt
    }

    private func discard(_ count: Int) {
        switch state.discarded(count) {
        case .goOn: break
        case .close: end(.close, .completed)
        }
    }

    // MARK: The end

    /// Ends the connection and reports its unfinished requests.
    func end(_ ending: Ending, _ outcome: InboundOutcome) {
        guard isOpen else { return }
        isOpen = false
        let isWithinBody =
            state.isReadingBody && state.isAnswerPending && bodyReader == nil && exchange == nil
        let partial = state.headSince == nil || !outcome.reportsPartialHeads ? nil : failedRequest()
        let delivery = delivery(ending)
        state.closed()
        if let timer { loop.cancelTimer(timer.token) }
        timer = nil
        switch ending {
        case .close: stream.close()
        case .reset: stream.reset()
        }
        heldBytes = 0
        unreadBytes = 0
        countWaiting()
        releaseSpool()
        parsedAhead = .nothing
        pending.removeAll()
        countPending(0)
        dropBody()
        onDrain = nil
        noteBodyBytes()
        if let delivery { reportCutAnswers(delivery, outcome) }
        closeBody(outcome)
        if isWithinBody {
            if let delivery {
                request.continueBytes = delivery.acknowledged(of: request.continueBytes, end: bytesWritten)
            }
            var answer = directAnswer(nil, outcome: outcome)
            if let exchange = request.exchange { answer.note = exchange.noteBeforeStart }
            handler.answered(answer)
        }
        if let partial {
            request = partial
            handler.answered(directAnswer(nil, outcome: outcome))
        }
        server.connectionEnded(self)
    }
}

extension InboundOutcome {
    /// Whether a request that ends so within its head is worth a report. Evictions may be many.
    fileprivate var reportsPartialHeads: Bool {
        switch self {
        case .clientGone, .drain, .aborted: true
        case .completed, .stalled: false
        }
    }
}

extension InboundConnection: StreamHandler {
    func streamReceived(_ bytes: UnsafeRawBufferPointer) {
        guard isOpen else { return }
        if state.isDiscarding { return discard(bytes.count) }
        if pending.isEmpty {
            let used = parse(bytes)
            guard isOpen else { return }
            if used < bytes.count { keepPending(UnsafeRawBufferPointer(rebasing: bytes[used...])) }
        } else {
            keepPending(bytes)
        }
        if bodyReader != nil { deliverBody() }
        if request.ignoresBody { answerBeforeBody() }
        settle()
    }

    func streamReachedEnd() {
        guard isOpen else { return }
        // Send this wake's answers first: whether one is still unsent decides whether to wait for it.
        stream.sendNow()
        switch state.endReached(queueIsEmpty: isFlushed) {
        case .close: end(.close, .completed)
        case .clientGone: end(.close, .clientGone)
        case .keepWriting: settle()
        }
    }

    func streamPeerLeft() {
        if isOpen, state.isAnswerPending { end(.close, .clientGone) }
    }

    func streamFailed(_ error: SocketError) {
        end(.close, error.kind == .loopEnded ? .aborted : .clientGone)
    }

    func streamDrained() {
        if isOpen { onDrain?() }
    }

    func streamQueued() {
        guard isOpen else { return }
        state.outputQueued()
        settle()
    }

    func streamFlushed() {
        countWaiting()
        releaseSpool()
        reportTakenAnswers()
        guard isOpen, let after = state.queueEmptied(at: now) else { return }
        perform(after)
    }
}

extension InboundConnection: TurnWork {
    func turnBegins() {
        awaitsTurn = false
        if isOpen { continueParsing() }
    }
}
