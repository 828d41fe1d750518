/// What one pool, or all pools of a client together, holds at this moment, and has done so far.
public struct PoolReport: Sendable, Hashable {
    /// Connections open and free.
    public var idle = 0
    /// Connections that connect or serve a call.
    public var leased = 0
    /// Calls that wait for a connection.
    public var waiting = 0
    /// Connections begun since the start.
    public var opened = 0
    /// Calls since the start that got a connection which had served another before.
    public var reused = 0

    public init(idle: Int = 0, leased: Int = 0, waiting: Int = 0, opened: Int = 0, reused: Int = 0) {
        self.idle = idle
        self.leased = leased
        self.waiting = waiting
        self.opened = opened
        self.reused = reused
    }

    public static func + (one: PoolReport, other: PoolReport) -> PoolReport {
        PoolReport(
            idle: one.idle + other.idle, leased: one.leased + other.leased,
            waiting: one.waiting + other.waiting,
            opened: one.opened + other.opened, reused: one.reused + other.reused)
    }
}
