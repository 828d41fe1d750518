/// Stops the attempts to an upstream that fails too often, and tries it again after a while.
///
///     closed     every attempt passes; enough failures within the window open the circuit
///     open       no attempt passes until its time is over
///     half-open  one attempt at a time passes, a probe: enough successes close the circuit, and one failure
///                opens it again
///
/// Time-outs of one endpoint say as much about its limits as about the upstream. If nothing else opened the
/// circuit, it is open for this endpoint, the suspect, and attempts of the others pass: the first success
/// closes the circuit, the first failure opens it for all. Likewise, after a probe of one endpoint has timed
/// out, the next probe is left to another endpoint.
///
/// Times are nanoseconds of a monotonic clock. Counting is the caller's (`AttemptWindow`, `TimeoutVote`).
/// Endpoints are numbers.
public struct CircuitBreaker: Sendable {
    /// Whether attempts pass, and since when they do not.
    public enum State: Sendable, Hashable {
        case closed
        case open(until: Int64)
        case halfOpen
    }

    /// The decision about an attempt.
    public enum Admission: Sendable, Hashable {
        case attempt
        /// The attempt is a probe. Report its end with `probeEnded`.
        case probe
        /// Nothing may be sent for `retryAfter` nanoseconds, or until the probe in flight has ended.
        case refused(retryAfter: Int64)
    }

    /// A change of the state, for logs and metrics.
    public enum Change: Sendable, Hashable {
        /// The circuit opened for `duration` nanoseconds.
        case opened(attempts: Int, failures: Int, duration: Int64)
        case halfOpened
        /// The circuit was open for one endpoint alone, and an attempt of another one failed: no longer for
        /// it alone.
        case widened
        /// A probe failed: open again for `duration` nanoseconds.
        case reopened(duration: Int64)
        /// All probes succeeded, `absence` nanoseconds after the circuit opened first.
        case closed(absence: Int64)
    }

    /// How a probe ended.
    public enum ProbeOutcome: Sendable, Hashable {
        case succeeded
        case failed
        /// The probe failed because it took longer than its endpoint allows.
        case timedOut
        /// The probe says nothing about the upstream, and another attempt takes its turn.
        case cancelled
    }

    /// The thresholds and times.
    public let policy: CircuitBreakerPolicy
    /// The state at the last decision. An open circuit whose time is over is half-open with the next attempt.
    public private(set) var state = State.closed
    private var openedAt: Int64 = 0
    /// The next time to stay open, before jitter.
    private var nextDuration: Int64
    private var isProbing = false
    private var successes = 0
    /// The only endpoint whose attempts show that the upstream fails. Nil if there are others, or while the
    /// circuit is closed.
    private var suspect: Int?
    /// Whether attempts of other endpoints pass, because none of them has failed yet.
    private var passesOthers = false
    /// The endpoint for which alone the circuit is not closed; nil if it is so for all, or for none.
    public var soleEndpoint: Int? { passesOthers ? suspect : nil }
    /// While the circuit is half-open for the others: when the suspect may send a probe again.
    private var suspectWaitsUntil = Int64.min

    /// Creates a closed circuit.
    public init(_ policy: CircuitBreakerPolicy) {
        self.policy = policy
        nextDuration = policy.open.wholeNanoseconds
    }

    /// Decides about an attempt. A change is returned once, to the attempt that caused it.
    ///
    /// - Parameter endpoint: whose attempt it is.
    public mutating func admit(of endpoint: Int = 0, at now: Int64) -> (Admission, Change?) {
        let isOther = suspect.map { $0 != endpoint } ?? false
        if isOther, passesOthers { return (.attempt, nil) }
        switch state {
        case .closed: return (.attempt, nil)
        case .open(let end):
            guard now >= end || isOther else { return (.refused(retryAfter: end - now), nil) }
            state = .halfOpen
            successes = 0
            isProbing = true
            suspectWaitsUntil = end
            return (.probe, .halfOpened)
        case .halfOpen:
            guard !isProbing else { return (.refused(retryAfter: 0), nil) }
            if endpoint == suspect, now < suspectWaitsUntil {
                return (.refused(retryAfter: suspectWaitsUntil - now), nil)
            }
            isProbing = true
            return (.probe, nil)
        }
    }

    /// Whether an attempt would be refused now.
    public func refuses(_ endpoint: Int = 0, at now: Int64) -> Bool {
        var next = self
        if case (.refused, _) = next.admit(of: endpoint, at: now) { return true }
        return false
    }

    /// An attempt failed while the circuit was closed. The numbers are counts of the window, with this
    /// failure.
    ///
    /// - Parameters:
    ///   - suspect: the endpoint that has timed out, without evidence from others.
    ///   - jitter: a random number from -1 to 1.
    public mutating func attemptFailed(
        attempts: Int, failures: Int, suspect: Int? = nil, at now: Int64, jitter: Double
    ) -> Change? {
        guard state == .closed, attempts >= policy.minimumCalls,
            Double(failures) >= policy.failureRate * Double(attempts)
        else { return nil }
        openedAt = now
        self.suspect = suspect
        passesOthers = suspect != nil
        return .opened(attempts: attempts, failures: failures, duration: open(at: now, jitter))
    }

    /// An attempt that is not a probe has ended while the circuit is not closed.
    public mutating func attemptEnded(isFailure: Bool, of endpoint: Int, at now: Int64) -> Change? {
        guard passesOthers, let suspect, suspect != endpoint else { return nil }
        guard isFailure else { return close(at: now) }
        self.suspect = nil
        passesOthers = false
        return .widened
    }

    /// A probe has ended.
    ///
    /// - Parameters:
    ///   - endpoint: whose probe it was.
    ///   - jitter: a random number from -1 to 1.
    public mutating func probeEnded(
        _ outcome: ProbeOutcome, of endpoint: Int = 0, at now: Int64, jitter: Double
    ) -> Change? {
        guard state == .halfOpen, isProbing else { return nil }
        isProbing = false
        switch outcome {
        case .cancelled: return nil
        case .failed, .timedOut:
            let isOther = suspect.map { $0 != endpoint } ?? false
            if outcome == .failed || isOther {
                suspect = nil
                passesOthers = false
            } else {
                suspect = endpoint
            }
            // The rest of the time that the suspect's probe has begun.
            if isOther, suspectWaitsUntil > now {
                state = .open(until: suspectWaitsUntil)
                return .reopened(duration: suspectWaitsUntil - now)
            }
            return .reopened(duration: open(at: now, jitter))
        case .succeeded:
            successes += 1
            guard successes >= policy.probes else { return nil }
            return close(at: now)
        }
    }

    /// Ends the use of the circuit. Returns nil if it is closed already.
    public mutating func end(at now: Int64) -> Change? { state == .closed ? nil : close(at: now) }

    private mutating func close(at now: Int64) -> Change {
        state = .closed
        isProbing = false
        suspect = nil
        passesOthers = false
        nextDuration = policy.open.wholeNanoseconds
        return .closed(absence: now - openedAt)
    }

    private mutating func open(at now: Int64, _ jitter: Double) -> Int64 {
        let longest = policy.maxOpen.wholeNanoseconds
        // A jitter beyond `maxOpen` would break its promise.
        let duration = min(longest, Int64(Double(nextDuration) * (1 + 0.1 * jitter)))
        nextDuration = min(longest, nextDuration * 2)
        state = .open(until: now + duration)
        return duration
    }
}

extension Duration {
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
