import Dispatch
public import EventIO
public import HTTPModel
public import HTTPOutbound
public import Networking
import Rx
import Synchronization

@_exported public import struct EventIO.DNSSettings
@_exported public import struct EventIO.InvalidDNSSettings
@_exported public import struct HTTPOutbound.OutboundLimits
@_exported public import struct HTTPOutbound.PoolReport

/// The connections of providers outside a gateway: its own event loops, with a pool per upstream on each
/// (like `URLSession` and Alamofire's `Session`).
///
///     let tags = Provider<TagAPI>()                        // over `Session.shared`
///     tags.rx.request(.list).map([Tag].self)
///
/// Calls from tasks and other threads are spread over the loops, and each response arrives on its call's
/// loop. Do not block there; use `observe(on:)` for long work. A call made on one of the loops, e.g. in
/// response to another call, stays there. An unreferenced session ends with its last call.
public final class Session: Sendable {
    /// The settings of a session.
    public struct Configuration: Sendable {
        /// Number of event loops, each a thread; clamped to 1 to 1024. One carries tens of thousands of calls
        /// a second. Default 1.
        public var loops = 1
        /// Limits of each loop: connections, waiting calls and response sizes. `CallPolicy` has the time
        /// limits.
        ///
        /// Default `OutboundLimits.program`: calls wait for a connection as long as their total time allows.
        /// (In a gateway, they fail after waiting for a second.)
        public var limits = OutboundLimits.program
        /// TLS and proxies. Default: the system's roots and the environment's proxies.
        public var connections: ConnectionSettings = {
            var connections = ConnectionSettings()
            connections.proxy = .environment
            return connections
        }()
        /// Which name servers are asked, and how long their answers are used. Default: c-ares asks the
        /// servers in resolv.conf(5).
        public var dns = DNSSettings()
        /// Fields of every call unless its target or a plugin overrides them. Default: prefer JSON, accept
        /// the content codings that the session decodes, and `Sluice` as the User-Agent.
        public var fields: HTTPFields = [
            .accept: "application/json, */*;q=0.5", .acceptEncoding: "gzip, deflate, br",
            .userAgent: "Sluice",
        ]
        /// Whether responses' content codings are decoded. Default `.automatic`: each call decides. `.none`:
        /// never.
        public var contentDecoding = ContentDecoding.automatic
        /// Limits the retries in flight to each upstream from each loop.
        public var retryBudget = RetryBudget()
        /// The policy of requests without a provider. Default: the same as a provider's.
        public var policy = CallPolicy()
        /// Plugins for requests without a provider. Default none.
        public var plugins: [any PluginType] = []
        /// Adapts requests without a provider and decides on their retries. Default none.
        public var interceptor: (any RequestInterceptor)?
        /// Stores the cookies of requests without a provider. Default none.
        public var cookies: CookieJar?

        /// Creates a configuration with the default values.
        public init() {}
    }

    /// A session with one loop and the default settings, created at first use on any thread and kept until
    /// the process ends. Writes its `warnings` to standard error.
    public static let shared: Session = {
        do {
            let session = try Session()
            for warning in session.warnings { StandardError.write("sluice: \(warning)") }
            return session
        } catch {
            return Session(unavailable: error)
        }
    }()

    private let loops: SessionLoops?
    /// Sends the calls of providers.
    public let transport: any Transport
    /// Sends requests without a provider.
    public let client: RequestClient
    /// One line for each invalid proxy variable of the environment, without passwords: a skipped entry of
    /// `no_proxy`, or a proxy other than http, which fails the calls that need it. Usually empty.
    public let warnings: [String]

    /// Starts the loops without waiting for them. Callable from any thread, even in a gateway's handler.
    ///
    /// - Throws: `TLSError`, `ConnectionSettings.InvalidHost` or `InvalidDNSSettings` if the configuration is
    ///   wrong; `SocketError` if the system has no descriptor or thread left for a loop. Invalid proxy
    ///   variables only add to `warnings`.
    public init(_ configuration: Configuration = Configuration()) throws {
        let loops = try SessionLoops(configuration)
        self.loops = loops
        warnings = loops.warnings
        transport = loops.transport(configuration)
        client = RequestClient(
            transport: transport, policy: configuration.policy, plugins: configuration.plugins,
            interceptor: configuration.interceptor, cookies: configuration.cookies)
    }

