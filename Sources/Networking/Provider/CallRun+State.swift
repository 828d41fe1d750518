import HTTPModel
import Locking
@_spi(Demand) import Rx

extension CallRun {
    /// Whether a response with this head may lead to another attempt. The budget of retries and the circuit
    /// are asked at its end.
    final func mayRetry(after head: TransportResponse) -> Bool {
        guard RetryMachine.isRetried(head.status.code, hasRetryAfter: true), call.method.isIdempotent,
            mayBeSentAgain,
            state.withLock({ $0.retry.attempts }) < call.settings.policy.retry.maxAttempts
        else { return false }
        let retryAfter = retryAfter(in: head)
        guard RetryMachine.isRetried(head.status.code, hasRetryAfter: retryAfter != nil) else { return false }
        return (retryAfter ?? 0) < retryEnd - elapsed
    }

    /// Nanoseconds that the response asks to wait before the next attempt; nil if it asks for none.
    final func retryAfter(in response: borrowing TransportResponse) -> Int64? {
        let delay = RetryAfter.delay(
            in: response.fields, now: provider.transport.wallTime.secondsSince1970)
        // A server that is down speaks for itself. A rate limit may be the limit of all.
        if response.status.code >= 502, delay != nil, hasOtherAddress(orOut: false) { return nil }
        return delay?.nanoseconds
    }

    /// Nanoseconds from the start until the next attempt must have begun.
    final var retryEnd: Int64 {
        // Even without a total timeout, the wait for the next attempt is limited.
        let end = call.isUnbounded ? min(end, elapsed + min(call.maximumWait, .max - elapsed)) : end
        // The head of the next response has to arrive before the deadline, whoever keeps it.
        guard keepsDeadline, let deadline = call.context?.deadline else { return end }
        return min(end, deadline.nanoseconds(since: started))
    }

    final func hasOtherAddress(orOut: Bool) -> Bool {
        guard !triedAddresses.isEmpty, let transport else { return false }
        return transport.hasOtherAddress(of: call.upstream, than: triedAddresses, orOut: orOut)
    }
}

extension CallRun {
    /// Announces an attempt to the plugins. Returns false if one of them, or an earlier stage, has cancelled
    /// the call: then it is not sent.
    @inline(never)
    final func announce(_ call: TransportCall, attempt number: Int) -> Bool {
        for plugin in call.settings.plugins {
            guard !isUnwanted else { return false }
            plugin.willSend(call, attempt: number)
        }
        return !isUnwanted
    }

    /// Whether the call was cancelled, or the task that is just subscribing to read its values. `values` can
    /// dispose that subscription only once it has been made.
    private var isUnwanted: Bool { isCancelled || Demand.current != nil && Task.isCancelled }

    /// Reports to the observer that a response arrived, whatever its status.
    @inline(__always)
    final func reportAnswered() {
        if call.upstream.isWatched { provider.observer?.callAnswered(by: call.upstream) }
    }
}

extension CallRun {
    /// Emits in the request's context, so that calls made in response belong to the same request.
    @inline(__always)
    final func inContext(_ emit: () -> Void) {
        // A receiver is the gateway itself, which sets the context before it calls an endpoint.
        if let context = followUpContext {
            CallContext.$current.withValue(context, operation: emit)
        } else {
            emit()
        }
    }

    /// Emits the output in the request's context.
    @inline(__always)
    final func emit(_ output: consuming Output) {
        guard let context = followUpContext else { return onLast(output) }
        let output = output
        CallContext.$current.withValue(context) { onLast(output) }
    }
}

extension CallRun {
    /// The number of the attempts in the request's log; nil if they have no entries.
    final var number: Int? { firstNumber ?? state.withLock { $0.retried?.number } }

    /// The same for a call that was retried; nil for nearly all calls.
    final var tries: Int? { wasRetried ? number : nil }

    /// Records that the first attempt began.
    ///
    /// - Parameter isRetried: whether the call is about to be retried.
    @inline(never)
    final func noteFirstAttempt(isRetried: Bool) -> Int? {
        guard let context = call.context else { return nil }
        let part = receiverNumber.map { Int32(truncatingIfNeeded: $0) } ?? followUpContext?.part
        let entry = AttemptEntry(
            call.settings, call.method, for: part ?? CallContext.noPart, at: started)
        return context.withLog { $0.began(entry, isRetried: isRetried) }
    }

    /// Changes the entries of the attempts, if there are some.
    final func withAttempts(of number: Int?, _ change: (inout AttemptLog, Int, _ now: RxTime) -> Void) {
        guard let number, let context = call.context else { return }
        let now = now
        context.withLog { if $0.has(number) { change(&$0, number, now) } }
    }

