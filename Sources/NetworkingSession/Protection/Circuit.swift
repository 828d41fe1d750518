import EventIO
import Locking
import Networking
import Resilience
import Synchronization

/// The circuit of one upstream, which all loops of a process share. Each loop counts in its own window; the loop that
/// sees a failure sums all of them and decides for the process.
final class Circuit: Sendable {
    private let upstream: String
    private let breaker: Lock<CircuitBreaker>
    private let windows: [AttemptWindow]
    private let circuitChanged: CircuitObserver
    /// A copy of the breaker's state, so that attempts take no lock while the circuit is closed.
    private let closed = Atomic(true)
    /// When the circuit closed last, in nanoseconds. Earlier attempts do not count.
    private let closedAt = Atomic<Int64>(0)
    /// When the circuit became half-open last, in nanoseconds.
    private let halfOpenedAt = Atomic<Int64>(0)
    private let openings: Atomic<Int>

    /// - Parameter openings: how often an earlier circuit of the upstream has opened.
    init(
        of upstream: String, _ policy: CircuitBreakerPolicy, loops: Int, openings: Int = 0,
        _ circuitChanged: @escaping CircuitObserver
    ) {
        self.upstream = upstream
        self.openings = Atomic(openings)
        self.circuitChanged = circuitChanged
        breaker = Lock(CircuitBreaker(policy))
        windows = (0..<loops).map { _ in AttemptWindow(policy.window) }
    }

    var isClosed: Bool { closed.load(ordering: .acquiring) }
    var state: CircuitBreaker.State { breaker.withLock { $0.state } }
    var openingCount: Int { openings.load(ordering: .relaxed) }

    /// The window in which a loop counts.
    func window(ofLoop index: Int) -> AttemptWindow { windows[index] }

    /// Decides about an attempt while the circuit is not closed.
    func admit(at now: MonotonicTime) -> CircuitBreaker.Admission {
        let (admission, change) = breaker.withLock { breaker in
            let (admission, change) = breaker.admit(at: now.nanoseconds)
            if change == .halfOpened { halfOpenedAt.store(now.nanoseconds, ordering: .relaxed) }
            return (admission, change)
        }
        if let change { report(change) }
        return admission
    }

    /// An attempt has failed and was counted.
    @inline(never)
    func attemptFailed(at now: MonotonicTime) {
        guard isClosed else { return }
        let start = closedAt.load(ordering: .relaxed)
        let counts = windows.reduce(AttemptWindow.Counts()) {
            $0 + $1.counts(at: now.nanoseconds, since: start)
        }
        change(at: now) { breaker, jitter in
            breaker.attemptFailed(
                attempts: counts.attempts, failures: counts.failures, at: now.nanoseconds, jitter: jitter)
        }
    }

    /// The probe at one of several addresses failed. The circuit opens again if they have all failed since it was half-open;
    /// otherwise the next probe goes to another one.
    @inline(never)
    func probeFailed(at address: LoopAddress?, _ now: MonotonicTime) {
        let isAnyLeft = address?.isAnySound(since: halfOpenedAt.load(ordering: .relaxed)) ?? false
        probeEnded(isAnyLeft ? .cancelled : .failed, at: now)
    }

    @inline(never)
    func probeEnded(_ outcome: CircuitBreaker.ProbeOutcome, at now: MonotonicTime) {
        change(at: now) { breaker, jitter in
            breaker.probeEnded(outcome, at: now.nanoseconds, jitter: jitter)
        }
    }

    private func change(
        at now: MonotonicTime,
        _ step: (_ breaker: inout CircuitBreaker, _ jitter: Double) -> CircuitBreaker.Change?
    ) {
        let change = breaker.withLock { breaker in
            let change = step(&breaker, .random(in: -1...1))
            // The windows begin anew before the first attempt passes.
            if case .closed = change { closedAt.store(now.nanoseconds, ordering: .relaxed) }
            closed.store(breaker.state == .closed, ordering: .releasing)
            return change
        }
        if let change { report(change) }
    }

    private func report(_ change: CircuitBreaker.Change) {
        switch change {
        case .opened, .reopened: openings.wrappingAdd(1, ordering: .relaxed)
        case .halfOpened, .closed: break
        }
        circuitChanged(upstream, change)
    }
}