    /// Creates a session that fails every call, because no loop could be started.
    private init(unavailable error: any Error) {
        loops = nil
        warnings = []
        let transport = UnavailableTransport(error)
        self.transport = transport
        client = RequestClient(transport: transport)
    }

    /// The current and total numbers of all loops' pools; empty once the session is closed. Never waits: a
    /// call that has just ended may still count until its loop has returned the connection.
    public var report: PoolReport { loops?.report ?? PoolReport() }

    /// The sizes of the loops' tables, for tests. Blocks; must not be called on one of the loops.
    package var tables: UpstreamTables { loops?.tables ?? UpstreamTables() }

    /// Rereads the files with the configured certificates, keys and authorities. New connections use the new
    /// contents; open ones finish their calls. Blocks while it reads. Callable from any thread.
    ///
    /// - Throws: `TLSError` if a file cannot be read or used. Then nothing changes.
    public func reloadCertificates() throws { try loops?.reloadCertificates() }

    /// Ends the session and returns at once. Callable from any thread. Calls in flight and all later calls
    /// and attempts fail with `destination_unavailable`. The threads end once the session is unreferenced.
    public func close() { loops?.close() }
}

/// A session's loops and their clients. They run while the session, a provider or a call refers to them.
private final class SessionLoops: LoopLifetime {
    private let group: EventLoopGroup
    private let settings: ConnectionSettings
    private let clients: [HTTPClient]
    private let loopClients: [LoopBound<LoopClient>]
    let warnings: [String]
    private let closed = Atomic(false)

    init(_ configuration: Session.Configuration) throws {
        let routes = try UpstreamRoutes(configuration.connections)
        warnings = routes.warnings
        settings = configuration.connections
        let resolver = try Resolver(configuration.dns)
        group = try EventLoopGroup(count: min(max(1, configuration.loops), 1024), name: "session")
        var policy = UpstreamPolicy()
        policy.breaker = nil
        let protections = UpstreamProtections(standard: policy, loops: group.loops.count)
        clients = group.loops.map { HTTPClient(loop: $0, resolver: resolver, limits: configuration.limits) }
        loopClients = clients.map { client in
            LoopBound(on: client.loop) {
                LoopClient(
                    client, routes: routes, contentDecoding: configuration.contentDecoding,
                    protections: protections)
            }
        }
    }

    deinit {
        // Do not wait for the loops' threads: this may run on one of them, at the end of the last call.
        for loop in group.loops { loop.stop() }
    }

    /// Returns the transport for the session's calls. It keeps the loops alive.
    func transport(_ configuration: Session.Configuration) -> LoopTransport {
        // Only proxies add Via.
        LoopTransport(
            loopClients, retryBudget: configuration.retryBudget, fields: configuration.fields,
            fieldsWithoutContext: HTTPFields(), lifetime: self)
    }

    var report: PoolReport {
        guard !isClosed else { return PoolReport() }
        return clients.reduce(PoolReport()) { $0 + $1.report }
    }

    var tables: UpstreamTables {
        loopClients.reduce(UpstreamTables()) { sum, client in
            sum + client.loop.runBlocking { client.value.tables }
        }
    }

    func reloadCertificates() throws {
        let routes = try UpstreamRoutes(settings)
        for client in loopClients { client.loop.execute { client.value.use(routes) } }
    }

    var isClosed: Bool { closed.load(ordering: .acquiring) }

    func close() {
        guard !closed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // The loops keep running for calls that wait for their next attempt, because it must fail too.
        for client in loopClients { client.loop.execute { client.value.close() } }
    }
}

private final class UnavailableTransport: Transport {
    private let error: any Error

    init(_ error: any Error) { self.error = error }

    func send(_: TransportCall, within _: RxTimeInterval, for receiver: any AttemptReceiver) -> any Disposable
    {
        let attempt = BooleanDisposable()
        let failure = TransportError(
            .internalError, "the session could not start: \(error)", underlying: error)
        // Asynchronously, so that an immediate retry by the receiver does not recurse.
        DispatchQueue.global().async { if !attempt.isDisposed { receiver.attemptFailed(failure) } }
        return attempt
    }

    let scheduler: any SchedulerType = MainScheduler.instance

    func beginRetry(to _: Upstream) -> RetryObstacle? { .budget }

    func endRetry(to _: Upstream) {}
}
