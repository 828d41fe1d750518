public import EventIO
public import GatewayCore
public import HTTPInbound
package import HTTPModel
public import HTTPOutbound
public import Networking
public import NetworkingSession

@_exported public import enum GatewayCore.LogLevel

/// The settings of a gateway's server. `sluice serve` has the same defaults.
public struct GatewayServerConfiguration: Sendable {
    /// Numeric address to listen on. Default loopback; `0.0.0.0` and `::` mean every interface.
    public var host = "127.0.0.1"
    /// Port to listen on; 0 takes any free one. Default 8080.
    public var port = 8080
    /// TLS for clients: certificates with their keys, and the authorities of clients' certificates. Files are
    /// read when the gateway starts and at each reload. Default nil: plain HTTP.
    ///
    ///     configuration.tls = TLSServerConfiguration(certificates: [
    ///         .init(certificateChain: .file("app.pem"), privateKey: .file("app.key"))
    ///     ])
    public var tls: TLSServerConfiguration?
    /// `Strict-Transport-Security`, which each answer over TLS has. Default nil: none. Needs `tls`.
    public var strictTransportSecurity: StrictTransportSecurity?
    /// A port for plain HTTP that redirects to https. Default nil: none. Needs `tls`.
    public var redirect: RedirectSettings?
    /// The pin of a throw-away certificate, which the program prints; nil for any other.
    package var throwAwayPin: String?
    /// The names that requests may have in `Host`; any other is 421 `MISDIRECTED`, except on `/health/*`.
    /// Default nil: `.localhost` on a loopback address, else `.any`.
    public var hosts: HostNames?
    /// The proxies in front, and what the gateway does with what they tell about clients. Default: none, so
    /// the peer of each connection is the client.
    public var clients = ClientSettings()
    /// The gateway's name in `Via` and `Proxy-Status`: a token (RFC 9110 5.6.2) of 1 to 64 bytes. Gateways
    /// that call each other may share a name: only a request whose `Via` contains it four times is refused,
    /// with 508. Default `sluice`.
    public var name = "sluice"
    /// Event loops, one thread each. Default: the cores available under CPU affinity and the control group.
    public var loops = ProcessLimits.usableCores()
    /// Where operators reach the gateway. Default: nowhere, but `127.0.0.1:9901` in a program.
    public var admin = AdminSettings()
    /// Addresses by upstream name, which replace those in the code: `["diary": "http://10.0.0.7:8081"]`. An
    /// upstream may have several: `["diary": ["http://10.0.0.7:8081", "http://10.0.0.8:8081"]]`.
    public var upstreams: [String: UpstreamURLs] = [:]
    /// Returns the addresses of an upstream that `upstreams` lacks (`GatewayEnvironment.otherUpstreams`).
    package var otherUpstreams: (@Sendable (String) -> UpstreamURLs?)?
    /// Where values come from, by the keys of a file: `flag`, a variable, or a place in a file. Others are
    /// defaults.
    package var sources: [String: String] = [:]
    /// The version of the program, which the admin listener tells.
    package var version: String?
    /// How long an occupant of the port has to answer whether it is a draining gateway.
    package var occupantTimeout = Self.occupantTimeout
    package static let occupantTimeout = Duration.milliseconds(250)
    /// The least severe level that is logged on standard error. Default `.info`.
    public var logLevel = LogLevel.info
    /// Which requests are logged on standard output. Successful health checks never are. Default `.on`.
    public var accessLog = AccessLogging.on
    /// How lines look on standard output and standard error. Default `.auto`: text on a terminal, else JSON.
    public var logFormat = LogFormat.auto
    /// From when on a request is slow, from its head to its answer, or to the head of a streamed one. Its log
    /// line says on what it spent the time. `EndpointOption.slow` sets it for an endpoint. Default 1 s.
    public var slow = Duration.seconds(1)
    /// Fields of requests that the access log has, with 256 bytes of each. Default none.
    public var logFields = LoggedFields.none
    /// Whose traces are exported, and where to. Default: none.
    public var traces = TraceSettings()
    /// What is measured for metrics.
    public var metrics = MetricsSettings()
    /// Called once for each request, when its answer has been sent or never will be: on the request's loop,
    /// so it must not block. Not called for requests that the server closes its connection on without reading
    /// them. Default: none.
    public var observer: (@Sendable (FinishedRequest) -> Void)?
    /// Sends an answer in another way than HTTP has it, and returns whether it did: for a server that
    /// simulates faults. Called on the request's loop. Default nil.
    package var faultSender: (@Sendable (HTTPResponse, RequestSummary, InboundExchange) -> Bool)?
    /// How long a draining gateway keeps accepting, not ready, so that load balancers notice. Default 1 s.
    public var drainDelay = Duration.seconds(1)
    /// Time from the start of a drain to the reset of the remaining connections, `drainDelay` included.
    /// Default 30 s.
    public var drainDeadline = Duration.seconds(30)
    /// Limits of requests and answers: deadline, request body, merged answer.
    public var limits = GatewayLimits()
    /// Limits for the clients of each loop. `connections` is for all loops together, and at most three
    /// eighths of the descriptors. All `connectionsAboveLimit` together are at most a sixteenth of them, but
    /// one for each loop. Two members are derived and ignored here: `requestBody` is the largest that
    /// `limits` or an endpoint's `.bodyLimit` allows (and `bufferedBodies` is at least that), and
    /// `drainDeadline` is this configuration's minus `drainDelay`.
    public var inbound = InboundLimits()
    /// Limits for the upstream calls of each loop: connections, waiting calls, sizes of responses. The
    /// time-outs for connecting, the first byte, gaps and the whole call are ignored here, since they come
    /// from the provider's `CallPolicy`.
    public var outbound = OutboundLimits()
    /// The Redis servers in which gateways count together, by the names that limits use
    /// (`gateway.rateLimit(..., store: "main")`). Default: none.
    public var stores: [String: RedisStore] = [:]
    /// TLS settings by upstream name or host, and the proxy. Files are read when the gateway starts. Default:
    /// certificates are verified with the system's roots, and there is no proxy.
    public var connections = ConnectionSettings()
    /// Which name servers are asked, and how long their answers are used. Default: c-ares asks the servers in
    /// resolv.conf(5).
    public var dns = DNSSettings()
    /// The retries that may be in flight to one upstream from one loop. Default: 20 % of the calls in flight,
    /// at least 3.
    public var retryBudget = RetryBudget()
    /// The policy of upstreams without one of their own (`Gateway.upstream`): a circuit breaker, and no limit
    /// on calls in flight.
    public var upstreamPolicy = UpstreamPolicy()
    /// Bytes that bodies may use in the whole gateway: bodies of upstreams' responses, and values that a file
    /// composes, until their answers have been handed to the client's connection, and bodies of calls until
    /// the calls end. Bodies of less than 16 KiB count once the small ones of a request are that large
    /// together. Upstreams get fair shares: one alone gets half. Beyond it, calls fail with `memory_limit`.
    /// At least 1 MiB. Default: a quarter of the memory of the machine or control group, at most 1 GiB.
    public var upstreamBodies = min(
        mostUpstreamBodies, max(Ranges.upstreamBodies.lowerBound, ProcessLimits.usableMemory() / 4))
    package static let mostUpstreamBodies = 1 << 30
    /// Which answers are compressed; nil for none. Default: answers of 1 KiB or more whose type compresses
    /// well, unless an endpoint has `.compression(false)`.
    public var compression: CompressionSettings? = CompressionSettings()
    /// The scripts of other origins that may call. Default: none.
    public var cors: CORSPolicy?
    /// Static files for paths that no endpoint matches. Default: none, such paths are 404.
    public var files: StaticFiles?

    package enum Ranges {
        package static let port = 0...65_535
        package static let targetPort = 1...65_535
        package static let certificates = 1...64
        package static let loops = 1...256
        package static let slow = Duration.milliseconds(1)...(.seconds(3600))
        package static let drainDelay = Duration.zero...(.seconds(29))
        package static let upstreamBodies = 1 << 20...1 << 40
    }

    /// Creates a configuration with the defaults.
    public init() {}
}
