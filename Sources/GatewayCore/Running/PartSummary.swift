import HTTPModel
public import JSONBytes
@_spi(Records) public import Networking
import Rx

/// What became of a part or step of a request.
public struct PartSummary: Sendable {
    /// Nil for a call that a handler or middleware made itself and that failed the request.
    public let name: String?
    /// Numbers the groups of steps (`Answer.first`) from 0; nil for a part of the answer itself.
    public let step: Int?
    /// Nil if the request ended before the part did.
    public let kind: OutcomeKind?
    /// Nil if the part did not fail.
    public let failure: FailureSummary?
    /// From the start of the endpoint, when the request has arrived, to the part's; nil if the part never
    /// began.
    public var start: Duration? { startNanoseconds.map { .nanoseconds($0) } }
    /// From the part's start to its end. A part that reads others starts once they have ended.
    public var elapsed: Duration { .nanoseconds(elapsedNanoseconds) }
    // As they were measured. Conversions to and from `Duration`, which has 128 bits, are slow.
    package let startNanoseconds: Int64?
    package let elapsedNanoseconds: Int64
    /// The upstream calls that were made for the part, with their attempts.
    public let calls: [UpstreamCallSummary]
}

/// Why a part failed, as the envelope's `errors` says it.
public struct FailureSummary: Sendable {
    /// The kind of the outcome: `networkFail`.
    public let kind: OutcomeKind
    /// Why it failed: `connection_refused`.
    public let reason: FailureReason
    /// The code that the endpoint has declared for the failure, if any.
    public let code: ErrorCode?
    /// The status of the call; nil without a response.
    public let status: Int?
    /// A sentence for the client, without text of the upstream unless the endpoint reveals it.
    public let message: String
    /// What a program needs to handle the failure; nil for none.
    public let details: JSONFragment?
    /// Attempts made; 0 if nothing was sent.
    public let attempts: Int
    /// Why the failed call was not retried although it could have been; nil if nothing held a retry back.
    public let notRetried: RetryObstacle?
    /// The time that the call took with all its attempts, in whole milliseconds.
    public let elapsed: Duration
    /// Whether the same request may succeed later.
    public let isRetryable: Bool

    init(_ failure: PartFailure) {
        kind = failure.kind
        reason = failure.reason
        code = failure.answer.ownCode
        status = failure.status
        message = failure.message
        details = failure.answer.gatewayError?.details
        attempts = failure.attempts
        notRetried = failure.notRetried
        elapsed = .milliseconds(failure.elapsedMilliseconds)
        isRetryable = failure.isRetryable
    }
}

/// One call to an upstream, with all its attempts.
public struct UpstreamCallSummary: Sendable, Hashable {
    /// The upstream's name.
    public let upstream: String
    /// The method: `GET`.
    public let method: String
    /// The address of the last attempt's connection, or of its proxy; nil if none was chosen.
    public let address: String?
    /// What the last attempt reached; nil if nothing was sent.
    public let connection: UpstreamConnectionSummary?
    /// Attempts made; 0 if nothing was sent.
    public let attempts: Int
    /// The status of the response; nil without a complete response.
    public let status: Int?
    /// Why the call failed; nil if it succeeded, was cancelled, or has not ended.
    public let reason: FailureReason?
    /// What exactly failed, for a log alone: it may name hosts and certificates. Nil if `reason` says it all.
    public let detail: String?
    /// From the start of the endpoint to the start of the call.
    public var start: Duration { .nanoseconds(startNanoseconds) }
    /// From the start of the call to its end.
    public var elapsed: Duration { .nanoseconds(elapsedNanoseconds) }
    package let startNanoseconds: Int64
    package let elapsedNanoseconds: Int64
    /// The attempts of a call that was retried, at most 64; else empty.
    public let tries: [UpstreamTrySummary]
    /// The first URL of the upstream.
    package let server: HTTPURL
    /// Path and query of the call.
    package let target: ArraySlice<UInt8>
}

extension UpstreamCallSummary {
    init(_ call: borrowing CallEntry, in log: borrowing AttemptLog, since started: RxTime?) {
        let start = started.map { max(0, CallEntry.nanoseconds(from: $0, to: call.began)) } ?? 0
        startNanoseconds = start
        detail = call.detail
        elapsedNanoseconds = max(0, call.elapsed)
        tries = log.tries(of: call).map { attempt in
            UpstreamTrySummary(
                attempt, start: start + CallEntry.nanoseconds(from: call.began, to: attempt.began),
                elapsed: call.elapsed(of: attempt))
        }
        upstream = call.upstream.name
        server = call.upstream.baseURL
        target = call.target
        method = call.method
        address = call.address?.description
        connection = call.connection.map { UpstreamConnectionSummary(stages: $0) }
        attempts = call.attempts
        status = call.status
        reason = call.reason
    }

