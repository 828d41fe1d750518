import Dispatch
import EventIO
public import GatewayCore
import Glibc
import HTTPOutbound
import Locking
import NetworkingSession

/// A gateway that is being served: one event loop a core, each with its own listener and upstream connections.
///
///     let server = try GatewayServer.start(GatewayServerConfiguration()) { gateway in
///         let diary = gateway.provider(DiaryAPI.self, upstream: "diary")
///         gateway.get("/api/weights/charts") { request in ... }
///     }
///     print(server.url)
///     server.drain()
///     server.waitUntilStopped()
public final class GatewayServer: Sendable {
    /// Where it listens: `http://127.0.0.1:8080`.
    public let url: String
    /// The port it listens on.
    public let port: Int

    let configuration: GatewayServerConfiguration
    private let group: EventLoopGroup
    private let workers: [LoopBound<Worker>]
    /// The connections to upstreams, one client a loop.
    let clients: [LoopBound<LoopClient>]
    let reloads = Reloads()
    private let phase: Phase
    let logs: Logs
    /// Entered for each worker that serves.
    let stopped = DispatchGroup()
    /// Where it took the port over: held until it is told to leave, when another may.
    private let claim: Lock<TakeoverClaim?>

    /// Binds, declares the endpoints and serves them; clients can connect when it returns. From any thread.
    ///
    /// - Parameters:
    ///   - configuration: address, limits, upstreams, logs.
    ///   - declare: adds the endpoints; called once.
    /// - Throws: `GatewayStartError` where the address is taken or none, or a declaration is wrong; what
    ///   `declare` throws.
    public static func start(
        _ configuration: GatewayServerConfiguration = GatewayServerConfiguration(),
        declare: (Gateway) throws -> Void
    ) throws -> GatewayServer {
        let server = try GatewayServer(configuration, declare: declare)
        server.accept()
        return server
    }

    init(
        _ configuration: GatewayServerConfiguration, logs: Logs? = nil, upstreamLog: UpstreamLog? = nil,
        declare: (Gateway) throws -> Void
    ) throws {
        guard let name = GatewayName(configuration.name) else {
            throw GatewayStartError("the name '\(configuration.name)' is not \(GatewayName.rule)")
        }
        guard configuration.loops > 0 else {
            throw GatewayStartError("a gateway has at least one loop, not \(configuration.loops)")
        }
        let routes = try Self.routes(configuration.connections)
        let files = try configuration.files.map { settings throws(GatewayStartError) in
            try FileServer(settings)
        }
        let descriptors = ProcessLimits.raiseDescriptorLimit()
        let (listeners, claim) = try Self.bind(configuration)
        self.claim = Lock(claim)
        let address = listeners[0].address
        url = "http://\(address)"
        port = address.port ?? configuration.port
        self.configuration = configuration

        let logs = logs ?? Logs(configuration)
        self.logs = logs
        for warning in routes.warnings {
            logs.diagnostics.write(.warning, "proxy variable not understood", ["what": warning])
        }
        let phase = Phase()
        self.phase = phase
        group = try EventLoopGroup(count: configuration.loops, name: "sluice")
        let resolver = Resolver()
        let clients = group.loops.map { loop in
            let client = HTTPClient(
                loop: loop, resolver: resolver, limits: configuration.outbound,
                observer: ConnectionLog(logs.diagnostics))
            return LoopBound(on: loop) { LoopClient(client, routes: routes) }
        }
        self.clients = clients
        do {
            let environment = GatewayEnvironment(
                transport: LoopTransport(
                    clients, retryBudget: configuration.retryBudget,
                    fieldsWithoutContext: CallContext.fieldsWithoutContext(name),
                    observer: upstreamLog ?? UpstreamLog(logs.diagnostics)),
                upstreamOverrides: configuration.upstreams,
                configuredUpstreams: Set(configuration.connections.tlsByUpstream.keys), name: name,
                report: { logs.diagnostics.write(.error, "endpoint failed", ["what": "\($0)"]) })
            let gateway = Gateway(environment, limits: configuration.limits, cors: configuration.cors)
            try declare(gateway)
            let responder = try gateway.responder()
            // A web page can reach a local gateway by DNS rebinding, and no other guard is in front of it.
            let hosts = configuration.hosts ?? (address.isLoopback ? .localhost : .any)
            let plan = Worker.Plan(
                responder: responder, phase: phase, logs: logs, descriptors: descriptors,
                files: files, hosts: hosts, configuration: configuration)
            workers = zip(listeners, clients).map { listener, client in
                LoopBound(on: client.loop) {
                    Worker(plan, loop: client.loop, listener: listener, client: client.value)
                }
            }
        } catch {
            group.shutdown()
            logs.close()
            throw error
        }
    }

