public import JSONBytes
public import Networking

/// What the process gives a gateway: the way to its upstreams, and where it may complain.
public struct GatewayEnvironment: Sendable {
    /// Carries calls; its scheduler is the gateway's clock and timers.
    public var transport: any Transport
    /// Addresses by upstream name that replace the targets' own: `["diary": "http://127.0.0.1:9001/food-diary"]`.
    public var upstreamOverrides: [String: String]
    /// Names of upstreams that connections have settings for. One that nobody declares is a fault. Default none.
    public var configuredUpstreams: Set<String>
    /// The gateway's name in `Via` and `Proxy-Status`. Default `sluice`.
    public var name: GatewayName
    /// Gets what is a fault of ours, on the loop of the request: log it, do not wait in it.
    public var report: @Sendable (GatewayIncident) -> Void

    public init(
        transport: any Transport,
        upstreamOverrides: [String: String] = [:],
        configuredUpstreams: Set<String> = [],
        name: GatewayName = .standard,
        report: @escaping @Sendable (GatewayIncident) -> Void = { _ in }
    ) {
        self.transport = transport
        self.upstreamOverrides = upstreamOverrides
        self.configuredUpstreams = configuredUpstreams
        self.name = name
        self.report = report
    }
}

/// An error that no client should see: something in an endpoint's code or in ours went wrong.
public struct GatewayIncident: Sendable, CustomStringConvertible {
    public let requestID: String
    /// The endpoint's path template.
    public let route: String
    /// The part or step it happened in; `nil` for the handler itself.
    public let part: String?
    public let error: any Error

    public var description: String {
        let place = part.map { ", part \($0)" } ?? ""
        return "request \(requestID) of \(route)\(place): \(error)"
    }
}

/// What a gateway allows; each with its default.
public struct GatewayLimits: Sendable {
    /// From the request's start to its answer. Default 15 s; an endpoint may have its own.
    public var deadline: Duration = .seconds(15)
    /// Bytes of a request body. Default 1 MiB; an endpoint may have its own.
    public var requestBody = 1024 * 1024
    /// Bytes of a merged answer; one that grows beyond is a 502. Default 16 MiB.
    public var answer = 16 * 1024 * 1024
    /// What the JSON of a request may ask of its reader; beyond it a 400. Default 64 levels, numbers of 256 bytes.
    public var json = JSONLimits.standard
    /// Whether a request may ask for its timeline, by `Prefer: timeline` (RFC 7240). The answer then tells when each part,
    /// upstream call and attempt began and ended, in `meta.timeline` and in `Server-Timing`. Default false: how long upstreams
    /// take is no client's business.
    public var allowsTimeline = false

    public init() {}
}
