/// The connections and calls of one pool, or all pools of a client, at this moment and so far.
public struct PoolReport: Sendable, Hashable {
    /// Open connections that no call uses.
    public var idle = 0
    /// Connections that are connecting or serve a call.
    public var leased = 0
    /// Leased connections whose response goes to a client of a gateway as it arrives
    /// (`OutboundLimits.relayShare`).
    public var relays = 0
    /// Calls that wait for a connection.
    public var waiting = 0
    /// Connections opened so far.
    public var opened = 0
    /// Calls so far on a connection that had served another call.
    public var reused = 0

    /// Creates a report.
    public init(
        idle: Int = 0, leased: Int = 0, relays: Int = 0, waiting: Int = 0, opened: Int = 0, reused: Int = 0
    ) {
        self.idle = idle
        self.leased = leased
        self.relays = relays
        self.waiting = waiting
        self.opened = opened
        self.reused = reused
    }

    /// Returns the sums of both.
    public static func + (one: PoolReport, other: PoolReport) -> PoolReport {
        PoolReport(
            idle: one.idle + other.idle, leased: one.leased + other.leased,
            relays: one.relays + other.relays, waiting: one.waiting + other.waiting,
            opened: one.opened + other.opened, reused: one.reused + other.reused)
    }
}
