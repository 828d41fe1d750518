internal import EventIO
internal import HTTPWire

/// Decides for one client connection what may be read, which request is answered next, and what is due when.
///
/// It has neither sockets, nor a parser, nor a handler. Each event is a method that returns what to do. The
/// connection reads `deadline` after each batch of events and calls `deadlinePassed` at that time.
struct ConnectionStateMachine {
    /// What the next bytes belong to.
    private enum Reading {
        /// Waiting for the first byte of the next request. Exits: `headStarted`, `headCompleted`,
        /// `requestFailed`. At its deadline the connection closes silently. The deadline is off while an
        /// answer is pending.
        case idle
        /// Reading a head. Exits: `headCompleted`, `requestFailed`. Its deadline is a 408.
        case head(since: MonotonicTime)
        /// A complete or failed head waits for the previous answer; nothing is read. Exit: the end of that
        /// answer.
        case held
        /// Reading the body. Exits: `bodyCompleted`, `requestFailed`, the size limit (413), `bodyIgnored`.
        /// Its deadline is a 408.
        case body(BodyProgress)
        /// The answer comes before the end of the body, whose rest is dropped. Exits: `bodyCompleted`,
        /// `requestFailed`, `restFailed`, too many bytes. At its deadline, which follows the answer, the
        /// connection closes.
        case rest(DiscardedInput)
        /// The exchange has begun and reads the body. Exits: `bodyCompleted`, `requestFailed`, the size
        /// limit, the end of the answer. At its deadline the body fails with a 408.
        case stream(BodyStreamState)
        /// Further bytes are not interpreted. No exits.
        case over
    }

    /// The state of the oldest unanswered request.
    private enum Answering {
        /// No request. Exits: `requestBegan`, `refusalBegan`; `outputQueued`, to `flushing`.
        case nothing
        /// A request waits for its answer, or for the rest of it. Exit: `answerCompleted`.
        case pending
        /// The answer is complete, and part of it waits for the client. Exits: `queueEmptied`; a reset if it
        /// stalls.
        case flushing
        /// The last answer was sent and our side is shut; input is discarded. Exits, all to `closed`: the
        /// client's end, too many bytes, the deadline.
        case lingering(DiscardedInput)
        /// No exits.
        case closed
    }

    private enum Drain {
        case no
        /// Answers carry `Connection: close`, unless a further request has arrived already.
        case announced
        /// The listener is closed as well, so connections without a request are closed soon.
        case leaving(since: MonotonicTime)
    }

    private var limits: StateLimits
    private let acceptedAt: MonotonicTime
    private var reading = Reading.idle
    private var answering = Answering.nothing
    private var drain = Drain.no
    private var idleSince: MonotonicTime
    private var requestCount = 0
    /// Whether the current request allows another one after it.
    private var isPersistent = true
    /// Whether the connection ends after the current answer.
    private(set) var isClosing = false
    /// Whether the client shut its side while the end of an answer was being sent.
    private var clientHasEnded = false
    /// The client's progress with waiting output; nil while nothing waits.
    private var progress: OutputProgress?
    /// The earlier waits of the answer in progress; nil without any.
    private var earlierWaits: OutputProgress.Waits?

    init(limits: StateLimits, acceptedAt: MonotonicTime) {
        self.limits = limits
        self.acceptedAt = acceptedAt
        idleSince = acceptedAt
    }

    /// Applies to what is decided from now on.
    mutating func use(_ limits: StateLimits) { self.limits = limits }

    // MARK: Reading

    var mayParse: Bool {
        switch (reading, answering) {
        case (.idle, .nothing), (.idle, .pending), (.idle, .flushing): true
        case (.head, .nothing), (.head, .pending), (.head, .flushing): true
        case (.body, .pending), (.stream, .pending): true
        case (.rest, .nothing), (.rest, .pending), (.rest, .flushing): true
        case (.held, _), (.over, _), (.body, _), (.stream, _), (_, .lingering), (_, .closed): false
        }
    }

    var isDiscarding: Bool {
        if case .lingering = answering { true } else { false }
    }

