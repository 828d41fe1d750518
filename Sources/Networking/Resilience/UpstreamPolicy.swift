@_exported public import struct Resilience.CircuitBreakerPolicy

/// How a gateway protects itself and one upstream from each other. Calls of all loops count together.
///
///     gateway.upstream("weather") {
///         $0.concurrency = 100
///         $0.breaker?.failureRate = 0.3
///     }
public struct UpstreamPolicy: Sendable, Hashable {
    /// The most attempts that may be in flight to the upstream; further ones fail at once with `concurrency_limit`. 1 or
    /// more; nil for no limit. Default nil.
    public var concurrency: Int?
    /// When calls fail at once with `circuit_open`, because the upstream fails too often. Nil for never.
    public var breaker: CircuitBreakerPolicy? = CircuitBreakerPolicy()

    /// Creates the default policy: a breaker, and no limit on calls in flight.
    public init() {}

    /// One line for each setting out of its range: its name, value and range.
    package var faults: [String] {
        var faults: [String] = []
        if let concurrency, concurrency < 1 { faults.append("concurrency: \(concurrency) is not 1 or more") }
        faults += (breaker?.faults ?? []).map { "breaker.\($0)" }
        return faults
    }
}
