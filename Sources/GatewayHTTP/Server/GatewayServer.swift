import Dispatch
import EventIO
public import GatewayConfig
public import GatewayCore
import Glibc
import HTTPInbound
import HTTPOutbound
import Locking
import Metrics
import NetworkingSession
import Resilience

/// A running gateway: one event loop for each core, each with its own listener and upstream connections.
///
///     let server = try GatewayServer.start(GatewayServerConfiguration()) { gateway in
///         let diary = gateway.provider(DiaryAPI.self, upstream: "diary")
///         gateway.get("/api/weights/charts") { request in ... }
///     }
///     print(server.url)
///     server.drain()
///     server.waitUntilStopped()
public final class GatewayServer: Sendable {
    /// The URL it listens on: `http://127.0.0.1:8080`, `https://127.0.0.1:8443` with TLS.
    public let url: String
    /// The port that is bound, also if port 0 was asked for.
    public let port: Int
    /// The port for plain HTTP that redirects to https; nil without one
    /// (`GatewayServerConfiguration.redirect`).
    public let redirectPort: Int?
    /// The same as a URL: `http://127.0.0.1:8081`.
    let redirectURL: String?

    /// The generation that routes new requests.
    let current: Lock<Generation>
    /// Where its successors are made.
    let site: Generation.Site
    /// The file that the generations come from; nil without one.
    let file: ServedFile?
    private let group: EventLoopGroup
    let metricsCache = MetricsCache()
    /// The client connections of all loops.
    let connectionTotal: ConnectionTotal
    let upstreamConnections: FairBudget
    let workers: [LoopBound<Worker>]
    /// The upstream connections, one client for each loop.
    let clients: [LoopBound<LoopClient>]
    /// Of each loop, the numbers of its connections to upstreams.
    let connectionClients: [HTTPClient]
    /// Who started the process; nil if nobody wants to hear of its phases.
    let serviceManager = Lock<ServiceManager?>(nil)
    let resolver: Resolver
    /// The bodies of each loop's requests.
    let requestBodies: [BodyBudget]
    let protections: UpstreamProtections
    let upstreamLog: UpstreamLog
    let bodyMemory: FairBudget
    let reloads = Reloads()
    let phase: Phase
    let logs: Logs
    private let connectionLimitLog: ConnectionLimitLog
    private let proxyHeaderLog: ProxyHeaderLog
    private let handshakeLog: HandshakeLog
    private let refusalLog: RefusalLog
    private let contractLog: ContractLog
    let tracing: Tracing
    /// The hooks and jobs.
    let life: GatewayLife
    /// Nil without an admin address.
    let admin: AdminServer?
    /// The program's; nil if it has none.
    let version: String?
    /// Entered once for each serving worker.
    let stopped = DispatchGroup()
    /// What the program writes to standard output; nil if the gateway leaves that alone.
    private let printed = Lock<PrintedOutput?>(nil)
    /// Of ports that the gateway has taken over; released when it drains, so that a successor can take over.
    private let claims: Lock<[TakeoverClaim]>

    /// Binds, declares the endpoints, runs the hooks of `Gateway.onStart` and serves. Clients can connect
    /// once it returns. Blocks while the hooks run. From any thread. The main queue is the program's own
    /// affair until it calls `waitUntilStopped()`.
    ///
    /// - Parameters:
    ///   - configuration: address, limits, upstreams and logs.
    ///   - declare: declares the endpoints; called once.
    /// - Throws: `GatewayStartError` for a setting that cannot be used, an address that is taken or a hook
    ///   that fails, `GatewayDeclarationError` for invalid declarations, and any error of `declare`.
    public static func start(
        _ configuration: GatewayServerConfiguration = GatewayServerConfiguration(),
        declare: (Gateway) throws -> Void
    ) throws -> GatewayServer {
        let server = try GatewayServer(configuration, declare: declare)
        try server.begin()
        server.accept()
        return server
    }