    var isAnswerPending: Bool {
        if case .pending = answering { true } else { false }
    }

    var mayBeginRequest: Bool {
        if case .nothing = answering { true } else { false }
    }

    var isReadingBody: Bool {
        switch reading {
        case .body, .rest, .stream: true
        case .idle, .head, .held, .over: false
        }
    }

    /// When the current head began; nil if none is being read.
    var headSince: MonotonicTime? {
        if case .head(let since) = reading { since } else { nil }
    }

    /// Whether it waits for the first byte of a further request.
    var isIdle: Bool {
        guard case .nothing = answering, case .idle = reading else { return false }
        return requestCount > 0
    }

    /// Whether it waits for the first head or the rest of one, for the rest of a body whose answer is out, or
    /// for the client to close after the last answer.
    var awaitsHead: Bool {
        switch (reading, answering) {
        case (.idle, .nothing): requestCount == 0
        case (.head, .nothing), (.rest, .nothing), (_, .lingering): true
        case (.held, _), (.body, _), (.rest, _), (.stream, _), (.over, _): false
        case (_, .pending), (_, .flushing), (_, .closed): false
        }
    }

    /// Whether to read the socket. False while a request that was parsed ahead waits, and while a streamed
    /// body has too many unread bytes. What has been read of a streamed body is parsed all the same.
    var wantsBytes: Bool {
        if case .stream(let body) = reading, body.isFull(limits) { return isDiscarding }
        return mayParse || isDiscarding
    }

    /// Some of a head has arrived. Returns whether it is the first of a later request.
    @discardableResult
    mutating func headStarted(at now: MonotonicTime) -> Bool {
        guard case .idle = reading else { return false }
        reading = .head(since: requestCount == 0 ? acceptedAt : now)
        return requestCount > 0
    }

    enum HeadAction: Equatable {
        case begin
        /// Hold it until `.nextRequest`; read no further.
        case hold
    }

    mutating func headCompleted() -> HeadAction {
        switch answering {
        case .nothing:
            reading = .idle
            return .begin
        case .pending, .flushing:
            reading = .held
            return .hold
        case .lingering, .closed:
            preconditionFailure("a head was parsed in \(self)")
        }
    }

    enum FailureAction: Equatable {
        /// Answer with the error now, with `Connection: close`.
        case refuse
        /// Hold the error until `.nextRequest`, then answer.
        case hold
        /// Tell the reader of the body, if any. Its exchange answers, with `Connection: close`.
        case failBody
    }

    /// The request being read is malformed, too large or too slow.
    mutating func requestFailed() -> FailureAction {
        switch (reading, answering) {
        case (.stream, .pending), (.rest, .pending):
            reading = .over
            isClosing = true
            return .failBody
        case (.body, .pending), (_, .nothing):
            reading = .over
            return .refuse
        case (_, .pending), (_, .flushing):
            reading = .held
            return .hold
        case (_, .lingering), (_, .closed):
            preconditionFailure("a request failed in \(self)")
        }
    }

    // MARK: A request's turn

    /// `isPersistent`: the request allows another one after it (RFC 9112, section 9.3; HTTP/1.0 never does).
    mutating func requestBegan(isPersistent: Bool) {
        guard case .nothing = answering else { preconditionFailure("a request began in \(self)") }
        reading = .idle
        answering = .pending
        requestCount += 1
        self.isPersistent = isPersistent
    }

    enum BodyAction: Equatable {
        /// The request has no body.
        case dispatch
        case read(sendContinue: Bool)
        /// The client waits for a 100 that will not come, or the body is too large to be read for nothing:
        /// answer now and close.
        case answerUnread
        /// 413 and close.
        case refuseTooLarge
    }

