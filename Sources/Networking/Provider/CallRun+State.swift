import HTTPModel
import Locking
import Rx

extension CallRun {
    /// Whether a response with this status may lead to another attempt.
    final func mayRetry(after status: HTTPStatus) -> Bool {
        guard RetryMachine.isRetried(status.code, hasRetryAfter: true), call.method.isIdempotent,
            mayBeSentAgain
        else { return false }
        return state.withLock { $0.retry.attempts } < call.settings.policy.retry.maxAttempts
    }
}

extension CallRun {
    /// Emits the output in the request's context.
    @inline(__always)
    final func emit(_ output: consuming Output) {
        guard let context = followUpContext else { return onLast(output) }
        let output = output
        CallContext.$current.withValue(context) { onLast(output) }
    }
}

extension CallRun {
    /// Returns the attempts of a retried call.
    @inline(never)
    final func tries(endedBy result: Result<HTTPStatus, TransportError>) -> [RecordedTry] {
        let earlier = retried?.tries ?? []
        guard let attemptBegan else { return earlier }
        return earlier + [RecordedTry(from: attemptBegan, to: elapsed, at: address, result)]
    }

    final func reportRetry(_ outcome: CallState.Outcome, after wait: Int64) {
        guard let observer = provider.observer else { return }
        let (reason, status): (FailureReason, Int?) =
            switch outcome {
            case .response(let response): (.upstreamStatus, response.status.code)
            case .failure(let failure): (failure.reason, nil)
            }
        observer.callIsRetried(
            to: call.upstream, attempt: state.withLock { $0.retry.attempts }, reason, status: status,
            address: address?.description, after: wait)
    }

    final var limitError: TransportError {
        endsAtDeadline
            ? TransportError(.deadlineExceeded, "the request's deadline passed")
            : TransportError(.responseTimeout, "no complete response in time")
    }
}

extension CallRun: RunningCall {
    final var outcomeSoFar: CallOutcome {
        let (attempts, attempt) = state.withLock { ($0.retry.attempts, $0.attempt) }
        let address = (attempt as? any AddressedAttempt)?.knownAddress
        let areLeft = attempts > 0 && attempts < call.settings.policy.retry.maxAttempts
        return CallOutcome(
            began: started, elapsed: elapsed, address: address, attempts: attempts, hasAttemptsLeft: areLeft)
    }
}