    /// A call that is a part by itself and succeeded at its first attempt.
    init(_ call: PlainCall, start: Int64, elapsed: Int64) {
        startNanoseconds = start
        elapsedNanoseconds = elapsed
        detail = nil
        tries = []
        upstream = call.upstream.name
        server = call.upstream.baseURL
        target = call.target
        method = call.methodName
        address = call.address?.description
        connection = call.connection.map { UpstreamConnectionSummary(stages: $0) }
        attempts = 1
        status = 200
        reason = nil
    }
}

/// One attempt of a call that was retried.
public struct UpstreamTrySummary: Sendable, Hashable {
    /// From the start of the endpoint to the start of the attempt.
    public var start: Duration { .nanoseconds(startNanoseconds) }
    /// From the start of the attempt to its end.
    public var elapsed: Duration { .nanoseconds(elapsedNanoseconds) }
    package let startNanoseconds: Int64
    package let elapsedNanoseconds: Int64
    /// The address of the connection, or of its proxy; nil if none was chosen.
    public let address: String?
    /// What the attempt reached; nil for a transport without connections.
    public let connection: UpstreamConnectionSummary?
    /// The status of the response; nil without a complete response.
    public let status: Int?
    /// Why the attempt failed; nil if it did not. An attempt without status and reason was cancelled.
    public let reason: FailureReason?
    /// See `UpstreamCallSummary.detail`.
    public let detail: String?

}

extension UpstreamTrySummary {
    init(_ attempt: AttemptEntry, start: Int64, elapsed: Int64) {
        startNanoseconds = start
        elapsedNanoseconds = elapsed
        address = attempt.address?.description
        connection = attempt.connection.map { UpstreamConnectionSummary(stages: $0) }
        status = attempt.status
        reason = attempt.reason
        detail = attempt.detail
    }
}

/// When an attempt reached which stage, from its start, in whole microseconds.
public struct UpstreamConnectionSummary: Sendable, Hashable {
    /// Whether the connection had served another call before.
    public var isReused: Bool { stages.isReused }
    /// When the pool gave the attempt a connection, or began to open one for it; nil if it never did.
    public var assigned: Duration? { stages.assigned.map { .nanoseconds($0) } }
    /// When the connection was there and the request began to go out; nil if it never did.
    public var sent: Duration? { stages.sent.map { .nanoseconds($0) } }
    /// When the first byte of a response arrived; nil if none did.
    public var firstByte: Duration? { stages.firstByte.map { .nanoseconds($0) } }
    /// The same in nanoseconds.
    package let stages: AttemptConnection

}

extension RequestSummary {
    /// From the request to its answer.
    public var elapsed: Duration { .nanoseconds(nanoseconds) }

    /// The steps and then the parts, in the order of the plan. Each access builds the list.
    public var parts: [PartSummary] { parts(with: context?.copyLog() ?? AttemptLog()) }

    /// Returns the same with a log that was taken.
    package func parts(with log: borrowing AttemptLog) -> [PartSummary] {
        var summaries: [PartSummary] = []
        forEachPartFailure { stage, name, kind, failure, began, nanoseconds, number, link in
            var start: Int64? = began
            var elapsed = nanoseconds
            if let number, let late = log.lateBeginning(of: number) {
                start = late.flatMap { late in started.map { CallEntry.nanoseconds(from: $0, to: late) } }
                elapsed = start.map { max(0, began &+ nanoseconds &- $0) } ?? 0
            }
            var made: [UpstreamCallSummary] = []
            if let call = link?.plainCall {
                made.append(UpstreamCallSummary(call, start: start ?? 0, elapsed: elapsed))
            } else if let number {
                log.forEach(of: number) { made.append(UpstreamCallSummary($0, in: log, since: started)) }
            }
            summaries.append(
                PartSummary(
                    name: name, step: stage, kind: kind, failure: failure.map(FailureSummary.init),
                    startNanoseconds: start, elapsedNanoseconds: elapsed, calls: made))
        }
        return summaries
    }

    /// The upstream calls that a handler or middleware made itself, outside of all parts: at most 64 of a
    /// request are recorded. Each access builds the list.
    public var callsOutsideParts: [UpstreamCallSummary] {
        callsOutsideParts(with: context?.copyLog() ?? AttemptLog())
    }

    /// Returns the same with a log that was taken.
    package func callsOutsideParts(with log: borrowing AttemptLog) -> [UpstreamCallSummary] {
        var made: [UpstreamCallSummary] = []
        log.forEach(of: nil) { made.append(UpstreamCallSummary($0, in: log, since: started)) }
        return made
    }
}
