internal import EventIO
public import Gateway

/// How a gateway is served. The defaults are those of `sluice serve`.
public struct GatewayServerConfiguration: Sendable {
    /// Numeric address to listen on. Default loopback; `0.0.0.0` and `::` mean every interface.
    public var host = "127.0.0.1"
    /// Port to listen on; 0 takes any free one. Default 8080.
    public var port = 8080
    /// Event loops, a thread each. Default: the cores that affinity and the control group leave.
    public var loops = ProcessLimits.usableCores()
    /// Addresses of upstreams by name, which replace those in the code: `["diary": "http://10.0.0.7:8081"]`.
    public var upstreams: [String: String] = [:]
    /// What is told on standard error. Default `.info`.
    public var logLevel = LogLevel.info
    /// Whether each request is told on standard output. Default true.
    public var accessLog = true
    /// How long a gateway that was told to leave serves on, not ready, before its listener closes: the time
    /// that a load balancer needs to notice. Default 1 s.
    public var drainDelay = Duration.seconds(1)
    /// Time from being told to leave to the reset of what is left, `drainDelay` included. Default 30 s.
    public var drainDeadline = Duration.seconds(30)
    /// What the gateway allows: deadline, request body, merged answer.
    public var limits = GatewayLimits()
    /// Which browsers' scripts of other origins may call. Default: none.
    public var cors: CORSPolicy?

    public init() {}
}

/// Why a gateway could not start, for the person who started it.
public struct GatewayStartError: Error, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
