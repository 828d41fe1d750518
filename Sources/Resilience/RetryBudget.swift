/// The number of retries that may be in flight to one upstream: 20 % of the calls in flight, but at least 3.
/// Protects a struggling upstream from a multiple of its usual load. A transport keeps one budget per
/// upstream and loop.
public struct RetryBudget: Sendable, Hashable {
    /// Number of calls in flight, as last counted.
    public private(set) var callsInFlight = 0
    /// Number of retries not yet given back.
    public private(set) var retriesInFlight = 0
    /// Number of retries that are always allowed. Default 3.
    public let floor: Int
    /// Number of retries allowed per hundred calls in flight. Default 20.
    public let percentage: Int

    /// Creates a budget without calls.
    public init(floor: Int = 3, percentage: Int = 20) {
        self.floor = floor
        self.percentage = percentage
    }

    /// Takes one retry from the budget, if any is left.
    ///
    /// - Parameter callsInFlight: the transport's current count.
    public mutating func beginRetry(callsInFlight: Int) -> Bool {
        self.callsInFlight = callsInFlight
        return beginRetry()
    }

    /// Takes one retry from the budget, if any is left, based on the last count of calls in flight.
    public mutating func beginRetry() -> Bool {
        guard retriesInFlight < max(floor, share) else { return false }
        retriesInFlight += 1
        return true
    }

    private var share: Int {
        let (scaled, overflow) = callsInFlight.multipliedReportingOverflow(by: percentage)
        return overflow ? .max : scaled / 100
    }

    /// Gives one retry back. Does nothing if none was taken.
    public mutating func endRetry() {
        retriesInFlight = max(retriesInFlight - 1, 0)
    }
}
