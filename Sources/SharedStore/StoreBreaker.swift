import EventIO
import Resilience

/// The breaker of one connection: open for a second once half of at least 20 commands within a second have
/// failed. Then one command at a time shows whether the store is back.
struct StoreBreaker {
    enum Admission {
        case passes
        /// The command decides whether the breaker closes.
        case probes
        case refused
    }

    static let policy: CircuitBreakerPolicy = {
        var policy = CircuitBreakerPolicy()
        policy.window = .seconds(1)
        policy.minimumCalls = 20
        policy.failureRate = 0.5
        policy.open = .seconds(1)
        policy.maxOpen = .seconds(1)
        policy.probes = 1
        return policy
    }()

    private var breaker = CircuitBreaker(Self.policy)
    private let window = AttemptWindow(Self.policy.window)

    var isClosed: Bool { breaker.state == .closed }

    mutating func admit(at now: MonotonicTime) -> Admission {
        switch breaker.admit(at: now.nanoseconds).0 {
        case .attempt: .passes
        case .probe: .probes
        case .refused: .refused
        }
    }

    /// A command that passed, or probed, has ended.
    mutating func ended(isFailure: Bool, isProbe: Bool, at now: MonotonicTime) {
        let now = now.nanoseconds
        let jitter = Double.random(in: -1...1)
        guard !isProbe else {
            let change = breaker.probeEnded(isFailure ? .failed : .succeeded, at: now, jitter: jitter)
            if case .closed = change { window.clear() }
            return
        }
        window.count(isFailure: isFailure, at: now)
        guard isFailure else { return }
        let counts = window.counts(at: now)
        _ = breaker.attemptFailed(
            attempts: counts.attempts, failures: counts.failures, at: now, jitter: jitter)
    }

    /// A command that probed says nothing about the store.
    mutating func probeCancelled(at now: MonotonicTime) {
        _ = breaker.probeEnded(.cancelled, at: now.nanoseconds, jitter: 0)
    }
}
