package import HTTPOutbound

/// What a gateway holds at one moment, all loops together: what is still there when all is quiet is a leak.
package struct GatewayReport: Sendable, Hashable {
    /// Clients' connections.
    package var connections = 0
    /// Requests whose endpoint has not answered.
    package var requests = 0
    /// Connections to the upstreams, and calls that wait for one.
    package var calls = PoolReport()
    /// Timers that are set.
    package var timers = 0
    /// How often the loops have woken since the start: one that spins is told from one that waits.
    package var wakes: Int64 = 0

    static func + (one: GatewayReport, other: GatewayReport) -> GatewayReport {
        GatewayReport(
            connections: one.connections + other.connections, requests: one.requests + other.requests,
            calls: one.calls + other.calls, timers: one.timers + other.timers,
            wakes: one.wakes + other.wakes)
    }
}
