import Dispatch
import FoundationEssentials
import HTTPModel
import JSONBytes
import Locking
import Rx

/// A call that can be subscribed to any number of times, and one subscription to it. Sends attempts within
/// the remaining total time, and waits between them. Subclasses turn the response into output.
///
/// Responses and timers arrive on the loop of the subscriber; disposal may come from any thread.
///
/// `@unchecked Sendable`, inherited from `Emitter`: `begin()` writes the variables before any timer or
/// attempt can reach the run; everything else is in `state`.
class CallRun<Output: Sendable>: Emitter<Output>, TimerTarget, RarePartsReceiver, @unchecked Sendable {
    final let provider: ProviderSettings
    private(set) final var call: TransportCall
    /// Stays on the subscriber's loop. Nil until the run begins, unless an earlier stage chose the loop.
    private(set) final var transport: (any Transport)?
    private final var isBound = false
    private(set) final var started = RxTime(timeIntervalSince1970: 0)
    /// Nanoseconds from the start to the end of the call's time or the request's deadline, if earlier.
    private(set) final var end: Int64 = 0
    private(set) final var endsAtDeadline = false
    /// Written on the loop of the call's attempts; read between attempts.
    private(set) final var wasRetried = false
    /// The context of calls made in response. Nil outside a request, and for a call that is a part by itself.
    private(set) final var followUpContext: CallContext?
    /// The address of the last attempt. Written on its loop, which records the end of the call.
    private(set) final var address: PeerAddress?
    /// What the last attempt reached. Written as its address is.
    private(set) final var connection: AttemptConnection?
    /// Written on the loop of the call's attempts; read between attempts.
    private(set) final var wasSentTwice = false
    /// The rare parts of the last attempt's response, until that is reported. Used on the loop of the call's
    /// attempts.
    final var rareParts: RareParts?
    /// Used on the loop of the call's attempts.
    final var triedAddresses = TriedAddresses()
    /// Why the call is not retried after its last attempt. Written on its loop before the run ends.
    final var obstacle: RetryObstacle?
    /// The call's index in the request's log; nil if it is not recorded.
    private final var recordIndex: Int?
    /// The number of its attempts in the log, if the first one got an entry as it began.
    private(set) final var firstNumber: Int?
    final let state = Lock(CallState())

    init(_ call: TransportCall, _ provider: ProviderSettings) {
        self.call = call
        self.provider = provider
        super.init()
    }

    /// Keeps the run on the loop of the earlier stages, if any. Call before the run begins.
    final func bind(to transport: (any Transport)?) {
        self.transport = transport
        isBound = transport != nil
    }

    /// The transport for another subscription.
    final var boundTransport: (any Transport)? { isBound ? transport : nil }

    /// Reports the output for the final response. The run is over and holds no resources.
    func report(_ response: consuming TransportResponse, attempts: Int) {}

    /// Reports the output if it needs only the response's data. Returns false if `report` must do it.
    func reportData(of response: borrowing TransportResponse) -> Bool { false }

    /// Returns the work that reads a large body on another thread before the report, if any.
    func reading(of response: borrowing TransportResponse) -> (@Sendable () -> BodyReading)? { nil }

    var mayBeSentAgain: Bool { true }

    /// Whether nobody waits for the result any more.
    var isCancelled: Bool { isStopped }

    /// Whether somebody else ends the call at the request's deadline.
    var keepsDeadline: Bool { false }

    /// Whether the response is being passed on, so that only the limits on gaps hold.
    var isStreaming: Bool { false }

    /// Bytes of the last response that were delivered in pieces or to a file.
    var streamedByteCount: Int { 0 }

    var streaming: (any StreamingAttemptReceiver)? { nil }

    private final var scheduler: any SchedulerType { (transport ?? provider.transport).scheduler }

    override func begin() {
        // Nearly all calls are parts of the request in which they were made.
        let isPart = call.context.map { ObjectIdentifier($0) == receiverContext } ?? false
        if !isPart {
            do { call = try call.entering(.current) } catch { return failLater(on: scheduler, error) }
        }
        let call = call
        let transport = transport ?? provider.transport.forOneCall()
        self.transport = transport
        let scheduler = transport.scheduler
        let started = scheduler.now
        self.started = started
        if !hasReceiver { enterRecord() }
        let total = call.totalNanoseconds
        let deadline = keepsDeadline ? .max : call.context?.deadline?.nanoseconds(since: started) ?? .max
        end = min(total, deadline)
        endsAtDeadline = deadline < total
        guard end > 0 else { return failLater(on: scheduler) }
        if call.isTimed { firstNumber = noteFirstAttempt(isRetried: false) }
        send(call, over: transport, attempt: 1, within: end)
    }

    /// Fails without sending. Reports asynchronously: an immediate retry by the subscriber must not recurse.
    private func failLater(on scheduler: any SchedulerType, _ fault: CallOutsideRequest? = nil) {
        state.withLock { $0.retry = RetryMachine() }
        let report = scheduler.schedule(self) { run in
            guard let fault else {
                run.finish(run.limitError(wasSent: false))
                return Disposables.create()
            }
            if run.free() != nil { run.onError(fault) }
            return Disposables.create()
        }
        state.withLock { state in if !state.isOver { state.attempt = report } }
    }

