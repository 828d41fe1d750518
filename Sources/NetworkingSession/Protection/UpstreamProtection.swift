import EventIO
import Networking
import Resilience
import Synchronization

/// One upstream's circuit and its limit on attempts in flight.
final class UpstreamProtection: Sendable {
    let name: String
    /// Nil without a breaker.
    let circuit: Circuit?
    private let concurrency: Int?
    private let breaker: CircuitBreakerPolicy?
    private let counts: Counts

    /// What goes on under a new policy.
    private final class Counts: Sendable {
        let inFlight = Atomic(0)
        let refusals = Atomic(0)
    }

    init(
        _ name: String, _ policy: UpstreamPolicy, loops: Int, among open: OpenCircuits,
        _ circuitChanged: @escaping CircuitObserver
    ) {
        self.name = name
        concurrency = policy.concurrency
        breaker = policy.breaker
        counts = Counts()
        circuit = policy.breaker.map { Circuit(of: name, $0, loops: loops, among: open, circuitChanged) }
    }

    private init(
        _ other: UpstreamProtection, _ policy: UpstreamPolicy, loops: Int, among open: OpenCircuits,
        _ circuitChanged: @escaping CircuitObserver
    ) {
        name = other.name
        concurrency = policy.concurrency
        breaker = policy.breaker
        counts = other.counts
        circuit =
            policy.breaker == other.breaker
            ? other.circuit
            : policy.breaker.map {
                Circuit(
                    of: other.name, $0, loops: loops, openings: other.circuit?.openingCount ?? 0,
                    among: open, circuitChanged)
            }
    }

    /// Returns the protection by another policy: the same object if nothing has changed, nil if there is
    /// nothing to protect by. Attempts in flight count on. A circuit with other settings begins closed.
    func following(
        _ policy: UpstreamPolicy, loops: Int, among open: OpenCircuits,
        _ circuitChanged: @escaping CircuitObserver
    ) -> UpstreamProtection? {
        if policy.breaker == breaker, policy.concurrency == concurrency { return self }
        guard policy.breaker != nil || policy.concurrency != nil else { return nil }
        return UpstreamProtection(self, policy, loops: loops, among: open, circuitChanged)
    }

    var report: UpstreamReport {
        UpstreamReport(
            circuit: circuit?.state, openings: circuit?.openingCount ?? 0,
            attemptsInFlight: concurrency == nil ? nil : counts.inFlight.load(ordering: .relaxed),
            refusals: counts.refusals.load(ordering: .relaxed))
    }

    /// Admits an attempt. Returns whether it is a probe.
    @inline(__always)
    func admit(_ call: TransportCall, at now: MonotonicTime) throws(TransportError) -> Bool {
        let isProbe = circuit?.isClosed ?? true ? false : try admitProbe(call, at: now)
        if concurrency != nil { try enter(call, isProbe, at: now) }
        return isProbe
    }

    @inline(never)
    private func admitProbe(_ call: TransportCall, at now: MonotonicTime) throws(TransportError) -> Bool {
        switch circuit?.admit(call, at: now) {
        case .probe: return true
        case .attempt, nil: return false
        case .refused(let wait):
            counts.refusals.wrappingAdd(1, ordering: .relaxed)
            throw TransportError(
                .circuitOpen, "the circuit of \(name) is open",
                retryAfter: max(.seconds(1), .nanoseconds(wait)))
        }
    }

    @inline(never)
    private func enter(_ call: TransportCall, _ isProbe: Bool, at now: MonotonicTime) throws(TransportError) {
        guard let concurrency else { return }
        guard counts.inFlight.wrappingAdd(1, ordering: .relaxed).oldValue < concurrency else {
            counts.inFlight.wrappingSubtract(1, ordering: .relaxed)
            counts.refusals.wrappingAdd(1, ordering: .relaxed)
            if isProbe { circuit?.probeEnded(.cancelled, of: call, at: now) }
            // At random, so that the clients do not come back together.
            throw TransportError(
                .concurrencyLimit, "\(concurrency) attempts are in flight to \(name)",
                retryAfter: .seconds(Int.random(in: 1...3)))
        }
    }

    @inline(__always)
    func leave() {
        if concurrency != nil { counts.inFlight.wrappingSubtract(1, ordering: .relaxed) }
    }

    /// Counts one attempt more in flight as long as the returned object lives. Nil without a limit.
    func hold() -> (any AnyObject & Sendable)? { concurrency == nil ? nil : Hold(counts) }

    private final class Hold: Sendable {
        private let counts: Counts

        init(_ counts: Counts) {
            self.counts = counts
            counts.inFlight.wrappingAdd(1, ordering: .relaxed)
        }

        deinit { counts.inFlight.wrappingSubtract(1, ordering: .relaxed) }
    }
}
