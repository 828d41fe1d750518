import Dispatch
import HTTPModel
import Locking
import Rx

/// A call that can be subscribed to, any number of times.
struct CallWork: SourceWork {
    let call: TransportCall
    let provider: ProviderSettings

    func start(for emitter: Emitter<Response>) -> any Disposable {
        let run: CallRun
        if call.context == nil, let context = CallContext.current {
            run = CallRun(call.with(context), provider, emitter)
        } else {
            run = CallRun(call, provider, emitter)
        }
        run.begin()
        return run
    }
}

/// One subscription to a call: sends attempts, holds the total time, waits between attempts.
///
/// Answers and timers come on the loop that subscribed; disposal may come from anywhere.
final class CallRun: Disposable, TimerTarget, AttemptReceiver, Sendable {
    private struct State: Sendable {
        var retry = RetryMachine()
        var attempt: (any Disposable)?
        var limitTimer: TimerToken?
        /// Set between two attempts.
        var wait: Wait?
        /// Where a retry was taken from the budget that has not been given back.
        var retryPlace: RetryPlace?
        var isOver = false
    }

    /// Between two attempts: what ends the wait, and what stands if there is no further attempt.
    private struct Wait: Sendable {
        let timer: TimerToken
        let last: Outcome
    }

    /// In a box, as few calls have one.
    private indirect enum Outcome: Sendable {
        case response(TransportResponse)
        case failure(TransportError)
    }

    private final class RetryPlace: Sendable {
        let scheduler: any SchedulerType

        init(_ scheduler: any SchedulerType) { self.scheduler = scheduler }
    }

    private let call: TransportCall
    private let provider: ProviderSettings
    private let emitter: Emitter<Response>
    private let scheduler: any SchedulerType
    private let started: RxTime
    /// Nanoseconds from the start to the call's own end or the request's deadline, whichever is earlier.
    private let end: Int64
    private let endsAtDeadline: Bool
    private let state = Lock(State())

    init(_ call: TransportCall, _ provider: ProviderSettings, _ emitter: Emitter<Response>) {
        self.call = call
        self.provider = provider
        self.emitter = emitter
        scheduler = provider.transport.scheduler
        started = scheduler.now
        let total = call.settings.totalNanoseconds
        let deadline = call.context?.deadline?.nanoseconds(since: started) ?? .max
        end = min(total, deadline)
        endsAtDeadline = deadline < total
    }

    func begin() {
        guard end > 0 else {
            finish(limitError)
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
        let attempt = provider.transport.send(call, for: self)
        let isOver = state.withLock { state in
            // Not if the run is over (it would keep itself alive), nor if the next attempt has begun on another thread.
            if !state.isOver, state.retry.attempts == number { state.attempt = attempt }
            return state.isOver
        }
        if isOver { attempt.dispose() }
    }

    // MARK: - Answers

    func attemptSucceeded(_ response: consuming TransportResponse) {
        let status = response.status.code
        // The usual way: nothing to retry.
        guard status == 429 || status >= 502 else {
            finish(response)
            return
        }
        let retryAfter = RetryAfter.delay(in: response.fields, now: scheduler.now)
        decide(.status(status, retryAfter: retryAfter?.nanoseconds), .response(response))
    }

    func attemptFailed(_ error: TransportError) {
        decide(.reason(error.reason), .failure(error))
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
        guard case .retries(let wait) = decision,
            holdsRetry || provider.transport.beginRetry(to: call.upstream)
        else {
            finish(outcome)
            return
        }
        let place = RetryPlace(provider.transport.scheduler)
        let timer = scheduler.setTimer(after: .nanoseconds(Int(wait)), target: self)
        let isOver = state.withLock { state in
            guard !state.isOver else { return true }
            if !holdsRetry { state.retryPlace = place }
            state.wait = Wait(timer: timer, last: outcome)
            return false
        }
        if isOver {
            scheduler.cancelTimer(timer)
            if !holdsRetry { endRetry(at: place) }
        }
    }

    func timerFired(_ token: TimerToken) {
        let isNext = state.withLock { state in
            guard !state.isOver, token == state.wait?.timer else { return false }
            state.wait = nil
            return true
        }
        if isNext {
            send()
            return
        }
        let (isLimit, last) = state.withLock { state in
            (!state.isOver && token == state.limitTimer, state.wait?.last)
        }
        guard isLimit else { return }
        if let last { finish(last) } else { finish(limitError) }
    }

    // MARK: - The end

    private func finish(_ outcome: Outcome) {
        switch outcome {
        case .response(let response): finish(response)
        case .failure(let failure): finish(failure)
        }
    }

    private func finish(_ response: consuming TransportResponse) {
        guard let attempts = free() else { return }
        deliver(
            .success(Response(response, call: call, attempts: attempts, from: started, to: scheduler.now)))
    }

    private func finish(_ failure: TransportError) {
        guard let attempts = free() else { return }
        let elapsed = Duration.nanoseconds(scheduler.now.nanoseconds(since: started))
        deliver(.failure(NetworkError(failure, call: call, attempts: attempts, elapsed: elapsed)))
    }

    private func deliver(_ result: Result<Response, NetworkError>) {
        for plugin in call.settings.plugins {
            plugin.didReceive(result, call: call)
        }
        // Calls made in answer to this one belong to the same request.
        if let context = call.context {
            CallContext.$current.withValue(context) { emit(result) }
        } else {
            emit(result)
        }
    }

    private func emit(_ result: Result<Response, NetworkError>) {
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
        var limitTimer: TimerToken?
        var attempt: (any Disposable)?
        var wait: Wait?
        var retryPlace: RetryPlace?
        let attempts = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            state.isOver = true
            limitTimer = state.limitTimer
            attempt = state.attempt.take()
            wait = state.wait.take()
            retryPlace = state.retryPlace.take()
            return state.retry.attempts
        }
        if let limitTimer { scheduler.cancelTimer(limitTimer) }
        if let wait { scheduler.cancelTimer(wait.timer) }
        attempt?.dispose()
        if let retryPlace { endRetry(at: retryPlace) }
        return attempts
    }

    /// Gives the retry back on the loop whose budget it came from: the subscription may be disposed anywhere.
    private func endRetry(at place: RetryPlace) {
        _ = place.scheduler.schedule(call.upstream) { [provider] upstream in
            provider.transport.endRetry(to: upstream)
            return Disposables.create()
        }
    }

    private var limitError: TransportError {
        endsAtDeadline
            ? TransportError(.deadlineExceeded, "the request's deadline passed")
            : TransportError(.responseTimeout, "no whole response in time")
    }
}
