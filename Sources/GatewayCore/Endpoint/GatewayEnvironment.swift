public import HTTPModel
public import JSONBytes
package import Metrics
public import Networking

/// What a gateway needs from its process.
public struct GatewayEnvironment: Sendable {
    /// Carries the upstream calls. Its scheduler provides the gateway's clock and timers.
    public var transport: any Transport
    /// Addresses by upstream name that replace the targets' own:
    /// `["diary": "http://127.0.0.1:9001/food-diary"]`. An upstream may have several.
    public var upstreamOverrides: [String: UpstreamURLs]
    /// Returns the addresses of an upstream that `upstreamOverrides` lacks; nil for the targets' own. Tests
    /// use it, so that no call leaves the machine.
    package var otherUpstreams: (@Sendable (String) -> UpstreamURLs?)?
    /// Names of upstreams that have connection settings. An undeclared one is a declaration fault. Default
    /// none.
    public var configuredUpstreams: Set<String>
    /// The policy of upstreams without one of their own (`Gateway.upstream`). Carried out by the transport.
    public var upstreamPolicy: UpstreamPolicy
    /// Reads large bodies of requests on another thread. Returns false if too much waits there. Default nil:
    /// they are read at once.
    package var workApart: WorkApart?
    /// The same for what is made of large responses.
    package var responseWorkApart: WorkApart?
    /// Runs what handlers and shared values pass to `blocking(_:)` on other threads. Returns false if too
    /// much waits there. Default nil: it is run at once.
    package var blockingWork: (@Sendable (_ work: WaitingWork) -> Bool)?
    /// Makes the executors of the tasks of an endpoint or a shared value, by its name: `GET /products/{id}`.
    /// Default nil: the loops themselves run them, without knowing whose they are.
    package var executors: (@Sendable (_ name: String) -> any NamedExecutors)?
    /// Called with the name of an endpoint, `GET /products/{id}`, each time that work of a request goes to
    /// the main queue, on any thread. Must not block. Default: nobody is told.
    package var noteMainQueue: @Sendable (_ endpoint: String) -> Void = { _ in }
    /// Where `GatewayRequest.log` writes. Default nil: nowhere.
    package var log: (any RequestLog)?
    /// Whether policies and upstreams take effect as they are declared. False for a gateway that replaces a
    /// running one, and so has to be complete first. Default true.
    package var appliesDeclarations = true
    /// The loads of shared values in progress, also of other generations of the gateway.
    package var sharedLoads = SharedLoads()
    /// Signing keys and the counts of limits, of all generations of the gateway.
    package var access = AccessState()
    /// What counts limits for several processes, by the names that limits have for it. Default none.
    package var rateLimitStores: [String: any RateLimitStore] = [:]
    /// Called for what the log says about signing keys, on any thread. Must not block. Default: nobody is
    /// told.
    package var reportAccess: @Sendable (AccessEvent) -> Void = { _ in }
    /// Called for each message of an upstream call that breaks a contract, on any thread. Must not block.
    /// Default: nobody is told.
    package var reportContract: @Sendable (BrokenContract) -> Void = { _ in }
    /// Whether the server asks clients for certificates. Without it an entry that reads them is a fault.
    /// Default true, for gateways without a server.
    package var seesCertificates = true
    /// The paths at which the server answers before any endpoint. An endpoint at one of them is a fault.
    /// Default none.
    package var ownPaths: [String] = []
    /// Where the gateway's own code counts.
    package var metrics = MetricTable()
    /// The gateway's name in `Via` and `Proxy-Status`. Default `sluice`.
    public var name: GatewayName
    /// What upstreams learn of the clients of requests, unless their policy says otherwise. Default nothing.
    public var forwardClient = ClientForwarding.none
    /// The scheme of requests of which no trusted proxy tells one. Default `http`.
    public var scheme = "http"
    /// Called for each incident, on the loop of the request: it must not block.
    public var report: @Sendable (GatewayIncident) -> Void
    /// Called for each fault of code outside of requests, on any thread. Must not block. Default: faults are
    /// dropped.
    package var reportBackground: @Sendable (BackgroundFault) -> Void = { _ in }

    /// Creates an environment. Without `report`, incidents are dropped.
    public init(
        transport: any Transport,
        upstreamOverrides: [String: UpstreamURLs] = [:],
        configuredUpstreams: Set<String> = [],
        upstreamPolicy: UpstreamPolicy = UpstreamPolicy(),
        name: GatewayName = .standard,
        report: @escaping @Sendable (GatewayIncident) -> Void = { _ in }
    ) {
        self.transport = transport
        self.upstreamOverrides = upstreamOverrides
        self.configuredUpstreams = configuredUpstreams
        self.upstreamPolicy = upstreamPolicy
        self.name = name
        self.report = report
    }
}

/// An unexpected error in an endpoint's code or in the gateway, of which clients see only `500 INTERNAL`, or
/// a request that a limit ended (`isRefusal`).
public struct GatewayIncident: Sendable, CustomStringConvertible {
    /// The id of the request.
    public let requestID: String
    /// The endpoint's path template.
    public let route: String
    /// The part or step that failed; `nil` for the handler itself.
    public let part: String?
    /// The error.
    public let error: any Error

    /// Whether a limit refused the client's request or cut its answer. The client causes that, so the
    /// endpoint is not at fault.
    public var isRefusal: Bool { error is CheckFault || error is StreamAhead }

    /// The value as text, for logs and messages.
    public var description: String {
        let place = part.map { ", part \($0)" } ?? ""
        return "request \(requestID) of \(route)\(place): \(error)"
    }
}

/// The gateway's limits for all endpoints.
public struct GatewayLimits: Sendable {
    /// Time from the request to its answer. Default 15 s; an endpoint may override it.
    public var deadline: Duration = .seconds(15)
    /// Bytes of a request body. Default 1 MiB; an endpoint may override it.
    public var requestBody = 1024 * 1024
    /// Bytes of the values in a merged answer; a larger one is a 502. Default 16 MiB.
    public var answer = 16 * 1024 * 1024
    /// How long a streamed answer (`Answer.stream`) may wait for its next piece while the client is ready for
    /// it. Default 60 s; an endpoint may override it.
    public var streamGap: Duration = .seconds(60)
    /// Limits of the JSON in request bodies; a body beyond them is a 400. Default 64 levels, numbers of 256
    /// bytes.
    public var json = JSONLimits.standard
    /// Whether a request may ask for its timeline with `Prefer: timeline` (RFC 7240). The answer then has the
    /// times of each part, upstream call and attempt in `meta.timeline` and `Server-Timing`. Default false,
    /// because the upstreams' times are internal.
    public var allowsTimeline = false

    /// Creates the default values.
    public init() {}
}
