import Dispatch
import FoundationEssentials
import HTTPModel
import Locking
import Rx

/// One subscription to a call: sends attempts, holds the total time, waits between attempts.
///
/// Answers and timers come on the loop that subscribed; disposal may come from anywhere.
final class CallRun: Disposable, TimerTarget, Sendable {
    private struct State: Sendable {
        var retry: RetryMachine
        var attempt: (any Disposable)?
        var limitTimer: TimerToken?
        var waitTimer: TimerToken?
        /// While waiting for the next attempt: what stands if there is none.
        var last: Outcome?
        /// Where a retry was taken from the budget that has not been given back.
        var retryPlace: (any SchedulerType)?
        var isOver = false
    }

    private enum Outcome: Sendable {
        case response(TransportResponse)
        case failure(TransportError)
    }

    /// What ends with the run and has to be freed outside of the lock.
    private struct Remains: Sendable {
        var attempt: (any Disposable)?
        var limitTimer: TimerToken?
        var waitTimer: TimerToken?
        var retryPlace: (any SchedulerType)?
        var attempts: Int
    }

    private let call: TransportCall
    private let transport: any Transport
    private let report: @Sendable (SingleEvent<Response>) -> Void
    private let scheduler: any SchedulerType
    private let started: RxTime
    /// The earlier of the call's own end and the request's deadline, and which of them it is.
    private let limit: Duration
    private let endsAtDeadline: Bool
    private let state: Lock<State>

    static func single(_ call: TransportCall, _ transport: any Transport) -> Single<Response> {
        Single.create { report in
            var call = call
            if call.context == nil, let context = CallContext.current { call = call.with(context) }
            let run = CallRun(call, transport, report)
            run.begin()
            return run
        }
    }

    private init(
        _ call: TransportCall, _ transport: any Transport,
        _ report: @escaping @Sendable (SingleEvent<Response>) -> Void
    ) {
        self.call = call
        self.transport = transport
        self.report = report
        let policy = call.settings.policy
        scheduler = transport.scheduler
        started = scheduler.now
        var limit = policy.totalTimeout
        var endsAtDeadline = false
        if let deadline = call.context?.deadline {
            let left = deadline.duration(since: started)
            if left < limit {
                limit = left
                endsAtDeadline = true
            }
        }
        self.limit = limit
        self.endsAtDeadline = endsAtDeadline
        state = Lock(
            State(
                retry: RetryMachine(
                    policy: policy.retry, isRepeatable: call.method.isIdempotent, end: limit.nanoseconds)))
    }

    private func begin() {
        guard limit > .zero else {
            finish(.failure(limitError()))
            return
        }
        let timer = scheduler.setTimer(after: limit.timeInterval, target: self)
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
        let (held, holdsRetry) = state.withLock { ($0.retry, $0.retryPlace != nil) }
        var machine = held
        let jitter = call.settings.jitter
        let decision = machine.attemptFailed(failure, at: elapsed.nanoseconds) { bound in
            jitter(.nanoseconds(bound)).nanoseconds
        }
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
        if isLimit { finish(last ?? .failure(limitError())) }
    }

    // MARK: - The end

    private func finish(_ outcome: Outcome) {
        guard let attempts = end() else { return }
        let now = scheduler.now
        let elapsed = now.duration(since: started)
        let result: Result<Response, NetworkError>
        switch outcome {
        case .response(let response):
            result = .success(Response(response, call: call, attempts: attempts, elapsed: elapsed, at: now))
        case .failure(let failure):
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
        case .success(let response): report(.success(response))
        case .failure(let error): report(.failure(error))
        }
    }

    func dispose() {
        _ = end()
    }

    /// Ends the run and frees what it holds. The attempts made; nil when it had ended before.
    private func end() -> Int? {
        let remains = state.withLock { state -> Remains? in
            guard !state.isOver else { return nil }
            state.isOver = true
            defer {
                state.attempt = nil
                state.last = nil
            }
            return Remains(
                attempt: state.attempt, limitTimer: state.limitTimer, waitTimer: state.waitTimer,
                retryPlace: state.retryPlace, attempts: state.retry.attempts)
        }
        guard let remains else { return nil }
        if let timer = remains.limitTimer { scheduler.cancelTimer(timer) }
        if let timer = remains.waitTimer { scheduler.cancelTimer(timer) }
        remains.attempt?.dispose()
        if let place = remains.retryPlace { endRetry(at: place) }
        return remains.attempts
    }

    /// Gives the retry back on the loop whose budget it came from: the subscription may be disposed anywhere.
    private func endRetry(at place: any SchedulerType) {
        _ = place.schedule(call.upstream) { [transport] upstream in
            transport.endRetry(to: upstream)
            return Disposables.create()
        }
    }

    private func limitError() -> TransportError {
        endsAtDeadline
            ? TransportError(.deadlineExceeded, "the request's deadline passed")
            : TransportError(.responseTimeout, "no whole response in time")
    }

    private var elapsed: Duration {
        scheduler.now.duration(since: started)
    }
}

extension RxTime {
    /// To the microsecond, which is what a date can tell apart reliably.
    fileprivate func duration(since start: RxTime) -> Duration {
        .microseconds(Int64((timeIntervalSince(start) * 1e6).rounded()))
    }
}

extension Duration {
    fileprivate var timeInterval: RxTimeInterval {
        .nanoseconds(Int(nanoseconds))
    }
}