    /// - Parameters:
    ///   - file: what `configuration` and `declare` come from, for later generations.
    ///   - threadMemory: the memory of the thread that reads the file, which lives as long as the contents.
    ///   - access: what is known of callers.
    init(
        _ configuration: GatewayServerConfiguration, logs: Logs? = nil, upstreamLog: UpstreamLog? = nil,
        file: ServedFile? = nil, memory threadMemory: ThreadMemory? = nil,
        access: AccessState = AccessState(), declare: (Gateway) throws -> Void
    ) throws {
        self.file = file
        guard let name = GatewayName(configuration.name) else {
            throw GatewayStartError("the name '\(configuration.name)' is not \(GatewayName.rule)")
        }
        guard configuration.loops > 0 else {
            throw GatewayStartError("a gateway needs at least one loop, not \(configuration.loops)")
        }
        if let fault = configuration.upstreamPolicy.faults.first {
            throw GatewayStartError("upstreamPolicy.\(fault)")
        }
        guard configuration.upstreamBodies >= GatewayServerConfiguration.Ranges.upstreamBodies.lowerBound
        else {
            throw GatewayStartError(
                "upstreamBodies: \(configuration.upstreamBodies) bytes are not 1 MiB (1048576) or more")
        }
        if let fault = configuration.metrics.fault { throw GatewayStartError(fault) }
        let material = try Generation.Material(configuration)
        let resolver = try Self.resolver(configuration.dns)
        let descriptors = ProcessLimits.raiseDescriptorLimit()
        let needed = 32 + 8 * configuration.loops
        guard descriptors >= needed else {
            throw GatewayStartError(
                "a gateway needs 32 file descriptors and 8 for each loop, \(needed) in all, "
                    + "but the limit (ulimit -n) is \(descriptors)")
        }
        let bound = try Self.bind(configuration)
        let listeners = bound.listeners
        claims = Lock(bound.claims)
        version = configuration.version
        admin = try configuration.admin.addresses.isEmpty ? nil : AdminServer(configuration, name: name)
        let address = listeners[0].address
        url = "\(material.tls == nil ? "http" : "https")://\(address)"
        port = address.port ?? configuration.port
        redirectPort = bound.redirects.first?.address.port
        redirectURL = bound.redirects.first.map { "http://\($0.address)" }

        let logs = logs ?? Logs(configuration)
        logs.use(configuration)
        self.logs = logs
        let connections = ConnectionTotal(limit: configuration.connectionLimit(descriptors: descriptors))
        connectionTotal = connections
        let connectionLimitLog = ConnectionLimitLog(logs.diagnostics, limit: connections.limit)
        self.connectionLimitLog = connectionLimitLog
        let proxyHeaderLog = ProxyHeaderLog(logs.diagnostics)
        self.proxyHeaderLog = proxyHeaderLog
        let handshakeLog = HandshakeLog(logs.diagnostics)
        self.handshakeLog = handshakeLog
        let refusalLog = RefusalLog(logs.diagnostics)
        self.refusalLog = refusalLog
        let contractLog = ContractLog(logs.diagnostics)
        self.contractLog = contractLog
        let routes = material.routes
        for warning in routes.warnings {
            logs.diagnostics.write(.warning, "invalid proxy variable", ["what": warning])
        }
        let phase = Phase()
        self.phase = phase
        group = try EventLoopGroup(count: configuration.loops, name: "sluice")
        let metrics = group.metrics
        resolver.count(in: metrics)
        self.resolver = resolver
        metrics.use(configuration.metrics)
        let tracing = Tracing(metrics, logs.diagnostics, version: configuration.version)
        self.tracing = tracing
        let upstreamLog = upstreamLog ?? UpstreamLog(logs.diagnostics, metrics: metrics)
        self.upstreamLog = upstreamLog
        let memory = FairBudget(capacity: configuration.upstreamBodies)
        bodyMemory = memory
        let upstreamConnections = FairBudget(
            capacity: configuration.upstreamConnectionLimit(descriptors: descriptors))
        self.upstreamConnections = upstreamConnections
        let protections = UpstreamProtections(
            standard: configuration.upstreamPolicy, memory: memory, connections: upstreamConnections,
            loops: configuration.loops,
            circuitChanged: { upstreamLog.circuitChanged(of: $0, $1, for: $2) },
            addressChanged: { upstream, address, change in
                if case .ejected = change {
                    metrics.name(.upstream, upstream).shared(.upstreamEjections).add()
                }
                upstreamLog.addressChanged(of: upstream, address, change)
            })
        self.protections = protections
        let connectionClients = group.loops.map { loop in
            HTTPClient(
                loop: loop, resolver: resolver, limits: configuration.outbound,
                observer: ConnectionLog(logs.diagnostics)
            ) {
                logs.diagnostics.write(.warning, "no file descriptors left", ["error": "\($0)"])
            }
        }
        self.connectionClients = connectionClients
        let clients = connectionClients.enumerated().map { index, client in
            LoopBound(on: client.loop) {
                LoopClient(client, routes: routes, protections: protections, index: index)
            }
        }
        self.clients = clients
        let requestBodies = group.loops.map { loop in
            BodyBudget(limit: configuration.inbound.bufferedBodies, loop: loop)
        }
        self.requestBodies = requestBodies
        let stores = StoreTable(loops: group.loops, resolver: resolver, log: logs.diagnostics)
        do {
            let site = Generation.Site(
                transport: LoopTransport(
                    clients, retryBudget: configuration.retryBudget,
                    fieldsWithoutContext: CallContext.fieldsWithoutContext(name),
                    observer: upstreamLog, protections: protections),
                name: name, isLoopback: address.isLoopback, log: logs.diagnostics, refusals: refusalLog,
                contracts: contractLog,
                mainQueueLog: MainQueueLog(logs.diagnostics), metrics: metrics, loops: group.loops,
                access: access, stores: stores)
            self.site = site
            let generation = try Generation(
                configuration, material, at: site, isFirst: true, memory: threadMemory, declare: declare)
            current = Lock(generation)
            life = GatewayLife(generation, at: site)
            try tracing.use(configuration)
            let shared = Worker.Shared(
                phase: phase, logs: logs, descriptors: descriptors, connections: connections,
                fileDescriptors: FileDescriptors(limit: InboundLimits.files(descriptors: descriptors)),
                connectionLimitLog: connectionLimitLog, proxyHeaderLog: proxyHeaderLog,
                handshakeLog: handshakeLog, port: port,
                blockedLoopLog: BlockedLoopLog(logs.diagnostics), tracing: tracing,
                observer: configuration.observer)
            workers = listeners.indices.map { index in
                let (listener, client, bodies) = (listeners[index], clients[index], requestBodies[index])
                let redirect = bound.redirects.indices.contains(index) ? bound.redirects[index] : nil
                return LoopBound(on: client.loop) {
                    Worker(
                        shared, generation, loop: client.loop, listener: listener,
                        redirectListener: redirect, client: client.value, bodies: bodies)
                }
            }
        } catch {
            access.end()
            stores.end()
            tracing.finish()
            group.shutdown()
            admin?.shutdown()
            logs.close()
            throw error
        }
    }