    static func routes(_ settings: ConnectionSettings) throws -> UpstreamRoutes {
        // Kept until the routes have them, so that no context is made twice.
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
        return try withExtendedLifetime(contexts) {
            do {
                return try UpstreamRoutes(settings)
            } catch {
                throw GatewayStartError("upstreams cannot be connected to: \(error)")
            }
        }
    }

    /// Times that a taken address is tried, while whoever has it says nothing.
    static let bindAttempts = 8

    private static func bind(_ configuration: GatewayServerConfiguration) throws -> (
        [Listener], TakeoverClaim?
    ) {
        guard let address = SocketAddress(host: configuration.host, port: configuration.port) else {
            throw GatewayStartError("'\(configuration.host)' is not a numeric address to listen on")
        }
        // A gateway that is just closing its listeners answers nobody, and is gone in a moment.
        for _ in 0..<bindAttempts {
            do throws(SocketError) {
                return (try Listener.group(bind: address, count: configuration.loops), nil)
            } catch {
                guard error.isAddressInUse else {
                    throw GatewayStartError("cannot listen on \(address): \(error)")
                }
            }
            switch HealthProbe.occupant(of: address) {
            case .leavingGateway: return try join(address, count: configuration.loops)
            case .other: throw isTaken(address)
            case .silent: break
            }
        }
        throw isTaken(address)
    }

    /// Shares a taken port with a gateway that leaves it: until that has closed its listeners the kernel gives each of the
    /// two its share of the connections, so that a restart refuses nobody.
    private static func join(_ address: SocketAddress, count: Int) throws -> ([Listener], TakeoverClaim?) {
        let claim: TakeoverClaim
        do {
            claim = try TakeoverClaim(of: address)
        } catch {
            guard error.isAddressInUse else {
                throw GatewayStartError("\(address) cannot be taken over: \(error)")
            }
            throw GatewayStartError("\(address) is taken: another gateway is taking it over already")
        }
        do {
            return (try Listener.group(bind: address, count: count, joining: true), claim)
        } catch {
            // Another user's gateway, say, whom the kernel does not let anybody join.
            throw GatewayStartError(
                "\(address) is taken by a gateway that leaves and cannot be joined: \(error)")
        }
    }

    private static func isTaken(_ address: SocketAddress) -> GatewayStartError {
        GatewayStartError("\(address) is taken: another program listens there")
    }

    /// Serves the connections that come from here on.
    func accept() {
        guard phase.advance(to: .ready) else { return }
        for _ in workers { stopped.enter() }
        for worker in workers {
            worker.loop.execute {
                worker.value.accept { [self] in workerLeft() }
            }
        }
        logs.diagnostics.write(.info, "ready", ["url": url, "loops": "\(workers.count)"])
    }

    /// Leaves gracefully, as SIGTERM asks for: not ready at once; after the drain delay the listeners close;
    /// what was accepted is served. Returns at once; does nothing the second time.
    public func drain() {
        guard phase.advance(to: .draining) else { return }
        claim.withLock { $0 = nil }
        logs.diagnostics.write(.info, "draining", ["delay": "\(configuration.drainDelay)"])
        for worker in workers {
            worker.loop.execute { [delay = configuration.drainDelay] in worker.value.drain(after: delay) }
        }
    }

    /// Resets what is open and ends.
    public func stop() {
        _ = phase.advance(to: .draining)
        claim.withLock { $0 = nil }
        for worker in workers {
            worker.loop.execute { worker.value.close() }
        }
    }

    /// Blocks until `drain` or `stop` has come to its end and every line of the logs is written.
    ///
    /// In a handler of this gateway it returns at once, with a line in the log: the gateway cannot end while one of its own
    /// loops waits for the end.
    public func waitUntilStopped() {
        guard !group.loops.contains(where: \.isCurrent) else {
            return logs.diagnostics.write(.error, "a handler cannot wait for the end of its gateway")
        }
        stopped.wait()
        guard phase.advance(to: .stopped) else { return }
        group.shutdown()
        logs.diagnostics.write(.info, "stopped")
        logs.close()
    }

    /// What it holds at this moment, for tests. Waits for the loops; not from one of them, and not after the end.
    package var report: GatewayReport {
        workers.reduce(GatewayReport()) { sum, worker in
            sum + worker.loop.runBlocking { worker.value.report }
        }
    }

    var firstLoop: EventLoop { group.loops[0] }

    private func workerLeft() {
        stopped.leave()
    }
}