    override func cancel() {
        if call.isTimed { noteAttemptCancelled() }
        if !hasEnded { noteCancelled() }
        _ = free()
    }

    // MARK: - The request's record

    @inline(never)
    private func enterRecord() {
        guard let context = call.context?.joining(.current) else { return }
        followUpContext = context
        recordIndex = context.began(call, at: started, by: self)
    }

    /// Records how the call ended, for the request's log line.
    @inline(__always)
    final func note(_ status: HTTPStatus, attempts: Int) {
        note(
            CallEntry(
                settings: call.settings, sentMethod: call.method, target: call.target, began: started,
                elapsed: elapsed,
                code: Int16(truncatingIfNeeded: status.code),
                reason: status.code >= 400 ? .upstreamStatus : nil, tries: tries, address: address,
                connection: connection, attempts: attempts, mayBeRepeated: call.method.isIdempotent))
        reportAnswered()
    }

    @inline(__always)
    final func note(_ entry: consuming CallEntry) {
        if let number = receiverNumber {
            call.context?.ended(entry, part: number)
        } else if let recordIndex {
            followUpContext?.ended(recordIndex, entry)
        }
    }

    private func send(
        _ call: TransportCall, over transport: any Transport, attempt number: Int, within limit: Int64
    ) {
        if provider.stages != nil, !announce(call, attempt: number) { return }
        var attempt: (any Disposable)? = transport.send(
            call, within: .nanoseconds(Int(limit)), for: self)
        let isOver = state.withLock { state in
            // Not if the run is over, which would keep it alive, or if the next attempt has begun on another
            // thread.
            if !state.isOver, state.retry.attempts == number { swap(&state.attempt, &attempt) }
            return state.isOver
        }
        if isOver { attempt?.dispose() }
    }

    // MARK: - Answers

    func attemptReached(_ address: PeerAddress) { self.address = address }

    func attemptUsed(_ connection: AttemptConnection) {
        self.connection = connection
        if call.isTimed { withAttempts(of: number) { log, number, _ in log.used(number, connection) } }
    }

    func attemptWasSentTwice() { wasSentTwice = true }

    func attemptSucceeded(_ response: consuming TransportResponse) {
        if wasRetried || call.isTimed { noteAttemptEnd(response.status, nil) }
        if response.body.count > LargeBody.smallest, readApart(response) { return }
        bodyArrived(response)
    }

    /// The response's body was read, if it is large.
    @inline(__always)
    final func bodyArrived(_ response: consuming TransportResponse) {
        // The common case: the first attempt delivers everything.
        if !wasRetried, !isStopped, reportData(of: response) {
            if rareParts != nil { rareParts = nil }
            return
        }
        let status = response.status.code
        guard status == 429 || status >= 502 else {
            finish(response)
            return
        }
        state.withLock { $0.retry.attemptSent() }
        decide(.status(status, retryAfter: retryAfter(in: response)), .response(response, rareParts.take()))
    }

    func attemptFailed(_ error: TransportError) {
        if error.reason.isRefusal {
            state.withLock { $0.retry.attemptRefused() }
            // The circuit opened while the retry waited: the failure that was to be retried stands.
            if error.reason == .circuitOpen, let retried = state.withLock({ $0.retried }) {
                isHeldBack(by: .circuit)
                withAttempts(of: number) { log, number, _ in log.refused(number) }
                return finish(retried.outcome)
            }
        }
        let isLate = !isStreaming && elapsed >= end - Self.clockError
        // A call that spent all its time waiting for a connection reports that instead.
        let waitedOnly = error.reason == .connectionLimitReached && !endsAtDeadline
        let error = isLate && !waitedOnly ? limitError(wasSent: error.wasSent, after: error) : error
        noteAttemptEnd(nil, error)
        if error.wasSent { state.withLock { $0.retry.attemptSent() } }
        if isLate { return finishLate(error) }
        decide(.reason(error.reason), .failure(error))
    }

