/// Stops the attempts to an upstream that fails too often, and tries it again after a while.
///
///     closed     every attempt passes; enough failures within the window open the circuit
///     open       no attempt passes until its time is over
///     half-open  one attempt at a time passes, a probe: enough successes close the circuit, one failure opens it again
///
/// Times are nanoseconds of a monotonic clock. Counting is the caller's (`AttemptWindow`).
public struct CircuitBreaker: Sendable {
    public enum State: Sendable, Hashable {
        case closed
        case open(until: Int64)
        case halfOpen
    }

    public enum Admission: Sendable, Hashable {
        case attempt
        /// The attempt is a probe. Report its end with `probeEnded`.
        case probe
        /// Nothing may be sent for `retryAfter` nanoseconds, or until the probe in flight has ended.
        case refused(retryAfter: Int64)
    }

    public enum Change: Sendable, Hashable {
        /// The circuit opened for `duration` nanoseconds.
        case opened(attempts: Int, failures: Int, duration: Int64)
        case halfOpened
        /// A probe failed: open again for `duration` nanoseconds.
        case reopened(duration: Int64)
        /// All probes succeeded, `absence` nanoseconds after the circuit opened first.
        case closed(absence: Int64)
    }

    public enum ProbeOutcome: Sendable, Hashable {
        case succeeded
        case failed
        /// The probe says nothing about the upstream, and another attempt takes its turn.
        case cancelled
    }

    public let policy: CircuitBreakerPolicy
    public private(set) var state = State.closed
    private var openedAt: Int64 = 0
    /// The next time to stay open, before jitter.
    private var nextDuration: Int64
    private var isProbing = false
    private var successes = 0

    public init(_ policy: CircuitBreakerPolicy) {
        self.policy = policy
        nextDuration = policy.open.wholeNanoseconds
    }

    /// Decides about an attempt. A change is returned once, to the attempt that caused it.
    public mutating func admit(at now: Int64) -> (Admission, Change?) {
        switch state {
        case .closed: return (.attempt, nil)
        case .open(let end) where now < end: return (.refused(retryAfter: end - now), nil)
        case .open:
            state = .halfOpen
            successes = 0
            isProbing = true
            return (.probe, .halfOpened)
        case .halfOpen:
            guard !isProbing else { return (.refused(retryAfter: 0), nil) }
            isProbing = true
            return (.probe, nil)
        }
    }

    /// An attempt failed while the circuit was closed. The numbers are those of the window, with this failure.
    ///
    /// - Parameter jitter: a random number from -1 to 1.
    public mutating func attemptFailed(attempts: Int, failures: Int, at now: Int64, jitter: Double) -> Change?
    {
        guard state == .closed, attempts >= policy.minimumCalls,
            Double(failures) >= policy.failureRate * Double(attempts)
        else { return nil }
        openedAt = now
        return .opened(attempts: attempts, failures: failures, duration: open(at: now, jitter))
    }

    /// A probe has ended.
    ///
    /// - Parameter jitter: a random number from -1 to 1.
    public mutating func probeEnded(_ outcome: ProbeOutcome, at now: Int64, jitter: Double) -> Change? {
        guard state == .halfOpen, isProbing else { return nil }
        isProbing = false
        switch outcome {
        case .cancelled: return nil
        case .failed: return .reopened(duration: open(at: now, jitter))
        case .succeeded:
            successes += 1
            guard successes >= policy.probes else { return nil }
            state = .closed
            nextDuration = policy.open.wholeNanoseconds
            return .closed(absence: now - openedAt)
        }
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
