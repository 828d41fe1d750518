/// Finds the endpoint that has most of an upstream's time-outs: a majority vote (Boyer and Moore, 1981),
/// which needs no count for each endpoint.
///
/// Times are nanoseconds of a monotonic clock.
public struct TimeoutVote: Sendable {
    /// The endpoint that leads. Nil before the first time-out, and when the last one is too long ago.
    public private(set) var suspect: Int?
    private var lead = 0
    private var last = Int64.min
    /// Bounds the lead, so that a former suspect is forgotten soon.
    private let mostLead: Int
    private let window: Int64

    /// - Parameter policy: time-outs count for its `window`. The suspect changes after fewer time-outs than
    ///   open the circuit.
    public init(_ policy: CircuitBreakerPolicy) {
        mostLead = policy.minimumCalls / 4
        window = policy.window.wholeNanoseconds
    }

    /// An attempt of the endpoint timed out. Returns whether the endpoint has become the suspect.
    public mutating func timedOut(_ endpoint: Int, at now: Int64) -> Bool {
        expire(at: now)
        last = now
        guard let suspect else {
            self.suspect = endpoint
            lead = min(1, mostLead)
            return true
        }
        if suspect == endpoint {
            lead = min(lead + 1, mostLead)
            return false
        }
        lead -= 1
        guard lead < 0 else { return false }
        self.suspect = endpoint
        lead = 0
        return true
    }

    /// Forgets the suspect when no attempt has timed out for the window.
    public mutating func expire(at now: Int64) {
        if suspect != nil, now - last > window { suspect = nil }
    }
}
