import EventIO
public import GatewayCore
public import NetworkingSession

@_exported public import struct HTTPInbound.InboundLimits
@_exported public import struct HTTPOutbound.OutboundLimits
@_exported public import struct Networking.RetryBudget
@_exported public import struct NetworkingSession.ConnectionSettings

/// How a gateway is served. The defaults are those of `sluice serve`.
public struct GatewayServerConfiguration: Sendable {
    /// Numeric address to listen on. Default loopback; `0.0.0.0` and `::` mean every interface.
    public var host = "127.0.0.1"
    /// Port to listen on; 0 takes any free one. Default 8080.
    public var port = 8080
    /// The names that requests may have in `Host`; another one is 421 `MISDIRECTED`, except on `/health/*`. Default nil:
    /// `.localhost` on a loopback address, else `.any`.
    public var hosts: HostNames?
    /// The gateway's name in `Via` and `Proxy-Status`: a token (RFC 9110 5.6.2) of 1 to 64 bytes. Gateways that call each
    /// other may share it: a request is refused with 508 when the name is in its `Via` for the fourth time. Default
    /// `sluice`.
    public var name = "sluice"
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
    /// What clients may ask of each loop, and how long they may take. `connections` is the whole process's, capped at half
    /// of the descriptors and divided among the loops. Two of its members follow from others and are not looked at:
    /// `requestBody` is the largest that `limits` or an endpoint's `.bodyLimit` allows (and `bufferedBodies` never less), and
    /// `drainDeadline` what `drainDelay` leaves of this configuration's.
    public var inbound = InboundLimits()
    /// What each loop's calls to upstreams may take: connections, waiting calls, sizes of responses. The times of a call to
    /// connect, to its first byte, between bytes and in all are not looked at: they are its provider's `CallPolicy`.
    public var outbound = OutboundLimits()
    /// TLS of upstreams, by their name or host, and the proxy before them; its files are read as the gateway starts. Default:
    /// verified by the system's roots, no proxy.
    public var connections = ConnectionSettings()
    /// How many retries may be in flight to one upstream from one loop. Default: 20 % of the calls in flight, and 3 in any case.
    public var retryBudget = RetryBudget()
    /// Which browsers' scripts of other origins may call. Default: none.
    public var cors: CORSPolicy?
    /// What is served where no endpoint has the path. Default: nothing, it is 404.
    public var files: StaticFiles?

    public init() {}

    /// One loop's limits.
    ///
    /// - Parameters:
    ///   - largestBody: the longest request body that any endpoint takes.
    ///   - descriptors: what the process may have open.
    func inboundLimits(largestBody: Int, descriptors: Int) -> InboundLimits {
        var limits = inbound
        limits.connections = InboundLimits.connections(
            inbound.connections, descriptors: descriptors, loops: loops)
        limits.requestBody = largestBody
        limits.bufferedBodies = max(inbound.bufferedBodies, largestBody)
        limits.drainDeadline = max(.zero, drainDeadline - drainDelay)
        return limits
    }
}

/// Why a gateway could not start, for the person who started it.
public struct GatewayStartError: Error, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
