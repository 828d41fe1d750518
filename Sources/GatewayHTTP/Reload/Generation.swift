import EventIO
import GatewayConfig
import GatewayCore
import HTTPInbound
import Metrics
import Networking
import NetworkingSession

/// What requests are routed by: all that a reload replaces, on each loop. A request ends on the generation
/// that routed it.
struct Generation: Sendable {
    let configuration: GatewayServerConfiguration
    let responder: GatewayResponder
    let files: FileServer?
    let hosts: HostNames
    /// How to reach the upstreams.
    var routes: UpstreamRoutes
    /// TLS of the port; nil for plain HTTP.
    var tls: ServerTLS?
    /// Answers to challenges of an ACME client; nil without a folder.
    let challenges: ChallengeFolder?
    /// The upstreams with a configured address.
    let upstreams: [Upstream]
    /// The names of all upstreams.
    let upstreamNames: [String]
    /// The policies of the upstreams that have their own, by name.
    let policies: [String: UpstreamPolicy]
    /// The upstreams' labels, whose counts stay as long as this generation.
    private let upstreamLabels: [MetricName]
    let lifecycle: GatewayLifecycle
    /// The memory of what was read from a file; nil without one.
    let memory: ThreadMemory?

    /// What is the same for all generations of a gateway.
    struct Site: Sendable {
        let transport: LoopTransport
        let name: GatewayName
        /// Whether the gateway listens on a loopback address.
        let isLoopback: Bool
        let log: Log
        let refusals: RefusalLog
        let contracts: ContractLog
        let mainQueueLog: MainQueueLog
        let metrics: MetricTable
        let loops: [EventLoop]
        /// The loads of shared values in progress, of all generations.
        let sharedLoads = SharedLoads()
        /// What is known of callers, by all generations.
        let access: AccessState
        /// The stores that count limits, of all generations.
        let stores: StoreTable

        func report(_ incident: GatewayIncident) {
            if incident.isRefusal {
                refusals.add(RefusalCounts(incident), on: EventLoop.current)
            } else {
                metrics.name(.route, incident.route).shared(.endpointFaults).add()
                log.write(.error, "endpoint failed", ["what": "\(incident)"])
            }
        }

        func report(_ fault: BackgroundFault) {
            log.write(.error, "background work failed", ["what": "\(fault)"])
        }

        func report(_ event: AccessEvent) {
            switch event {
            case .keysAreGone(let entry, let reason):
                log.write(.warning, "signing keys unavailable", ["auth": entry, "what": reason])
            case .keysAreBack(let entry): log.write(.warning, "signing keys are back", ["auth": entry])
            case .keysSkipped(let entry, let reasons):
                log.write(.debug, "signing keys skipped", ["auth": entry, "what": reasons])
            }
        }
    }

    /// What a generation reads before anything is declared.
    struct Material: Sendable {
        let routes: UpstreamRoutes
        let tls: ServerTLS?
        let challenges: ChallengeFolder?
        let files: FileServer?

        /// Reads certificates and keys, and opens the folders. Blocks.
        init(_ configuration: GatewayServerConfiguration) throws {
            try ServerTLS.check(configuration)
            tls = try ServerTLS(configuration.tls, of: configuration)
            challenges = try configuration.redirect?.challenges.map { path throws(GatewayStartError) in
                try ChallengeFolder(path)
            }
            routes = try UpstreamRoutes.checked(configuration.connections)
            files = try configuration.files.map { settings throws(GatewayStartError) in
                try FileServer(settings)
            }
        }
    }

