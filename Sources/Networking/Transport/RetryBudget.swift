/// How many retries may be in flight to one upstream: at most 20 % of the calls in flight, and 3 in any case.
/// Keeps a struggling upstream from being asked three times as much just then.
///
/// A transport keeps one for each upstream and loop.
public struct RetryBudget: Sendable, Hashable {
    /// As they were counted last.
    public private(set) var callsInFlight = 0
    /// Those that were taken and not given back.
    public private(set) var retriesInFlight = 0
    /// Retries that are always allowed. Default 3.
    public let floor: Int
    /// Retries allowed for every hundred calls in flight. Default 20.
    public let percentage: Int

    /// A budget of nobody's calls yet.
    public init(floor: Int = 3, percentage: Int = 20) {
        self.floor = floor
        self.percentage = percentage
    }

    /// One more call is in flight.
    public mutating func callBegan() {
        callsInFlight += 1
    }

    /// A call has ended; one that had not begun stops the program.
    public mutating func callEnded() {
        precondition(callsInFlight > 0, "a call ended that had not begun")
        callsInFlight -= 1
    }

    /// Takes one retry if there is one to take, for a transport that counts its calls in flight elsewhere.
    public mutating func beginRetry(callsInFlight: Int) -> Bool {
        self.callsInFlight = callsInFlight
        return beginRetry()
    }

    /// Takes one retry if there is one to take.
    public mutating func beginRetry() -> Bool {
        guard retriesInFlight < max(floor, share) else { return false }
        retriesInFlight += 1
        return true
    }

    /// `percentage` of the calls in flight; a percentage without bounds allows any number.
    private var share: Int {
        let (scaled, overflow) = callsInFlight.multipliedReportingOverflow(by: percentage)
        return overflow ? .max : scaled / 100
    }

    /// Gives one back; one that was not taken stops the program.
    public mutating func endRetry() {
        precondition(retriesInFlight > 0, "a retry ended that had not begun")
        retriesInFlight -= 1
    }
}
