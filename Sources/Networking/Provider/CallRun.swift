import Dispatch
import FoundationEssentials
import HTTPModel
import Locking
import Rx

/// A call that can be subscribed to, any number of times, and one subscription to it: sends attempts, each within what is
/// left of the total time, and waits between attempts.
///
/// Answers and timers come on the loop that subscribed; disposal may come from anywhere.
///
/// `@unchecked Sendable`, which the emitter has, holds here: `begin()` writes the variables before a timer or an attempt
/// knows of the run, and the rest is in `state`.
final class CallRun: Emitter<Response>, TimerTarget, AttemptReceiver, @unchecked Sendable {
    private struct State: Sendable {
        var retry = RetryMachine()
        var attempt: (any Disposable)?
        /// Set between two attempts. No wait outlasts the call's time.
        var wait: TimerToken?
        /// A retry was taken from the budget and has not been given back.
        var holdsRetry = false
        var isOver = false
    }

    /// In a box, as few calls have one.
    private indirect enum Outcome: Sendable {
        case response(TransportResponse)
        case failure(TransportError)
    }

    private let provider: ProviderSettings
    @exclusivity(unchecked) private var call: TransportCall
    /// Of the loop that subscribed.
    @exclusivity(unchecked) private var itsScheduler: (any SchedulerType)?
    @exclusivity(unchecked) private var started = RxTime(timeIntervalSince1970: 0)
    /// Nanoseconds from the start to the call's own end or the request's deadline, whichever is earlier.
    @exclusivity(unchecked) private var end: Int64 = 0
    @exclusivity(unchecked) private var endsAtDeadline = false
    private let state = Lock(State())

    init(_ call: TransportCall, _ provider: ProviderSettings) {
        self.call = call
        self.provider = provider
        super.init()
    }

    private var scheduler: any SchedulerType { itsScheduler ?? provider.transport.scheduler }

    override func copy() -> Emitter<Response> { CallRun(call, provider) }

    override func begin() {
        if call.context == nil, let context = CallContext.current { call = call.with(context) }
        let scheduler = provider.transport.scheduler
        started = scheduler.now
        itsScheduler = scheduler
        let call = call
        let total = call.settings.totalNanoseconds
        let deadline = call.context?.deadline?.nanoseconds(since: started) ?? .max
        end = min(total, deadline)
        endsAtDeadline = deadline < total
        guard end > 0 else { return finish(limitError) }
        send(within: end)
    }

    override func cancel() { _ = free() }

    private func send(within limit: Int64) {
        let number = state.withLock { state in
            state.retry.attemptBegan()
            return state.retry.attempts
        }
        let call = call
        if call.settings.hasPlugins {
            for plugin in call.settings.plugins { plugin.willSend(call, attempt: number) }
        }
        let attempt = provider.transport.send(call, within: .nanoseconds(Int(limit)), for: self)
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
        guard elapsed < end - Self.clockError else { return finish(limitError) }
        decide(.reason(error.reason), .failure(error))
    }

    private func decide(_ failure: RetryMachine.Failure, _ outcome: Outcome) {
        // Only an attempt's end gets here, so nobody changes the machine meanwhile.
        let (held, holdsRetry) = state.withLock { ($0.retry, $0.holdsRetry) }
        var machine = held
        let settings = call.settings
        let decision =
            !call.method.isIdempotent
            ? .stands
            : machine.attemptFailed(
                failure, at: elapsed, end: end,
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
        let timer = scheduler.setTimer(after: .nanoseconds(Int(wait)), target: self)
        let isOver = state.withLock { state in
            guard !state.isOver else { return true }
            state.holdsRetry = true
            state.wait = timer
            return false
        }
        if isOver {
            scheduler.cancelTimer(timer)
            if !holdsRetry { endRetry() }
        }
    }

    func timerFired(_ token: TimerToken) {
        let isNext = state.withLock { state in
            guard !state.isOver, token == state.wait else { return false }
            state.wait = nil
            return true
        }
        guard isNext else { return }
        let left = end - elapsed
        if left > Self.clockError { send(within: left) } else { finish(limitError) }
    }

    /// Nanoseconds since the start.
    private var elapsed: Int64 { scheduler.now.nanoseconds(since: started) }

    /// Nanoseconds by which `elapsed` may be off, as it comes from dates.
    private static var clockError: Int64 { 10_000 }

    // MARK: - The end

    private func finish(_ outcome: Outcome) {
        switch outcome {
        case .response(let response): finish(response)
        case .failure(let failure): finish(failure)
        }
    }

    private func finish(_ response: consuming TransportResponse) {
        guard let attempts = free() else { return }
        let call = call
        let response = Response(response, call: call, attempts: attempts, from: started, to: scheduler.now)
        if call.settings.hasPlugins {
            for plugin in call.settings.plugins { plugin.didReceive(.success(response), call: call) }
        }
        within(call.context) { onLast(response) }
    }

    private func finish(_ failure: TransportError) {
        guard let attempts = free() else { return }
        let call = call
        let error = NetworkError(failure, call: call, attempts: attempts, elapsed: .nanoseconds(elapsed))
        for plugin in call.settings.plugins { plugin.didReceive(.failure(error), call: call) }
        within(call.context) { onError(error) }
    }

    /// Calls made in answer to this one belong to the same request.
    @inline(__always)
    private func within(_ context: CallContext?, _ emit: () -> Void) {
        if let context { CallContext.$current.withValue(context, operation: emit) } else { emit() }
    }

    /// Ends the run and frees what it holds. The attempts made; nil when it had ended before.
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
        return attempts
    }

    /// Gives the retry back on the loop whose budget it came from: the subscription may be disposed anywhere.
    private func endRetry() {
        _ = scheduler.schedule(call.upstream) { [provider] upstream in
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