    /// The decision about a request is known; its body has not been read. `limit` is the most bytes the
    /// handler takes; nil if the answer is known and the body is only discarded. `expectsContinue`: the
    /// client waits for a 100 (Continue) and has sent none of the body.
    mutating func verdictKnown(
        body: RequestFraming.Body, limit: Int?, expectsContinue: Bool, at now: MonotonicTime
    ) -> BodyAction {
        let most = min(limit ?? limits.requestBody, limits.requestBody)
        switch body {
        case .none, .length(0):
            return .dispatch
        case .length(let length) where length > most:
            reading = .over
            guard limit == nil else { return .refuseTooLarge }
            isClosing = true
            return .answerUnread
        case .length, .chunked:
            if expectsContinue, limit == nil {
                reading = .over
                isClosing = true
                return .answerUnread
            }
            reading = .body(BodyProgress(since: now, limit: most, isKept: limit != nil))
            return .read(sendContinue: expectsContinue)
        }
    }

    enum StreamAction: Equatable {
        /// Start the exchange, without a body.
        case startComplete
        /// Start the exchange, which reads the body.
        case start
        /// 413 and close.
        case refuseTooLarge
    }

    /// The handler reads the body as it arrives, up to `limit` bytes. The size that the server buffers does
    /// not matter.
    mutating func streamingDecided(
        body: RequestFraming.Body, limit: Int, expectsContinue: Bool
    ) -> StreamAction {
        switch body {
        case .none, .length(0):
            return .startComplete
        case .length(let length) where length > limit:
            reading = .over
            return .refuseTooLarge
        case .length, .chunked:
            reading = .stream(BodyStreamState(limit: limit, expectsContinue: expectsContinue))
            return .start
        }
    }

    enum BytesAction: Equatable {
        case keep
        case drop
        /// Keep them for the reader.
        case keepForReader
        /// There are too many for an answer that is known: answer now and close.
        case answerUnread
        /// There are too many behind an answer that is out: close.
        case close
        /// 413 and close.
        case refuseTooLarge
        /// The same for a body that is streamed: tell its reader.
        case failTooLarge
    }

    /// Bytes of the body arrived, not counting its framing.
    mutating func bodyReceived(_ count: Int) -> BytesAction {
        if case .stream(var body) = reading {
            guard body.bytesReceived(count) else {
                _ = requestFailed()
                return .failTooLarge
            }
            reading = .stream(body)
            return .keepForReader
        }
        if case .rest(var rest) = reading {
            let isWithinLimit = rest.received(count, limits)
            reading = isWithinLimit ? .rest(rest) : .over
            guard !isWithinLimit else { return .drop }
            isClosing = true
            return mayBeginRequest ? .close : .drop
        }
        guard case .body(var progress) = reading else { preconditionFailure("body bytes arrived in \(self)") }
        progress.received += count
        guard progress.received <= progress.limit else {
            reading = .over
            guard !progress.isKept else { return .refuseTooLarge }
            isClosing = true
            return .answerUnread
        }
        reading = .body(progress)
        return progress.isKept ? .keep : .drop
    }

    /// The answer does not depend on the body, so it is sent before the rest of the body. Returns false if no
    /// such body is arriving.
    mutating func bodyIgnored(at now: MonotonicTime) -> Bool {
        guard case .body(let body) = reading, !body.isKept else { return false }
        reading = .rest(DiscardedInput(since: now, isBody: true))
        return true
    }

    mutating func bodyCompleted(at now: MonotonicTime) {
        guard isReadingBody else { preconditionFailure("a body ended in \(self)") }
        reading = .idle
        if case .nothing = answering { idleSince = now }
    }

    /// The rest of a body is malformed, and its answer is out, so no other answer is due. Returns nil if part
    /// of the answer waits for the client.
    mutating func restFailed(at now: MonotonicTime) -> AfterAnswer? {
        guard case .rest = reading else { preconditionFailure("the rest of a body failed in \(self)") }
        reading = .over
        isClosing = true
        return mayBeginRequest ? answerSent(at: now) : nil
    }

    /// The reader of a streamed body waits for the client. Returns whether to send a 100 (Continue).
    mutating func bodyAwaited(at now: MonotonicTime) -> Bool {
        guard case .stream(var body) = reading else { return false }
        defer { reading = .stream(body) }
        return body.waitBegan(at: now)
    }

