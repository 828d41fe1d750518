import EventIO
import Locking
import Networking
import Resilience
import Synchronization

/// The circuit of one upstream, which all loops of a process share. Each loop counts in its own windows; the
/// loop that sees a failure sums all of them and decides for the process.
final class Circuit: Sendable {
    private let upstream: String
    private let policy: CircuitBreakerPolicy
    private let breaker: Lock<CircuitBreaker>
    private let windows: [LoopAttempts]
    private let circuitChanged: CircuitObserver
    private let open: OpenCircuits
    /// A copy of the breaker's state, so that attempts take no lock while the circuit is closed.
    private let closed = Atomic(true)
    /// When the circuit closed last, in nanoseconds. Earlier attempts do not count.
    private let closedAt = Atomic<Int64>(0)
    /// When the circuit became half-open last, in nanoseconds.
    private let halfOpenedAt = Atomic<Int64>(0)
    private let openings: Atomic<Int>
    private let hasEnded = Atomic(false)
    private let timeouts: Lock<TimeoutVote>
    // Copies of `timeouts`, so that attempts take no lock.
    private let hasSuspect = Atomic(false)
    private let suspect = Atomic(0)
    private let lastTimeout = Atomic<Int64>(0)
    /// How often the suspect has changed.
    private let suspicions = Atomic(0)

    /// - Parameters:
    ///   - openings: how often an earlier circuit of the upstream has opened.
    ///   - open: counts this circuit while it is not closed.
    init(
        of upstream: String, _ policy: CircuitBreakerPolicy, loops: Int, openings: Int = 0,
        among open: OpenCircuits,
        _ circuitChanged: @escaping CircuitObserver
    ) {
        self.upstream = upstream
        self.openings = Atomic(openings)
        self.circuitChanged = circuitChanged
        self.open = open
        self.policy = policy
        breaker = Lock(CircuitBreaker(policy))
        timeouts = Lock(TimeoutVote(policy))
        windows = (0..<loops).map { _ in LoopAttempts(policy) }
    }

    deinit { if !isClosed { open.count(-1) } }

    var isClosed: Bool { closed.load(ordering: .acquiring) }
    var state: CircuitBreaker.State { breaker.withLock { $0.state } }
    var openingCount: Int { openings.load(ordering: .relaxed) }

    /// Where a loop counts.
    func attempts(ofLoop index: Int) -> LoopAttempts { windows[index] }

    /// Decides about an attempt while the circuit is not closed.
    func admit(_ call: TransportCall, at now: MonotonicTime) -> CircuitBreaker.Admission {
        let (admission, change, isSole) = breaker.withLock { breaker in
            let (admission, change) = breaker.admit(of: call.endpointNumber, at: now.nanoseconds)
            if change == .halfOpened { halfOpenedAt.store(now.nanoseconds, ordering: .relaxed) }
            return (admission, change, breaker.soleEndpoint == call.endpointNumber)
        }
        if let change { report(change, for: isSole ? call.endpointName : nil) }
        return admission
    }

    /// Whether an attempt would be refused now.
    func refuses(_ endpoint: Int, at now: MonotonicTime) -> Bool {
        !isClosed && breaker.withLock { $0.refuses(endpoint, at: now.nanoseconds) }
    }

    /// Whether the ends of attempts are to be reported with `attemptEnded`: some have timed out lately.
    @inline(__always)
    var needsEnds: Bool { hasSuspect.load(ordering: .relaxed) }

    /// An attempt has timed out and will be counted.
    @inline(never)
    func attemptTimedOut(of endpoint: Int, at now: MonotonicTime) {
        timeouts.withLock { timeouts in
            if timeouts.timedOut(endpoint, at: now.nanoseconds) {
                suspect.store(endpoint, ordering: .relaxed)
                suspicions.wrappingAdd(1, ordering: .relaxed)
            }
            lastTimeout.store(now.nanoseconds, ordering: .relaxed)
            hasSuspect.store(true, ordering: .relaxed)
        }
    }

    /// An attempt that is not a probe has ended while `needsEnds`. Counts what shows whether the upstream
    /// answers others than the suspect. The suspect's own failures count as well, unless its limits explain
    /// them.
    @inline(never)
    func attemptEnded(
        _ end: AttemptEnd, of call: TransportCall, on loop: LoopAttempts, at now: MonotonicTime
    ) {
        let endpoint = call.endpointNumber
        let isPast = now.nanoseconds - lastTimeout.load(ordering: .relaxed) > policy.window.nanoseconds
        if end == .success, isPast, isClosed { return forgetSuspect(at: now) }
        guard end == .failure || suspect.load(ordering: .relaxed) != endpoint else { return }
        loop.countOther(
            isFailure: end != .success, at: now.nanoseconds, suspicion: suspicions.load(ordering: .relaxed))
        guard !isClosed else { return }
        change(by: call, at: now) { breaker, _ in
            breaker.attemptEnded(isFailure: end != .success, of: endpoint, at: now.nanoseconds)
        }
    }

    private func forgetSuspect(at now: MonotonicTime) {
        timeouts.withLock { timeouts in
            timeouts.expire(at: now.nanoseconds)
            if timeouts.suspect == nil { hasSuspect.store(false, ordering: .relaxed) }
        }
    }

