internal import EventIO
internal import HTTPWire

/// The decisions of one client connection: what may be read, who is answered next, and by when.
///
/// Bytes, parsing and the handler are outside. Each event has one method in the past tense; its answer says
/// what to do. The shell asks `deadline` after each batch of events and calls `deadlinePassed` then.
struct ConnectionStateMachine {
    /// What the bytes that come next belong to.
    private enum Reading {
        /// No byte of the next request has come. Exits: `headStarted`, `headCompleted`, `requestFailed`; its
        /// deadline closes silently (unless an answer is under way, then it has none).
        case idle
        /// Part of a request's head has come. Exits: `headCompleted`, `requestFailed`; its deadline is a 408.
        case head(since: MonotonicTime)
        /// A head is complete (or broken) that waits for the answer before it; nothing is read. Exits: the
        /// answer's end.
        case held
        /// The body of the request that is to be answered. Exits: `bodyCompleted`, `requestFailed`, beyond the
        /// limit (413); its deadline is a 408.
        case body(BodyProgress)
        /// Nothing that comes is interpreted any more. No exits.
        case over
    }

    /// Where the answer of the oldest unanswered request is.
    private enum Answering {
        /// No request waits. Exits: `requestBegan`, `refusalBegan`; `outputQueued`, to `flushing`.
        case nothing
        /// A request waits for its answer, or part of the answer is out. Exits: `answerCompleted`.
        case pending
        /// The answer is complete, part of it waits for the client. Exits: `queueEmptied`; too little progress resets.
        case flushing
        /// The last answer is out and our side shut; what comes is thrown away. Exits: the client's end, too
        /// many bytes, the deadline, all to `closed`.
        case lingering(until: MonotonicTime, discarded: Int)
        /// No exits.
        case closed
    }

    /// How a request's body comes along.
    struct BodyProgress {
        var since: MonotonicTime
        var received = 0
        /// Most bytes this body may have.
        var limit: Int
        /// The handler wants it.
        var isKept: Bool
    }

    private enum Drain {
        case no
        /// Answers carry `Connection: close`.
        case announced
        /// The listener is closed: only first requests are served.
        case refusing(since: MonotonicTime)
    }

    private let limits: StateLimits
    private let acceptedAt: MonotonicTime
    private var reading = Reading.idle
    private var answering = Answering.nothing
    private var drain = Drain.no
    private var idleSince: MonotonicTime
    private var begun = 0
    /// The current request allows another one on this connection.
    private var isPersistent = true
    /// The connection ends after the current answer.
    private(set) var isClosing = false
    /// The client shut its side while the end of an answer was on its way.
    private var endWasReached = false
    /// How the client takes the output that waits for it. Nil: the queue is empty.
    private var progress: OutputProgress?

    init(limits: StateLimits, acceptedAt: MonotonicTime) {
        self.limits = limits
        self.acceptedAt = acceptedAt
        idleSince = acceptedAt
    }

    // MARK: Reading

    /// Whether the bytes at hand may be parsed now.
    var mayParse: Bool {
        switch (reading, answering) {
        case (.idle, .nothing), (.idle, .pending), (.idle, .flushing): true
        case (.head, .nothing), (.head, .pending), (.head, .flushing): true
        case (.body, .pending): true
        case (.held, _), (.over, _), (.body, _), (_, .lingering), (_, .closed): false
        }
    }

    /// Whether bytes that come are thrown away.
    var isDiscarding: Bool {
        if case .lingering = answering { true } else { false }
    }

    /// Whether an answer is not complete.
    var isAnswerPending: Bool {
        if case .pending = answering { true } else { false }
    }

    /// Whether the next request may begin.
    var isFree: Bool {
        if case .nothing = answering { true } else { false }
    }

    var isReadingBody: Bool {
        if case .body = reading { true } else { false }
    }

    /// When the head began that is being read; nil where none is.
    var headSince: MonotonicTime? {
        if case .head(let since) = reading { since } else { nil }
    }

    /// Whether the socket should be read at all: not while a request waits that was parsed ahead.
    var wantsBytes: Bool { mayParse || isDiscarding }

    /// Bytes of a request's head came, and it is not complete.
    mutating func headStarted(at now: MonotonicTime) {
        guard case .idle = reading else { return }
        reading = .head(since: begun == 0 ? acceptedAt : now)
    }

    enum HeadAction: Equatable {
        /// It is this request's turn.
        case begin
        /// Keep it until `.nextRequest`; read no further.
        case hold
    }