    @inline(never)
    final func noteAttemptEnd(_ status: HTTPStatus?, _ error: TransportError?) {
        withAttempts(of: number) { $0.ended($1, at: $2, address, connection, status: status, error) }
    }

    /// Records that the attempt in progress is cancelled, if there is one. Called on any thread.
    @inline(never)
    final func noteAttemptCancelled() {
        let attempt = state.withLock { $0.attempt } as? any AddressedAttempt
        withAttempts(of: number) {
            $0.ended($1, at: $2, attempt?.knownAddress, attempt?.knownConnection, status: nil, nil)
        }
    }

    /// Remembers what an attempt ended with, because the call will be retried.
    ///
    /// - Parameter moves: whether the next attempt goes to another address without the budget.
    final func remember(_ outcome: CallState.Outcome, moves: Bool) {
        let earlier = state.withLock { $0.retried }
        let number = firstNumber ?? earlier?.number ?? noteFirstAttempt(isRetried: true)
        // It has ended already if it got its entry as it began.
        withAttempts(of: number) {
            $0.ended($1, at: $2, address, connection, status: outcome.status, outcome.error)
        }
        let retried = RetriedCall(outcome, hasMovedFreely: moves || earlier?.hasMovedFreely == true, number)
        // `earlier` is released outside the lock.
        state.withLock { $0.retried = retried }
    }

    /// Remembers the rule that keeps the call from another attempt, if one does.
    final func isHeldBack(by rule: RetryObstacle?) {
        obstacle = rule
        if let rule { provider.observer?.callIsNotRetried(to: call.upstream, because: rule) }
    }

    /// Records that the call is cancelled, unless it is over.
    @inline(never)
    final func noteCancelled() {
        guard !state.withLock({ $0.isOver }) else { return }
        noteAttemptCancelled()
        let entry = entrySoFar
        // As the part's failure says.
        if entry.hasAttemptsLeft, call.isOverdue { isHeldBack(by: .deadline) }
        if let number = receiverNumber {
            call.context?.ended(entry, part: number, isCancelled: true)
        } else {
            note(entry)
        }
    }

    final func reportRetry(_ outcome: CallState.Outcome, after wait: Int64) {
        guard let observer = provider.observer else { return }
        let (reason, status): (FailureReason, Int?) =
            switch outcome {
            case .response(let response, _): (.upstreamStatus, response.status.code)
            case .failure(let failure): (failure.reason, nil)
            }
        observer.callIsRetried(
            to: call.upstream, attempt: state.withLock { $0.retry.attempts }, reason, status: status,
            address: address?.description, after: wait)
    }

    /// Creates the response for the provider's plugins and operators.
    final func received(_ response: consuming TransportResponse, attempts: Int) -> Response {
        var parts = rareParts
        let streamed = streamedByteCount
        if streamed > 0 { parts = RareParts.adding(streamedByteCount: streamed, to: parts) }
        let response = Response(
            response, parts, call: call, attempts: attempts, notRetried: obstacle, from: started,
            to: now,
            wallTime: provider.transport.wallTime)
        for plugin in call.settings.plugins { plugin.didReceive(.success(response), call: call) }
        return response
    }

    /// - Parameter failure: what the last attempt ended with, if that was at the limit.
    final func limitError(wasSent: Bool, after failure: TransportError? = nil) -> TransportError {
        let (reason, message): (FailureReason, String) =
            endsAtDeadline
            ? (.deadlineExceeded, "the request's deadline passed")
            : (.responseTimeout, "no complete response in time")
        let status = failure?.status
        return TransportError(
            reason, message, summary: status == nil ? nil : failure?.summary, wasSent: wasSent, status: status
        )
    }
}

extension CallRun {
    func attemptHas(_ parts: RareParts) { rareParts = parts }
}

extension CallRun: RunningCall {
    final var entrySoFar: CallEntry {
        let (retry, attempt, retried) = state.withLock { ($0.retry, $0.attempt, $0.retried) }
        let attempts = retry.attempts
        let addressed = attempt as? any AddressedAttempt
        let isUnsent = !retry.wasSent && (attempt == nil || addressed?.isKnownUnsent == true)
        let areLeft = attempts > 0 && attempts < call.settings.policy.retry.maxAttempts
        return CallEntry(
            settings: call.settings, sentMethod: call.method, target: call.target, began: started,
            elapsed: elapsed,
            tries: retried?.number,
            address: addressed?.knownAddress, connection: addressed?.knownConnection, attempts: attempts,
            hasAttemptsLeft: areLeft,
            mayBeRepeated: call.method.isIdempotent || isUnsent)
    }
}