    /// The reader took the first of the bytes that had arrived.
    mutating func bodyTaken(_ count: Int, at now: MonotonicTime) {
        guard case .stream(var body) = reading else { return }
        body.bytesTaken(count, at: now)
        reading = .stream(body)
    }

    /// The reader no longer waits, and took nothing.
    mutating func bodyUnwanted(at now: MonotonicTime) {
        guard case .stream(var body) = reading else { return }
        body.waitEnded(at: now)
        reading = .stream(body)
    }

    // MARK: Answering

    /// A refusal is about to be written. It ends the connection.
    mutating func refusalBegan() {
        reading = .over
        answering = .pending
        isClosing = true
    }

    /// An answer's head is about to be written. Returns whether it carries `Connection: close`.
    /// `delimitedByClose`: the end of the connection marks the end of the body. `hasInput`: further bytes
    /// have arrived and are not parsed yet.
    mutating func answerBegan(delimitedByClose: Bool, hasInput: Bool = false) -> Bool {
        if delimitedByClose || !isPersistent || requestCount >= limits.requestsPerConnection {
            isClosing = true
        }
        // Nothing behind a `close` is answered (RFC 9112 9.6), so it waits for the last request that has
        // arrived.
        if isDraining, !hasInput, !hasFurtherHead { isClosing = true }
        if case .stream(var body) = reading {
            // The client may send the rest or not, so the connection cannot be used again.
            body.answerBegan()
            reading = .stream(body)
            isClosing = true
        }
        return isClosing
    }

    var isDraining: Bool {
        if case .no = drain { false } else { true }
    }

    /// Whether some of a further request has been parsed.
    private var hasFurtherHead: Bool {
        switch reading {
        case .head, .held: true
        case .idle, .body, .rest, .stream, .over: false
        }
    }

    enum AfterAnswer: Equatable {
        /// Wait for `queueEmptied`.
        case flush
        /// Begin the held request, or continue reading.
        case nextRequest
        /// Shut our side and discard input.
        case shutdownAndDiscard
        /// Close, because the client has shut its side already.
        case close
    }

    /// The last byte of an answer was passed to the stream.
    mutating func answerCompleted(queueIsEmpty: Bool, at now: MonotonicTime) -> AfterAnswer {
        guard case .pending = answering else { preconditionFailure("an answer ended in \(self)") }
        if case .stream = reading { reading = .over }
        guard queueIsEmpty else {
            answering = .flushing
            return .flush
        }
        return answerSent(at: now)
    }

    /// The kernel took all output. Returns nil if no answer waited for that.
    mutating func queueEmptied(at now: MonotonicTime) -> AfterAnswer? {
        earlierWaits = progress?.ended(at: now) ?? earlierWaits
        progress = nil
        guard case .flushing = answering else { return nil }
        return answerSent(at: now)
    }

    private mutating func answerSent(at now: MonotonicTime) -> AfterAnswer {
        earlierWaits = nil
        guard !clientHasEnded else { return .close }
        guard !isClosing else {
            answering = .lingering(DiscardedInput(since: now, isBody: isReadingBody))
            reading = .over
            return .shutdownAndDiscard
        }
        answering = .nothing
        idleSince = now
        if case .rest(var rest) = reading {
            rest.since = now
            reading = .rest(rest)
        }
        return .nextRequest
    }

    /// The socket did not take everything written. An answer considered sent is still on its way.
    mutating func outputQueued() {
        if case .nothing = answering { answering = .flushing }
    }

    /// How the client takes the waiting output; nil if nothing waits yet.
    var readerPace: ReaderPace? { progress?.pace }

    /// The same as `queueObserved`, before the client may be reset because memory is short.
    mutating func readerObserved(acknowledged: Int64, at now: MonotonicTime) {
        progress?.observePace(acknowledged: acknowledged, at: now, limits)
    }

    /// Whether to call `queueObserved` while output waits.
    func isCheckDue(at now: MonotonicTime) -> Bool { progress?.isCheckDue(at: now, limits) ?? true }

