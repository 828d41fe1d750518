import EventIO
import GatewayConfig
import Locking
import Metrics
import Networking
import NetworkingSession
import Resilience
import Synchronization

/// Logs upstreams that become unreachable or reachable again and, at `debug`, failed and retried calls. All
/// loops share one. It is called for failed calls, and for the responses of an upstream that has failed.
final class UpstreamLog: UpstreamObserver {
    private struct State {
        var reachability = UpstreamReachability()
        /// The observed upstream: the last one of this name that failed.
        var watched: Upstream?

        mutating func watch(_ upstream: Upstream) {
            guard watched !== upstream else { return }
            endWatch()
            upstream.beginWatch()
            watched = upstream
        }

        mutating func endWatch() {
            watched?.endWatch()
            watched = nil
        }
    }

    private let log: Log
    /// Where retries, and what kept calls from them, are counted; nil to count none.
    private let metrics: MetricTable?
    private let clock: @Sendable () -> MonotonicTime
    /// States by upstream name. The endpoints' code bounds the number of names.
    private let states = Lock<[String: State]>([:])
    /// The time in nanoseconds from which an answered call can change `states`. Before it, answered calls
    /// take no lock.
    private let nextAnswer = Atomic(Int64.max)

    /// `clock` measures the intervals between messages.
    init(
        _ log: Log, metrics: MetricTable? = nil,
        clock: @escaping @Sendable () -> MonotonicTime = { .clock() }
    ) {
        self.log = log
        self.metrics = metrics
        self.clock = clock
    }

    deinit {
        states.withLock { states in
            for name in states.keys { states[name]?.endWatch() }
        }
    }

    /// Observes the upstreams of a new generation, which replace others with the same name. The others end.
    func replace(_ earlier: [Upstream], by current: [Upstream]) {
        states.withLock { states in
            for upstream in earlier where !current.contains(where: { $0 === upstream }) {
                guard states[upstream.name]?.watched === upstream else { continue }
                if let next = current.first(where: { $0.name == upstream.name }) {
                    states[upstream.name]?.watch(next)
                } else {
                    states[upstream.name]?.endWatch()
                    states[upstream.name] = nil
                }
            }
        }
    }

    func callFailed(to upstream: Upstream, _ reason: FailureReason, _ detail: String, address: String?) {
        if log.isDebug {
            log.write(
                .debug, reason.isOwnRefusal ? "upstream call refused" : "upstream call failed",
                ["upstream": upstream.name, "address": address, "reason": reason.token, "detail": detail])
        }
        // The target of a redirect has the upstream's name but is another server.
        guard reason.isConnectionFailure, !upstream.isRedirectTarget else { return }
        let now = clock()
        let line = change(upstream) { state in
            state.watch(upstream)
            return state.reachability.callFailed(now: now)
        }
        guard line != nil else { return }
        log.write(
            .warning, "upstream unreachable",
            ["upstream": upstream.name, "address": address, "reason": reason.token, "detail": detail])
    }

    func callAnswered(by upstream: Upstream) {
        let now = clock()
        guard now.nanoseconds >= nextAnswer.load(ordering: .relaxed) else { return }
        let line = change(upstream) { state in
            guard state.watched === upstream else { return nil }
            let line = state.reachability.callAnswered(now: now)
            if state.reachability.nextAnswer == nil { state.endWatch() }
            return line
        }
        guard case .back(let absence) = line else { return }
        log.write(
            .warning, "upstream is back",
            ["upstream": upstream.name, "unreachableMs": absence.nanoseconds / 1_000_000])
    }

    func callIsRetried(
        to upstream: Upstream, attempt: Int, _ reason: FailureReason, status: Int?, address: String?,
        after wait: Int64
    ) {
        guard log.isDebug else { return }
        log.write(
            .debug, "upstream call retried",
            [
                "upstream": upstream.name, "address": address, "attempt": attempt,
                "reason": reason.token, "status": status, "delayMs": wait / 1_000_000,
            ])
    }

    func callEnded(to upstream: Upstream, retries: Int) {
        metrics?.name(.upstream, upstream.label).shared(.upstreamRetries).add(retries)
    }

    func callIsNotRetried(to upstream: Upstream, because rule: RetryObstacle) {
        metrics?.name(.upstream, upstream.label).shared(.upstreamNotRetried, [rule.token]).add()
    }

    func addressChanged(of upstream: String, _ address: String, _ change: AddressHealth.Change) {
        switch change {
        case .ejected(let failures, let duration):
            log.write(
                .warning, "address ejected",
                [
                    "upstream": upstream, "address": address, "failures": failures,
                    "outMs": milliseconds(duration),
                ])
        case .returned(let absence):
            log.write(
                .warning, "address is back",
                ["upstream": upstream, "address": address, "outMs": milliseconds(absence)])
        case .becameUnhealthy(let checks):
            log.write(
                .warning, "address unhealthy",
                ["upstream": upstream, "address": address, "failedChecks": checks])
        case .becameHealthy:
            log.write(.warning, "address healthy", ["upstream": upstream, "address": address])
        case .released:
            log.write(.warning, "address used again", ["upstream": upstream, "address": address])
        }
    }

    /// - Parameter endpoint: the only one that the circuit is open for, if it is not open for all.
    func circuitChanged(of upstream: String, _ change: CircuitBreaker.Change, for endpoint: String?) {
        switch change {
        case .opened(let attempts, let failures, let duration):
            log.write(
                .warning, "circuit opened",
                [
                    "upstream": upstream, "endpoint": endpoint, "attempts": attempts,
                    "failures": failures, "openMs": milliseconds(duration),
                ])
        case .halfOpened:
            log.write(.info, "circuit half-open", ["upstream": upstream, "endpoint": endpoint])
        case .widened:
            log.write(.warning, "circuit open for all endpoints", ["upstream": upstream])
        case .reopened(let duration):
            log.write(
                .warning, "circuit opened again",
                ["upstream": upstream, "endpoint": endpoint, "openMs": milliseconds(duration)])
        case .closed(let absence):
            log.write(
                .warning, "circuit closed", ["upstream": upstream, "notClosedMs": milliseconds(absence)])
        }
    }

    private func milliseconds(_ nanoseconds: Int64) -> Int { Int(nanoseconds / 1_000_000) }

    private func change(
        _ upstream: Upstream, _ change: (inout State) -> UpstreamReachability.Line?
    ) -> UpstreamReachability.Line? {
        states.withLock { states in
            let line = change(&states[upstream.name, default: State()])
            let next = states.values.compactMap { $0.reachability.nextAnswer?.nanoseconds }.min()
            nextAnswer.store(next ?? .max, ordering: .relaxed)
            return line
        }
    }
}

extension FailureReason {
    fileprivate var isOwnRefusal: Bool {
        self == .connectionLimitReached || self == .concurrencyLimit || self == .circuitOpen
    }

    /// Whether a call failed because no connection could be established.
    fileprivate var isConnectionFailure: Bool {
        switch self {
        case .dnsError, .dnsTimeout, .connectionRefused, .connectionTimeout, .destinationUnavailable,
            .tlsProtocolError, .tlsCertificateError, .tlsAlertReceived:
            true
        default: false
        }
    }
}
