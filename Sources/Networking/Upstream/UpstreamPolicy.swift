public import HTTPModel
public import Resilience

@_exported public import struct Resilience.CircuitBreakerPolicy
@_exported public import struct Resilience.EjectionPolicy
@_exported public import struct Resilience.HealthCheckPolicy
@_exported public import struct Resilience.RetryBudget

/// How a gateway protects itself and one upstream from each other. Calls of all loops count together.
///
///     gateway.upstream("weather") {
///         $0.concurrency = 100
///         $0.breaker?.failureRate = 0.3
///     }
public struct UpstreamPolicy: Sendable, Hashable {
    /// The most attempts that may be in flight to the upstream. Attempts beyond that fail at once with
    /// `concurrency_limit`. A cancelled POST that goes on counts until it ends. 1 or more; nil for no limit.
    /// Default nil.
    public var concurrency: Int?
    /// When calls fail at once with `circuit_open`, because the upstream fails too often. Nil for never.
    public var breaker: CircuitBreakerPolicy? = CircuitBreakerPolicy()

    /// When an address is not used for a while, because its attempts fail. It has an effect on upstreams with
    /// several addresses. Nil for never.
    public var ejection: EjectionPolicy? = EjectionPolicy()
    /// How long an address that was added or has returned takes only a part of its load, from 10 % to all of
    /// it. At most 10 min; nil for its whole load at once. Default 10 s.
    public var slowStart: Duration? = .seconds(10)
    /// The health checks of the addresses, in addition to the results of calls. Default nil: no checks.
    public var health: HealthCheckPolicy?
    /// Whether calls accept compressed responses. Default `.unlessNearby`.
    public var compression = UpstreamCompression.unlessNearby

    /// What the upstream learns of the clients of requests. Default nil: what the gateway's
    /// `GatewayEnvironment.forwardClient` says.
    public var forwardClient: ClientForwarding?

    /// Creates the default policy: a breaker, ejection, and no limit on calls in flight.
    public init() {}

    package static let slowStartRange = Duration.zero...(.seconds(600))

    /// One line for each setting out of its range: its name, value and range.
    package var faults: [String] {
        var faults: [String] = []
        if let concurrency, concurrency < 1 { faults.append("concurrency: \(concurrency) is not 1 or more") }
        faults += (breaker?.faults ?? []).map { "breaker.\($0)" }
        faults += (ejection?.faults ?? []).map { "ejection.\($0)" }
        if let slowStart {
            var ranges = RangeFaults()
            ranges.check("slowStart", slowStart, in: Self.slowStartRange)
            faults += ranges.list
        }
        faults += (health?.faults ?? []).map { "health.\($0)" }
        return faults
    }
}