    private static func resolver(_ settings: DNSSettings) throws(GatewayStartError) -> Resolver {
        do {
            return try Resolver(settings)
        } catch {
            throw GatewayStartError("\(error)")
        }
    }

    /// Tells a service manager the phases from now on.
    func tell(_ manager: ServiceManager?) { serviceManager.withLock { $0 = manager } }

    func accept() {
        guard phase.advance(to: .ready) != nil else { return }
        for _ in workers { stopped.enter() }
        let accepting = DispatchGroup()
        let keepsClients = life.hasEndHooks
        for worker in workers {
            accepting.enter()
            worker.loop.execute {
                worker.value.accept(keepsClient: keepsClients) { [self] in workerLeft() }
                accepting.leave()
            }
        }
        if serviceManager.withLock({ $0 != nil }) {
            accepting.notify(queue: .global()) { [self] in tellReady() }
        }
        logs.diagnostics.write(.info, "ready", ["url": url, "loops": workers.count])
        if let redirectURL { logs.diagnostics.write(.info, "redirecting", ["url": redirectURL]) }
        reportCertificates()
        life.beginJobs()
        guard let admin else { return }
        admin.accept(for: self)
        // Also without `waitUntilStopped`.
        stopped.notify(queue: .global()) { admin.close() }
    }

