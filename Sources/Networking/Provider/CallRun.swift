import Dispatch
import HTTPModel
import Locking
import Rx

/// A call that can be subscribed to, any number of times.
struct CallWork: SourceWork {
    let call: TransportCall
    let transport: any Transport

    func start(for emitter: Emitter<Response>) -> any Disposable {
        var call = call
        if call.context == nil, let context = CallContext.current { call = call.with(context) }
        let run = CallRun(call, transport, emitter)
        run.begin()
        return run
    }
}

/// One subscription to a call: sends attempts, holds the total time, waits between attempts.
///
/// Answers and timers come on the loop that subscribed; disposal may come from anywhere.
final class CallRun: Disposable, TimerTarget, Sendable {
    private struct State: Sendable {
        var retry = RetryMachine()
        var attempt: (any Disposable)?
        var limitTimer: TimerToken?
        var waitTimer: TimerToken?
        /// While waiting for the next attempt: what stands if there is none.
        var last: Outcome?
        /// Where a retry was taken from the budget that has not been given back.
        var retryPlace: (any SchedulerType)?
        var isOver = false

        static var over: State {
            var state = State()
            state.isOver = true
            return state
        }
    }

    private enum Outcome: Sendable {
        case response(TransportResponse)
        case failure(TransportError)
    }

    private let call: TransportCall
    private let transport: any Transport
    private let emitter: Emitter<Response>
    private let scheduler: any SchedulerType
    private let started: RxTime
    /// Nanoseconds from the start to the call's own end or the request's deadline, whichever is earlier.
    private let end: Int64
    private let endsAtDeadline: Bool
    private let state = Lock(State())

    init(_ call: TransportCall, _ transport: any Transport, _ emitter: Emitter<Response>) {
        self.call = call
        self.transport = transport
        self.emitter = emitter
        scheduler = transport.scheduler
        started = scheduler.now
        let total = call.settings.totalNanoseconds
        let deadline = call.context?.deadline?.nanoseconds(since: started) ?? .max
        end = min(total, deadline)
        endsAtDeadline = deadline < total
    }

    func begin() {
        guard end > 0 else {
            finish(.failure(limitError))
            return
        }
        let timer = scheduler.setTimer(after: .nanoseconds(Int(end)), target: self)
        let isOver = state.withLock { state in
            state.limitTimer = timer
            return state.isOver
        }
        if isOver {
            scheduler.cancelTimer(timer)
        } else {
            send()
        }
    }

    private func send() {
        let number = state.withLock { state in
            state.retry.attemptBegan()
            return state.retry.attempts
        }
        for plugin in call.settings.plugins {
            plugin.willSend(call, attempt: number)
        }
        let attempt = transport.send(call).subscribe(
            onSuccess: { self.attemptSucceeded($0) }, onFailure: { self.attemptFailed($0) })
        let isOver = state.withLock { state in
            // Not if the run is over (it would keep itself alive), nor if the next attempt has begun on another thread.
            if !state.isOver, state.retry.attempts == number { state.attempt = attempt }
            return state.isOver
        }
        if isOver { attempt.dispose() }
    }

    // MARK: - Answers

    private func attemptSucceeded(_ response: TransportResponse) {
        let status = response.status.code
        // The usual way: nothing to retry.
        guard status == 429 || status >= 502 else {
            finish(.response(response))
            return
        }
        let retryAfter = RetryAfter.delay(in: response.fields, now: scheduler.now)
        decide(.status(status, retryAfter: retryAfter?.nanoseconds), .response(response))
    }

    private func attemptFailed(_ error: any Error) {
        let failure =
            error as? TransportError
            ?? TransportError(.internalError, "the transport failed in a way of its own", underlying: error)
        decide(.reason(failure.reason), .failure(failure))
    }

    private func decide(_ failure: RetryMachine.Failure, _ outcome: Outcome) {
        // Only an attempt's end gets here, so nobody changes the machine meanwhile.
        let (held, holdsRetry) = state.withLock { ($0.retry, $0.retryPlace != nil) }
        var machine = held
        let settings = call.settings
        let decision =
            !call.method.isIdempotent
            ? .stands
            : machine.attemptFailed(
                failure, at: scheduler.now.nanoseconds(since: started), end: end,
                policy: settings.policy.retry
            ) { bound in settings.jitter(.nanoseconds(bound)).nanoseconds }
        state.withLock { [machine] in $0.retry = machine }
        // A call that is retried once more keeps the place in the budget that it has.
        guard case .retries(let wait) = decision, holdsRetry || transport.beginRetry(to: call.upstream) else {
            finish(outcome)
            return
        }
        let place = transport.scheduler
        let timer = scheduler.setTimer(after: .nanoseconds(Int(wait)), target: self)
        let isOver = state.withLock { state in
            guard !state.isOver else { return true }
            if !holdsRetry { state.retryPlace = place }
            state.waitTimer = timer
            state.last = outcome
            return false
        }
        if isOver {
            scheduler.cancelTimer(timer)
            if !holdsRetry { endRetry(at: place) }
        }
    }

    func timerFired(_ token: TimerToken) {
        let isNext = state.withLock { state in
            guard !state.isOver, token == state.waitTimer else { return false }
            state.waitTimer = nil
            state.last = nil
            return true
        }
        if isNext {
            send()
            return
        }
        let (isLimit, last) = state.withLock { state in
            (!state.isOver && token == state.limitTimer, state.last)
        }
        if isLimit { finish(last ?? .failure(limitError)) }
    }

    // MARK: - The end

    private func finish(_ outcome: Outcome) {
        guard let attempts = free() else { return }
        let now = scheduler.now
        let result: Result<Response, NetworkError>
        switch outcome {
        case .response(let response):
            result = .success(Response(response, call: call, attempts: attempts, from: started, to: now))
        case .failure(let failure):
            let elapsed = Duration.nanoseconds(now.nanoseconds(since: started))
            result = .failure(NetworkError(failure, call: call, attempts: attempts, elapsed: elapsed))
        }
        for plugin in call.settings.plugins {
            plugin.didReceive(result, call: call)
        }
        // Calls made in answer to this one belong to the same request.
        if let context = call.context {
            CallContext.$current.withValue(context) { deliver(result) }
        } else {
            deliver(result)
        }
    }

    private func deliver(_ result: Result<Response, NetworkError>) {
        switch result {
        case .success(let response): emitter.onLast(response)
        case .failure(let error): emitter.onError(error)
        }
    }

    func dispose() {
        _ = free()
    }

    /// Ends the run and frees what it holds. The attempts made; nil when it had ended before.
    private func free() -> Int? {
        let remains = state.withLock { state -> State? in
            guard !state.isOver else { return nil }
            let remains = state
            state = State.over
            return remains
        }
        guard let remains else { return nil }
        if let timer = remains.limitTimer { scheduler.cancelTimer(timer) }
        if let timer = remains.waitTimer { scheduler.cancelTimer(timer) }
        remains.attempt?.dispose()
        if let place = remains.retryPlace { endRetry(at: place) }
        return remains.retry.attempts
    }

    /// Gives the retry back on the loop whose budget it came from: the subscription may be disposed anywhere.
    private func endRetry(at place: any SchedulerType) {
        _ = place.schedule(call.upstream) { [transport] upstream in
            transport.endRetry(to: upstream)
            return Disposables.create()
        }
    }

    private var limitError: TransportError {
        endsAtDeadline
            ? TransportError(.deadlineExceeded, "the request's deadline passed")
            : TransportError(.responseTimeout, "no whole response in time")
    }
}