    private func decide(_ failure: RetryMachine.Failure, _ outcome: CallState.Outcome) {
        // Only the end of an attempt gets here, so nothing else changes the machine in the meantime.
        let (held, holdsRetry) = state.withLock { ($0.retry, $0.holdsRetry) }
        var machine = held
        let settings = call.settings
        let policy = settings.policy.retry
        let mayBeSentAgain = mayBeSentAgain && !outcome.followsSuccess
        let moves = mayBeSentAgain && movesFreely(after: failure, machine)
        var decision: RetryMachine.Decision
        if moves {
            decision = .retries(after: 0)
        } else if !call.method.isIdempotent || !mayBeSentAgain {
            decision = machine.finish(failure, policy, because: call.method.isIdempotent ? .reason : .method)
        } else {
            decision = machine.attemptFailed(failure, at: elapsed, end: retryEnd, policy: policy) { bound in
                settings.jitter(.nanoseconds(bound)).nanoseconds
            }
        }
        state.withLock { [machine] in $0.retry = machine }
        // Further retries of the same call keep its place in the budget.
        if case .retries = decision, !moves, !holdsRetry,
            let obstacle = (transport ?? provider.transport).beginRetry(to: call.upstream)
        {
            decision = machine.finish(failure, policy, because: obstacle)
        }
        let wait: Int64
        switch decision {
        case .finish(let notRetried):
            isHeldBack(by: notRetried)
            return finish(outcome)
        case .retries(let after): wait = after
        }
        remember(outcome, moves: moves)
        wasRetried = true
        if case .response(let response, _) = outcome {
            provider.stages?.cookies?.store(response.fields, from: call.url, at: provider.transport.wallTime)
        }
        reportRetry(outcome, after: wait)
        let timer = scheduler.setTimer(after: .nanoseconds(Int(wait)), target: self)
        let isOver = state.withLock { state in
            guard !state.isOver else { return true }
            state.holdsRetry = holdsRetry || !moves
            state.wait = timer
            return false
        }
        if isOver {
            scheduler.cancelTimer(timer)
            if !holdsRetry, !moves { endRetry() }
        }
    }

    /// Whether the next attempt goes to another address at once and without the retry budget: once a call, so
    /// that a stopped server fails no call that another one can answer.
    private func movesFreely(after failure: RetryMachine.Failure, _ machine: RetryMachine) -> Bool {
        triedAddresses.allowsOut = false
        guard state.withLock({ $0.retried?.hasMovedFreely }) != true, elapsed < end,
            machine.mayMove(
                after: failure, isIdempotent: call.method.isIdempotent, call.settings.policy.retry)
        else { return false }
        triedAddresses.allowsOut = failure.isUnsent
        return hasOtherAddress(orOut: true)
    }

    /// Ends a call whose time is over.
    private func finishLate(_ failure: TransportError) {
        let machine = state.withLock { $0.retry }
        let decision = machine.finish(
            .reason(failure.reason), call.settings.policy.retry, because: .deadline)
        if case .finish(let notRetried) = decision { isHeldBack(by: notRetried) }
        finish(failure)
    }

    func timerFired(_ token: TimerToken) {
        let isNext = state.withLock { state in
            guard !state.isOver, token == state.wait else { return false }
            state.wait = nil
            return true
        }
        guard isNext else { return }
        address = nil
        connection = nil
        let left = end - elapsed
        guard left > Self.clockError else {
            return finishLate(limitError(wasSent: state.withLock { $0.retry.wasSent }))
        }
        withAttempts(of: number) { $0.beganAgain($1, at: $2) }
        let number = state.withLock { state in
            state.retry.attemptBegan()
            return state.retry.attempts
        }
        send(call, over: transport ?? provider.transport, attempt: number, within: left)
    }

    final var now: RxTime { scheduler.now }

    /// Nanoseconds since the start; 0 if the scheduler's clock was set back.
    final var elapsed: Int64 { max(0, scheduler.now.nanoseconds(since: started)) }

    /// The possible error of `elapsed` in nanoseconds, because it is computed from dates.
    private static var clockError: Int64 { 10_000 }

    // MARK: - The end

    private func finish(_ outcome: CallState.Outcome) {
        switch outcome {
        case .response(let response, let parts):
            rareParts = parts
            finish(response)
        case .failure(let failure): finish(failure)
        }
    }

    private func finish(_ response: consuming TransportResponse) {
        guard let attempts = free() else { return }
        note(response.status, attempts: attempts)
        report(response, attempts: attempts)
        if rareParts != nil { rareParts = nil }
    }

    final func finish(_ failure: TransportError) {
        guard let attempts = free() else { return }
        note(
            CallEntry(
                settings: call.settings, sentMethod: call.method, target: call.target, began: started,
                elapsed: elapsed,
                reason: failure.reason,
                detail: failure.message, tries: tries, address: address, connection: connection,
                attempts: attempts,
                mayBeRepeated: call.method.isIdempotent || !failure.wasSent))
        provider.observer?.callFailed(
            to: call.upstream, failure.reason, failure.message, address: address?.description)
        let call = call
        let error = NetworkError(
            failure, call: call, attempts: attempts, notRetried: obstacle, elapsed: .nanoseconds(elapsed))
        for plugin in call.settings.plugins { plugin.didReceive(.failure(error), call: call) }
        inContext { onError(error) }
    }

    /// Ends the run and releases its resources. Returns the number of attempts; nil if it had ended already.
    private func free() -> Int? {
        var attempt: (any Disposable)?
        var wait: TimerToken?
        var holdsRetry = false
        let attempts = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            state.isOver = true
            attempt = state.attempt.take()
            wait = state.wait.take()
            holdsRetry = state.holdsRetry
            return state.retry.attempts
        }
        if let wait { scheduler.cancelTimer(wait) }
        attempt?.dispose()
        if holdsRetry { endRetry() }
        if let attempts, attempts > 1 {
            provider.observer?.callEnded(to: call.upstream, retries: attempts - 1)
        }
        return attempts
    }

    private func endRetry() { (transport ?? provider.transport).endRetry(to: call.upstream) }
}