    /// A request's head is complete.
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
        /// Keep the error until `.nextRequest`, then refuse.
        case hold
    }

    /// The request being read is not HTTP, or too long, or too late.
    mutating func requestFailed() -> FailureAction {
        switch (reading, answering) {
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

    enum Admission: Equatable {
        case serve
        /// 503 `DRAINING`: the listener is closed, and this is not the connection's first request.
        case draining
    }

    /// It is a request's turn; whether to serve it at all.
    ///
    /// - Parameter isPersistent: the request allows another one after it (RFC 9112 9.3; HTTP/1.0 never does).
    mutating func requestBegan(isPersistent: Bool) -> Admission {
        guard case .nothing = answering else { preconditionFailure("a request began in \(self)") }
        reading = .idle
        answering = .pending
        begun += 1
        self.isPersistent = isPersistent
        if case .refusing = drain, begun > 1 { return .draining }
        return .serve
    }

    enum BodyAction: Equatable {
        /// There is none: dispatch.
        case dispatch
        case read(sendContinue: Bool)
        /// The client waits for a 100 that nobody wants to give: answer now and close.
        case answerUnread
        /// 413 and close.
        case refuseTooLarge
    }

    /// The verdict on a request is known, its body is not read yet.
    ///
    /// - Parameters:
    ///   - limit: most bytes the handler takes; nil: the answer is known and the body only framed and drained.
    ///   - expectsContinue: the client waits for `100 Continue` and none of its body has come.
    mutating func verdictKnown(
        body: RequestFraming.Body, limit: Int?, expectsContinue: Bool, at now: MonotonicTime
    ) -> BodyAction {
        let most = min(limit ?? limits.requestBody, limits.requestBody)
        switch body {
        case .none, .length(0):
            return .dispatch
        case .length(let length) where length > most:
            reading = .over
            return .refuseTooLarge
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

    enum BytesAction: Equatable {
        case keep
        case drop
        /// 413 and close.
        case refuseTooLarge
    }

    /// Bytes of the body came, framing not counted.
    mutating func bodyReceived(_ count: Int) -> BytesAction {
        guard case .body(var progress) = reading else { preconditionFailure("body bytes in \(self)") }
        progress.received += count
        guard progress.received <= progress.limit else {
            reading = .over
            return .refuseTooLarge
        }
        reading = .body(progress)
        return progress.isKept ? .keep : .drop
    }

    /// The body is complete: the request can be dispatched.
    mutating func bodyCompleted() {
        guard case .body = reading else { preconditionFailure("a body ended in \(self)") }
        reading = .idle
    }

    // MARK: Answering

    /// A refusal is about to be written; the connection ends with it.
    mutating func refusalBegan() {
        reading = .over
        answering = .pending
        isClosing = true
    }

    /// An answer's head is about to be written.
    ///
    /// - Parameter delimitedByClose: the body's end is the connection's end.
    /// - Returns: whether it carries `Connection: close`.
    mutating func answerBegan(delimitedByClose: Bool) -> Bool {
        if delimitedByClose || !isPersistent || begun >= limits.requestsPerConnection { isClosing = true }
        switch drain {
        case .no: break
        case .announced, .refusing: isClosing = true
        }
        return isClosing
    }

    enum AfterAnswer: Equatable {
        /// Wait for `queueEmptied`.
        case flush
        /// Begin what is held, else read on.
        case nextRequest
        /// Shut our side, discard what comes.
        case shutdownAndDiscard
        /// The client has shut its side already.
        case close
    }

    /// The last byte of an answer was handed to the socket, or to its queue.
    mutating func answerCompleted(queueIsEmpty: Bool, at now: MonotonicTime) -> AfterAnswer {
        guard case .pending = answering else { preconditionFailure("an answer ended in \(self)") }
        guard queueIsEmpty else {
            answering = .flushing
            return .flush
        }
        return answerLeft(at: now)
    }

    /// All output was taken by the kernel. Nil: no answer was waiting for that.
    mutating func queueEmptied(at now: MonotonicTime) -> AfterAnswer? {
        progress = nil
        guard case .flushing = answering else { return nil }
        return answerLeft(at: now)
    }

    private mutating func answerLeft(at now: MonotonicTime) -> AfterAnswer {
        guard !endWasReached else { return .close }
        guard !isClosing else {
            reading = .over
            answering = .lingering(until: now + limits.discardTime, discarded: 0)
            return .shutdownAndDiscard
        }
        answering = .nothing
        idleSince = now
        return .nextRequest
    }

    /// The socket did not take all that this connection wrote. An answer that had left, as it seemed, is on its way.
    mutating func outputQueued() {
        if case .nothing = answering { answering = .flushing }
    }

    /// When a client that output waits for was last seen to acknowledge something.
    var progressedAt: MonotonicTime? { progress?.progressedAt }

    /// Whether to call `queueObserved` while output waits.
    func isLookDue(at now: MonotonicTime) -> Bool { progress?.isLookDue(at: now, limits) ?? true }

    /// Output waits for the client.
    ///
    /// - Parameter acknowledged: bytes of this connection that the client has acknowledged so far.
    mutating func queueObserved(acknowledged: Int64, at now: MonotonicTime) {
        guard progress != nil else {
            progress = OutputProgress(acknowledged: acknowledged, at: now)
            return
        }
        progress?.observe(acknowledged: acknowledged, at: now, limits)
    }

    // MARK: The end

    enum EndAction: Equatable {
        /// Nobody waits for anything.
        case close
        /// An answer was pending: tell its handler, then close.
        case clientGone
        /// A complete answer is on its way out: let it go out.
        case keepWriting
    }

    /// The client sends no more (FIN). While an answer is pending it counts as gone.
    ///
    /// - Parameter queueIsEmpty: the kernel has taken all output.
    mutating func endReached(queueIsEmpty: Bool) -> EndAction {
        if !queueIsEmpty { outputQueued() }
        switch answering {
        case .pending:
            return .clientGone
        case .flushing:
            reading = .over
            endWasReached = true
            return .keepWriting
        case .nothing, .lingering, .closed:
            return .close
        }
    }

    enum DiscardAction: Equatable {
        case goOn
        case close
    }

    /// Bytes came after the last answer.
    mutating func discarded(_ count: Int) -> DiscardAction {
        guard case .lingering(let until, let before) = answering else { return .goOn }
        answering = .lingering(until: until, discarded: before + count)
        return before + count > limits.discardedBytes ? .close : .goOn
    }

    /// The connection was closed, by whomever.
    mutating func closed() {
        reading = .over
        answering = .closed
        progress = nil
    }

    // MARK: Drain

    /// Answers carry `Connection: close` from now on.
    mutating func drainAnnounced() {
        if case .no = drain { drain = .announced }
    }

    /// The listener is closed: what is idle has `drainGrace` left.
    mutating func listenerClosed(at now: MonotonicTime) {
        drain = .refusing(since: now)
    }

    // MARK: Time

    /// When `deadlinePassed` is due; nil: nothing is awaited.
    @inline(__always)
    var deadline: MonotonicTime? {
        earlier(readDeadline, writeDeadline)
    }

    @inline(__always)
    private var readDeadline: MonotonicTime? {
        switch (reading, answering) {
        case (.idle, .nothing):
            let usual = begun == 0 ? acceptedAt + limits.headerDeadline : idleSince + limits.keepAliveIdle
            guard case .refusing(let since) = drain else { return usual }
            return min(usual, max(since, idleSince) + limits.drainGrace)
        case (.head(let since), _):
            return since + limits.headerDeadline
        case (.body(let body), _):
            return body.since + min(limits.bodyDeadline, max(limits.bodyRateGrace, ratedTime(of: body)))
        case (_, .lingering(let until, _)):
            return until
        case (.idle, _), (.held, _), (.over, _):
            return nil
        }
    }

    /// The time that a body of so many bytes may take at `bodyRate`.
    private func ratedTime(of body: BodyProgress) -> TimeAmount {
        let (scaled, isTooLarge) = Int64(body.received).multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLarge ? .never : TimeAmount(nanoseconds: scaled / Int64(max(1, limits.bodyRate)))
    }

    /// Progress is seen only by looking: a reset comes a second late at most.
    private var writeDeadline: MonotonicTime? { progress?.deadline(limits) }

    enum DeadlineAction: Equatable {
        /// Nothing is due.
        case wait
        /// Close without a word.
        case close
        /// The request took too long: 408 now, and close.
        case refuse
        /// The same, after the answer under way (`.nextRequest`).
        case hold
        /// The client takes too little of what waits for it: reset.
        case reset
    }

    /// The time `deadline` named has come, or an earlier one.
    mutating func deadlinePassed(at now: MonotonicTime) -> DeadlineAction {
        if let progress, progress.isStalled(at: now, limits) { return .reset }
        guard let readDeadline, now >= readDeadline else { return .wait }
        switch reading {
        case .idle, .over, .held:
            return .close
        case .head, .body:
            switch requestFailed() {
            case .refuse: return .refuse
            case .hold: return .hold
            }
        }
    }

    private func earlier(_ one: MonotonicTime?, _ other: MonotonicTime?) -> MonotonicTime? {
        guard let one else { return other }
        guard let other else { return one }
        return min(one, other)
    }
}