    /// Output waits for the client, who has acknowledged this many bytes of the connection.
    mutating func queueObserved(acknowledged: Int64, at now: MonotonicTime) {
        guard progress != nil else {
            progress = OutputProgress(acknowledged: acknowledged, at: now, after: earlierWaits)
            return
        }
        progress?.observe(acknowledged: acknowledged, at: now, limits)
    }

    // MARK: The end

    enum EndAction: Equatable {
        /// No request is pending.
        case close
        /// A request is pending: report its end, then close.
        case clientGone
        /// A complete answer is still being sent: let it finish.
        case keepWriting
    }

    /// The client sends no more (FIN). If an answer is pending, the client counts as gone. `queueIsEmpty`:
    /// the kernel has taken all output.
    mutating func endReached(queueIsEmpty: Bool) -> EndAction {
        if !queueIsEmpty { outputQueued() }
        switch answering {
        case .pending:
            return .clientGone
        case .flushing:
            reading = .over
            clientHasEnded = true
            return .keepWriting
        case .nothing:
            return headSince == nil ? .close : .clientGone
        case .lingering, .closed:
            return .close
        }
    }

    enum DiscardAction: Equatable {
        case goOn
        case close
    }

    mutating func discarded(_ count: Int) -> DiscardAction {
        guard case .lingering(var input) = answering else { return .goOn }
        let isWithinLimit = input.received(count, limits)
        answering = .lingering(input)
        return isWithinLimit ? .goOn : .close
    }

    mutating func closed() {
        reading = .over
        answering = .closed
        progress = nil
    }

    // MARK: Drain

    mutating func drainAnnounced() {
        if case .no = drain { drain = .announced }
    }

    /// Idle connections have `drainGrace` left.
    mutating func listenerClosed(at now: MonotonicTime) {
        drain = .leaving(since: now)
    }

    // MARK: Time

    /// When to call `deadlinePassed`; nil if nothing is awaited.
    @inline(__always)
    var deadline: MonotonicTime? { earlier(readDeadline, writeDeadline) }

    @inline(__always)
    private var readDeadline: MonotonicTime? {
        switch (reading, answering) {
        case (.idle, .nothing):
            let usual =
                requestCount == 0 ? acceptedAt + limits.headerDeadline : idleSince + limits.keepAliveIdle
            guard case .leaving(let since) = drain else { return usual }
            return min(usual, max(since, idleSince) + limits.drainGrace)
        case (.head(let since), _):
            return since + limits.headerDeadline
        case (.body(let body), _):
            return body.deadline(limits)
        case (.stream(let body), _):
            return body.deadline(limits)
        case (.rest(let rest), .nothing):
            return rest.deadline(limits)
        case (_, .lingering(let input)):
            return input.deadline(limits)
        case (.idle, _), (.held, _), (.rest, _), (.over, _):
            return nil
        }
    }

    /// Progress is only seen by polling, so a reset may be up to a second late.
    private var writeDeadline: MonotonicTime? { progress?.deadline(limits) }

    enum DeadlineAction: Equatable {
        case wait
        /// Close silently.
        case close
        /// The request took too long: 408 now, and close.
        case refuse
        /// 408 and close after the current answer (`.nextRequest`).
        case hold
        /// The streamed body takes too long: tell its reader.
        case failBody
        /// The client takes too little of the waiting output: reset.
        case reset
    }

    /// `deadline`, or an earlier time, has come.
    mutating func deadlinePassed(at now: MonotonicTime) -> DeadlineAction {
        if let progress, progress.isStalled(at: now, limits) { return .reset }
        guard let readDeadline, now >= readDeadline else { return .wait }
        switch reading {
        case .idle, .over, .held, .rest:
            return .close
        case .head, .body, .stream:
            switch requestFailed() {
            case .refuse: return .refuse
            case .hold: return .hold
            case .failBody: return .failBody
            }
        }
    }

    private func earlier(_ one: MonotonicTime?, _ other: MonotonicTime?) -> MonotonicTime? {
        guard let one else { return other }
        guard let other else { return one }
        return min(one, other)
    }
}