    /// An attempt has failed and was counted.
    @inline(never)
    func attemptFailed(_ call: TransportCall, at now: MonotonicTime) {
        guard isClosed else { return }
        let start = closedAt.load(ordering: .relaxed)
        let counts = windows.reduce(AttemptWindow.Counts()) {
            $0 + $1.all.counts(at: now.nanoseconds, since: start)
        }
        var suspect: Int?
        if needsEnds {
            let suspicion = suspicions.load(ordering: .relaxed)
            let others = windows.reduce(AttemptWindow.Counts()) {
                $0 + $1.othersCounts(at: now.nanoseconds, suspicion: suspicion)
            }
            if others.attempts == 0 {
                suspect = self.suspect.load(ordering: .relaxed)
            } else if Double(others.failures) < policy.failureRate * Double(others.attempts) {
                // The upstream answers, but the suspect does not wait for it.
                return
            }
        }
        change(by: call, at: now) { [suspect] breaker, jitter in
            breaker.attemptFailed(
                attempts: counts.attempts, failures: counts.failures, suspect: suspect, at: now.nanoseconds,
                jitter: jitter)
        }
    }

    /// The probe at one of several addresses failed. The circuit opens again if they have all failed since it
    /// was half-open; otherwise the next probe goes to another one.
    @inline(never)
    func probeFailed(
        _ end: AttemptEnd, of call: TransportCall, at address: LoopAddress?, _ now: MonotonicTime
    ) {
        let isAnyLeft = address?.isAnySound(since: halfOpenedAt.load(ordering: .relaxed)) ?? false
        probeEnded(isAnyLeft ? .cancelled : end == .timeout ? .timedOut : .failed, of: call, at: now)
    }

    @inline(never)
    func probeEnded(
        _ outcome: CircuitBreaker.ProbeOutcome, of call: TransportCall, at now: MonotonicTime
    ) {
        change(by: call, at: now) { breaker, jitter in
            breaker.probeEnded(outcome, of: call.endpointNumber, at: now.nanoseconds, jitter: jitter)
        }
    }

    /// - Parameter call: the call whose attempt causes the change, if any.
    private func change(
        by call: TransportCall?, at now: MonotonicTime,
        _ step: (_ breaker: inout CircuitBreaker, _ jitter: Double) -> CircuitBreaker.Change?
    ) {
        let (change, isSole) = breaker.withLock { breaker in
            let change = step(&breaker, .random(in: -1...1))
            // The windows restart before the first attempt passes.
            if case .closed = change { closedAt.store(now.nanoseconds, ordering: .relaxed) }
            let isClosed = breaker.state == .closed
            if closed.exchange(isClosed, ordering: .acquiringAndReleasing) != isClosed {
                open.count(isClosed ? -1 : 1)
            }
            return (change, breaker.soleEndpoint.map { $0 == call?.endpointNumber } ?? false)
        }
        // A circuit that is not closed for one endpoint alone is changed by its attempts.
        if let change { report(change, for: isSole ? call?.endpointName : nil) }
    }

    /// Another circuit is used for the upstream from now on, or none. Attempts in flight may still count
    /// here, but open nothing.
    func end(at now: MonotonicTime) {
        change(by: nil, at: now) { breaker, _ in breaker.end(at: now.nanoseconds) }
        hasEnded.store(true, ordering: .relaxed)
    }

    /// - Parameter endpoint: the only one that the change is about, if it is not about all.
    private func report(_ change: CircuitBreaker.Change, for endpoint: String? = nil) {
        guard !hasEnded.load(ordering: .relaxed) else { return }
        switch change {
        case .opened, .reopened: openings.wrappingAdd(1, ordering: .relaxed)
        case .halfOpened, .widened, .closed: break
        }
        circuitChanged(upstream, change, endpoint)
    }
}

/// The number of a gateway's circuits that are not closed.
final class OpenCircuits: Sendable {
    private let number = Atomic(0)

    var areThere: Bool { number.load(ordering: .relaxed) > 0 }

    func count(_ change: Int) { number.wrappingAdd(change, ordering: .relaxed) }
}

/// How an attempt ended that says something about its upstream.
enum AttemptEnd {
    case success
    case failure
    /// The attempt failed because it took longer than its limits allow.
    case timeout
}

/// The attempts that one loop has counted for a circuit. Only the loop counts; the others read.
final class LoopAttempts: Sendable {
    let all: AttemptWindow
    /// The attempts of other endpoints than the suspect, and the suspect's attempts that failed without
    /// timing out.
    private let others: AttemptWindow
    /// Which suspect `others` is about.
    private let suspicion = Atomic(0)

    init(_ policy: CircuitBreakerPolicy) {
        all = AttemptWindow(policy.window)
        others = AttemptWindow(policy.window)
    }

    func countOther(isFailure: Bool, at now: Int64, suspicion current: Int) {
        if suspicion.load(ordering: .relaxed) != current {
            others.clear()
            suspicion.store(current, ordering: .releasing)
        }
        others.count(isFailure: isFailure, at: now)
    }

    func othersCounts(at now: Int64, suspicion current: Int) -> AttemptWindow.Counts {
        guard suspicion.load(ordering: .acquiring) == current else { return AttemptWindow.Counts() }
        return others.counts(at: now)
    }
}
