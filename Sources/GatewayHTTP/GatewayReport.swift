package import HTTPOutbound

/// The resources that all loops of a gateway hold at one moment. Anything left once the gateway is idle is a leak.
package struct GatewayReport: Sendable, Hashable {
    package var connections = 0
    /// Requests that have not been answered.
    package var requests = 0
    /// Connections to upstreams, and calls that wait for one.
    package var calls = PoolReport()
    package var timers = 0
    /// How often the loops have woken since the start, which tells a spinning loop from a waiting one.
    package var wakes: Int64 = 0

    static func + (one: GatewayReport, other: GatewayReport) -> GatewayReport {
        GatewayReport(
            connections: one.connections + other.connections, requests: one.requests + other.requests,
            calls: one.calls + other.calls, timers: one.timers + other.timers,
            wakes: one.wakes + other.wakes)
    }
}
