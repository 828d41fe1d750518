import EventIO
import HTTPModel
import HTTPOutbound
package import Metrics
package import Networking

/// The last attempt of one loop's calls to an upstream that failed, or that had a status of 500 and up.
package struct LastFailure: Sendable {
    package let reason: FailureReason
    /// Nil without a response.
    package let status: Int?
    /// The address of the connection; nil if none was chosen.
    package let address: PeerAddress?
    package let at: MonotonicTime
}

/// What one loop counts of the calls to one upstream.
package final class UpstreamCounts {
    private struct AttemptEnd: Equatable {
        /// The first digit of the status; 0 without a response.
        let statusClass: Int
        /// Nil for a response.
        let reason: FailureReason?
    }

    let pools: PoolCounts
    /// Nil until an attempt fails.
    private(set) var lastFailure: LastFailure?
    let label: String
    private let attempts: OutcomeCounters<AttemptEnd>
    private let duration: DurationHistogram
    private let poolWait: DurationHistogram
    private let refused: OutcomeCounters<FailureReason>
    private static let cancelled = FailureReason(token: "cancelled")

    /// - Parameter upstream: the label in metrics.
    init(_ upstream: String, on loop: EventLoop) {
        label = upstream
        let name = loop.metrics.name(.upstream, upstream)
        pools = PoolCounts(name, on: loop.page)
        duration = name.histogram(.upstreamAttemptDuration, on: loop.page)
        poolWait = name.histogram(.upstreamPoolWait, on: loop.page)
        refused = OutcomeCounters(.upstreamRefused, of: name, on: loop.page) { [$0.token] }
        attempts = OutcomeCounters(.upstreamAttempts, of: name, on: loop.page) {
            [$0.statusClass == 0 ? "" : "\($0.statusClass)xx", $0.reason?.token ?? ""]
        }
        // Found first, and at 0 from the beginning.
        attempts.add(AttemptEnd(statusClass: 2, reason: nil), 0)
    }

    /// Makes the series that an upstream has before its first call, at 0.
    package static func begin(_ upstream: MetricName) {
        PoolCounts.begin(upstream)
        _ = upstream.shared(.upstreamAttempts, ["2xx", ""])
        for reason in refusals { _ = upstream.shared(.upstreamRefused, [reason.token]) }
        _ = upstream.shared(.upstreamRetries)
        _ = upstream.sharedHistogram(.upstreamAttemptDuration)
    }

    /// An attempt had a response.
    @inline(__always)
    func attemptEnded(_ status: HTTPStatus, _ timings: borrowing OutboundTimings, at now: MonotonicTime) {
        attempts.add(AttemptEnd(statusClass: status.code / 100, reason: nil))
        count(timings, at: now)
    }

    /// The response of an attempt was a failure of the upstream.
    @inline(never)
    func responseFailed(_ status: HTTPStatus, _ address: PeerAddress?, at now: MonotonicTime) {
        lastFailure = LastFailure(reason: .upstreamStatus, status: status.code, address: address, at: now)
    }

    func attemptFailed(
        _ reason: FailureReason, _ timings: borrowing OutboundTimings, _ address: PeerAddress?,
        at now: MonotonicTime
    ) {
        if Self.isRefusal(reason) {
            poolWait.observe(nanoseconds: ((timings.assigned ?? now) - timings.started).nanoseconds)
            return refused.add(reason)
        }
        attempts.add(AttemptEnd(statusClass: 0, reason: reason))
        count(timings, at: now)
        lastFailure = LastFailure(reason: reason, status: nil, address: address, at: now)
    }

    func attemptCancelled(_ timings: borrowing OutboundTimings, at now: MonotonicTime) {
        attempts.add(AttemptEnd(statusClass: 0, reason: Self.cancelled))
        count(timings, at: now)
    }

    /// An attempt was cancelled before its refusal was reported.
    func attemptCancelled() {
        attempts.add(AttemptEnd(statusClass: 0, reason: Self.cancelled))
        duration.observe(nanoseconds: 0)
        poolWait.observe(nanoseconds: 0)
    }

    @inline(__always)
    private func count(_ timings: borrowing OutboundTimings, at now: MonotonicTime) {
        duration.observe(nanoseconds: (now - timings.started).nanoseconds)
        poolWait.observe(nanoseconds: ((timings.assigned ?? now) - timings.started).nanoseconds)
    }

    /// An attempt did not start.
    func attemptRefused(_ reason: FailureReason) {
        if Self.isRefusal(reason) { refused.add(reason) }
    }

    /// Whether a limit of this process was the reason, so that the attempt says nothing about the upstream.
    private static func isRefusal(_ reason: FailureReason) -> Bool {
        reason == .circuitOpen || reason == .concurrencyLimit || reason == .connectionLimitReached
            || reason == .memoryLimit
    }

    private static let refusals: [FailureReason] = [
        .circuitOpen, .concurrencyLimit, .connectionLimitReached, .memoryLimit,
    ]
}

extension Upstream {
    /// The label in metrics: the name that the code or the file gives it. All servers whose addresses the
    /// targets of a named provider compute count under its name.
    package var label: String { isNamed && !isRedirectTarget ? name : MetricName.other }
}