    /// Declares the endpoints.
    ///
    /// - Parameters:
    ///   - configuration: limits, addresses and CORS.
    ///   - material: what has been read.
    ///   - site: where the gateway runs.
    ///   - isFirst: whether the upstreams' policies take effect at once. For another generation they do when
    ///     it is used.
    ///   - memory: the memory of the thread that reads the file, which lives as long as the contents; nil
    ///     without a file.
    ///   - declare: declares the endpoints.
    init(
        _ configuration: GatewayServerConfiguration, _ material: Material, at site: Site, isFirst: Bool,
        memory: ThreadMemory?, declare: (Gateway) throws -> Void
    ) throws {
        var environment = GatewayEnvironment(
            transport: site.transport, upstreamOverrides: configuration.upstreams,
            configuredUpstreams: Set(configuration.connections.tlsByUpstream.keys)
                .union(configuration.connections.dnsByUpstream.keys)
                .union(configuration.connections.limitsByUpstream.keys),
            upstreamPolicy: configuration.upstreamPolicy, name: site.name,
            report: { site.report($0) })
        environment.forwardClient = configuration.clients.forward
        environment.scheme = configuration.scheme.rawValue
        environment.seesCertificates = configuration.tls?.clients != nil
        environment.otherUpstreams = configuration.otherUpstreams
        environment.workApart = {
            WorkThreads.submit(.requests, for: CallContext.current?.client, $0)
        }
        environment.responseWorkApart = {
            WorkThreads.submit(.responses, for: CallContext.current?.client, $0)
        }
        environment.blockingWork = { work in
            WorkThreads.submit(
                .handlers, for: CallContext.current?.client, isDropped: { work.isTaken }, { work.run() })
        }
        environment.executors = { LoopExecutors($0, on: site.loops, site.mainQueueLog) }
        environment.noteMainQueue = { site.mainQueueLog.add($0) }
        environment.sharedLoads = site.sharedLoads
        environment.log = site.log
        environment.metrics = site.metrics
        environment.reportBackground = { site.report($0) }
        environment.appliesDeclarations = isFirst
        environment.ownPaths = HealthPath.all
        environment.access = site.access
        environment.rateLimitStores = try site.stores.prepare(configuration.stores)
        environment.reportAccess = { site.report($0) }
        environment.reportContract = { broken in
            let id = CallContext.current?.requestID
            site.contracts.add(ContractCounts(broken, requestID: id), on: EventLoop.current)
        }
        let gateway = Gateway(environment, limits: configuration.limits, cors: configuration.cors)
        try declare(gateway)
        responder = try gateway.responder()
        for warning in gateway.warnings {
            site.log.write(.warning, "configuration problem", ["what": warning])
        }
        lifecycle = gateway.lifecycle
        (upstreams, upstreamNames, policies) = gateway.upstreams
        gateway.releaseDeclarations()
        upstreamLabels = upstreamNames.map { site.metrics.name(.upstream, $0) }
        for label in upstreams.map(\.label) {
            UpstreamCounts.begin(site.metrics.name(.upstream, label))
        }
        material.routes.count(in: site.metrics)
        hosts = configuration.hosts(onLoopback: site.isLoopback)
        routes = material.routes
        tls = material.tls
        challenges = material.challenges
        files = material.files
        self.memory = memory
        self.configuration = configuration
    }
}

extension GatewayServerConfiguration {
    /// The scheme of requests of which no trusted proxy tells one.
    var scheme: URLScheme { tls == nil ? clients.scheme : .https }
}

extension UpstreamRoutes {
    /// Reads the files that the settings name, and complains of the first that cannot be used. Blocks while
    /// it reads.
    static func checked(_ settings: ConnectionSettings) throws -> UpstreamRoutes {
        // Kept until the routes retain them, so that each context is made once.
        var contexts: [TLSContext] = []
        func read(_ configurations: [String: TLSConfiguration], of what: String) throws {
            for (name, configuration) in configurations.sorted(by: { $0.key < $1.key }) {
                do {
                    contexts.append(try TLSContext.shared(for: configuration))
                } catch {
                    throw GatewayStartError("TLS of \(what) \(name): \(error.reason)")
                }
            }
        }
        try read(settings.tlsByUpstream, of: "upstream")
        try read(settings.tlsByHost, of: "host")
        for (name, dns) in settings.dnsByUpstream.sorted(by: { $0.key < $1.key }) {
            do {
                _ = try Resolver.shared(dns)
            } catch {
                throw GatewayStartError("upstream \(name): \(error)")
            }
        }
        return try withExtendedLifetime(contexts) {
            do {
                return try UpstreamRoutes(settings)
            } catch {
                throw GatewayStartError("cannot connect to upstreams: \(error)")
            }
        }
    }
}