    /// Logs what the program writes to standard output, until the gateway has stopped. For the program's own
    /// gateway, because it changes the process.
    func takePrintedLines() {
        do {
            let output = try PrintedOutput(logs.diagnostics)
            printed.withLock { $0 = output }
        } catch {
            logs.diagnostics.write(
                .warning, "lines that the program prints may cut lines of the access log",
                ["error": "\(error)"])
        }
    }

    /// The standard output of the process, also while lines that the program prints are logged.
    var standardOutput: Int32 { printed.withLock { $0?.original } ?? STDOUT_FILENO }

    /// Shuts down gracefully, as on SIGTERM: reports not ready at once, closes the listeners after
    /// `drainDelay`, and serves what has been accepted. Returns at once; later calls do nothing.
    public func drain() {
        guard let old = phase.advance(to: .draining) else { return }
        claims.withLock { $0 = [] }
        let (delay, deadline) = current.withLock {
            ($0.configuration.drainDelay, $0.configuration.drainDeadline)
        }
        logs.diagnostics.write(
            .info, "draining", ["delay": "\(delay)", "longest": "\(life.longestStop(after: deadline))"])
        serviceManager.withLock { $0 }?.stopping()
        life.drain(runsHooks: old == .ready)
        for worker in workers {
            worker.loop.execute { worker.value.drain(after: delay) }
        }
    }

    /// Resets all connections and ends.
    public func stop() {
        _ = phase.advance(to: .draining)
        claims.withLock { $0 = [] }
        life.drain(runsHooks: false)
        for worker in workers {
            worker.loop.execute { worker.value.close() }
        }
    }

    /// Blocks until `drain` or `stop` has completed, runs the hooks of `Gateway.onStop`, and returns once all
    /// log lines are written. In a handler of this gateway, where it would block forever, it logs an error
    /// and returns at once.
    ///
    /// On the main thread it serves the main queue meanwhile, so that `MainScheduler` and code of the main
    /// actor run. It cannot do that within work of the main queue, such as an asynchronous `main`: call it in
    /// a synchronous one.
    public func waitUntilStopped() {
        guard !group.loops.contains(where: \.isCurrent) else {
            return logs.diagnostics.write(.error, "waitUntilStopped was called in a handler of the gateway")
        }
        MainThread.wait(for: stopped)
        runStopHooks()
        guard phase.advance(to: .stopped) != nil else { return }
        if reloads.pending.wait(timeout: .now() + Reloads.patience) == .timedOut {
            logs.diagnostics.write(.warning, "the gateway ends before a reload has ended")
        }
        reloads.stopWatching()
        site.access.end()
        site.stores.end()
        if life.hasEndHooks { closeClients() }
        tracing.finish()
        group.shutdown()
        admin?.shutdown()
        connectionLimitLog.writeRest()
        proxyHeaderLog.writeRest()
        handshakeLog.writeRest()
        refusalLog.writeRest()
        contractLog.writeRest()
        printed.withLock { $0.take() }?.end()
        logs.diagnostics.write(.info, "stopped")
        logs.close()
    }

    /// Returns the longest processor time of a wake of a loop since the last call. The first call begins to
    /// measure.
    package func takeLongestWake() -> Duration {
        workers.reduce(.zero) { longest, worker in
            let wake = worker.loop.runBlocking { worker.value.takeLongestWake() }
            return max(longest, .nanoseconds(wake.nanoseconds))
        }
    }

    var firstLoop: EventLoop { group.loops[0] }
    var metrics: MetricTable { group.metrics }

    /// Tells the service manager that the gateway serves.
    func tellReady() {
        guard phase.isReady, let manager = serviceManager.withLock({ $0 }) else { return }
        let report = reloads.report
        manager.ready(generation: report?.generation, isRefused: report?.isLastSuccessful == false)
    }

    private func workerLeft() {
        stopped.leave()
    }
}
