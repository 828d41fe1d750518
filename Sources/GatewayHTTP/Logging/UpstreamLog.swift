import EventIO
import Locking
import Networking
import Synchronization

/// Tells of upstreams that become unreachable and come back, and at `debug` of calls that fail and are made again.
///
/// All loops share one. It is called where calls fail, and for the responses of an upstream that has failed.
final class UpstreamLog: UpstreamObserver {
    private struct State {
        var reachability = UpstreamReachability()
        /// Whose responses this hears of: the upstream that failed last, of those that have the name.
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
    private let clock: @Sendable () -> MonotonicTime
    /// By name. There are as many as the endpoints' code names.
    private let states = Lock<[String: State]>([:])
    /// Nanoseconds on the clock from which an answered call changes any of `states`: until then none takes the lock.
    private let nextAnswer = Atomic(Int64.max)

    /// - Parameter clock: what a minute is measured by.
    init(_ log: Log, clock: @escaping @Sendable () -> MonotonicTime = { .clock() }) {
        self.log = log
        self.clock = clock
    }

    deinit {
        states.withLock { states in
            for name in states.keys { states[name]?.endWatch() }
        }
    }

    func callFailed(to upstream: Upstream, _ reason: FailureReason, address: String?) {
        if log.isDebug {
            log.write(
                .debug, reason == .connectionLimitReached ? "upstream call refused" : "upstream call failed",
                ["upstream": upstream.name, "address": address, "reason": reason.token])
        }
        // What a redirect leads to has the upstream's name, and is not it.
        guard reason.isWantOfConnection, !upstream.isRedirectTarget else { return }
        let now = clock()
        let line = change(upstream) { state in
            state.watch(upstream)
            return state.reachability.callFailed(now: now)
        }
        guard line != nil else { return }
        log.write(
            .warning, "upstream unreachable",
            ["upstream": upstream.name, "address": address, "reason": reason.token])
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
            ["upstream": upstream.name, "unreachableMs": "\(absence.nanoseconds / 1_000_000)"])
    }

    func callIsRetried(
        to upstream: Upstream, attempt: Int, _ reason: FailureReason, status: Int?, address: String?,
        after wait: Int64
    ) {
        guard log.isDebug else { return }
        log.write(
            .debug, "upstream call retried",
            [
                "upstream": upstream.name, "address": address, "attempt": "\(attempt)",
                "reason": reason.token, "status": status.map { "\($0)" }, "delayMs": "\(wait / 1_000_000)",
            ])
    }

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
    /// Whether a call failed since no connection could be made.
    fileprivate var isWantOfConnection: Bool {
        switch self {
        case .dnsError, .dnsTimeout, .connectionRefused, .connectionTimeout, .destinationUnavailable,
            .tlsProtocolError, .tlsCertificateError, .tlsAlertReceived:
            true
        default: false
        }
    }
}
