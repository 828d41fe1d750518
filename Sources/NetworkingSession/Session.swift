import Dispatch
import EventIO
public import HTTPModel
public import HTTPOutbound
public import Networking
import Rx
import Synchronization

@_exported public import struct HTTPOutbound.OutboundLimits
@_exported public import struct HTTPOutbound.PoolReport

/// The connections of providers outside a gateway: event loops of its own, with a pool per upstream on each (like
/// `URLSession` and Alamofire's `Session`).
///
///     let tags = Provider<TagAPI>()                        // over `Session.shared`
///     tags.rx.request(.list).map([Tag].self)
///
/// Calls from tasks and other threads are spread over the loops, and each answer arrives on its call's loop. Do not block
/// there; use `observe(on:)` for long work. A call made on one of the loops, such as in answer to another call, stays there.
/// A session that nobody refers to any more ends with its last call.
public final class Session: Sendable {
    /// The settings of a session.
    public struct Configuration: Sendable {
        /// Number of event loops, one thread each; at least 1. One loop carries tens of thousands of calls a second. Default 1.
        public var loops = 1
        /// Limits of each loop: connections, waiting calls, sizes of responses. The time limits of a call are those of its
        /// provider's `CallPolicy`.
        ///
        /// Default: `OutboundLimits.program`. Calls wait for a connection as long as their total time allows, whereas a
        /// gateway's fail after waiting for a second.
        public var limits = OutboundLimits.program
        /// TLS and proxies. Default: the system's roots, and the proxies that the environment names.
        public var connections: ConnectionSettings = {
            var connections = ConnectionSettings()
            connections.proxy = .environment
            return connections
        }()
        /// Fields of every call, unless its target or a plugin sets them. Default: prefer JSON, accept the content codings that
        /// the session decodes, and `Sluice` as the User-Agent.
        public var fields: HTTPFields = [
            .accept: "application/json, */*;q=0.5", .acceptEncoding: "gzip, deflate, br",
            .userAgent: "Sluice",
        ]
        /// Whether to decode content codings of responses. `.none` turns it off for all calls; otherwise each call decides.
        /// Default: `.automatic`.
        public var contentDecoding = ContentDecoding.automatic
        /// Limits the retries in flight to one upstream from one loop.
        public var retryBudget = RetryBudget()
        /// The policy of requests made without a provider. Default: the same as a provider's.
        public var policy = CallPolicy()
        /// Plugins for requests made without a provider. Default: none.
        public var plugins: [any PluginType] = []
        /// Changes requests made without a provider, and decides on their retries. Default: none.
        public var interceptor: (any RequestInterceptor)?
        /// Keeps the cookies of requests made without a provider. Default: none.
        public var cookies: CookieJar?

        /// One loop and the defaults.
        public init() {}
    }

    /// A session with one loop and the default settings, created at first use on any thread and kept until the process ends.
    /// Its `warnings` go to standard error, since nobody else looks at them.
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
    /// Carries the calls of providers.
    public let transport: any Transport
    /// Makes requests without a provider.
    public let client: RequestClient
    /// One line for each invalid proxy variable of the environment, without passwords: an entry of `no_proxy` that is skipped,
    /// or a proxy other than http, which fails the calls that need it. Usually empty.
    public let warnings: [String]

    /// Starts the loops without waiting for them. On any thread, including in a handler of a gateway.
    ///
    /// - Throws: `TLSError` or `ConnectionSettings.InvalidHost` if the configuration is wrong, `SocketError` if the system has
    ///   no descriptor or thread left for a loop. Proxy variables never fail it: see `warnings`.
    public init(_ configuration: Configuration = Configuration()) throws {
        let loops = try SessionLoops(configuration)
        self.loops = loops
        warnings = loops.warnings
        transport = loops.transport(configuration)
        client = RequestClient(
            transport: transport, policy: configuration.policy, plugins: configuration.plugins,
            interceptor: configuration.interceptor, cookies: configuration.cookies)
    }

    /// Creates a session that fails every call, because it could not start a loop.
    private init(unavailable error: any Error) {
        loops = nil
        warnings = []
        let transport = UnavailableTransport(error)
        self.transport = transport
        client = RequestClient(transport: transport)
    }

    /// What the pools of all loops hold now and have done so far; empty once the session is closed. Never waits: a call that has
    /// just ended may count for another moment, until its loop has returned the connection.
    public var report: PoolReport { loops?.report ?? PoolReport() }

    /// Reads the files with the configured certificates, keys and authorities again. New connections use the new contents; open
    /// ones serve their calls to the end. Blocks while it reads. On any thread.
    ///
    /// - Throws: `TLSError` if a file cannot be read or used. Nothing changes then.
    public func reloadCertificates() throws { try loops?.reloadCertificates() }

    /// Ends the session and returns at once, on any thread. Calls in flight and all later calls and attempts fail with
    /// `destination_unavailable`. The threads end when nobody refers to the session any more.
    public func close() { loops?.close() }
}

/// The loops of a session and their clients. They run as long as the session, a provider or a call refers to them.
private final class SessionLoops: LoopLifetime {
    private let group: EventLoopGroup
    private let settings: ConnectionSettings
    private let clients: [HTTPClient]
    private let loopClients: [LoopBound<LoopClient>]
    /// The warnings of the routes.
    let warnings: [String]
    private let closed = Atomic(false)

    init(_ configuration: Session.Configuration) throws {
        let routes = try UpstreamRoutes(configuration.connections)
        warnings = routes.warnings
        settings = configuration.connections
        group = try EventLoopGroup(count: max(1, configuration.loops), name: "session")
        let resolver = Resolver()
        clients = group.loops.map { HTTPClient(loop: $0, resolver: resolver, limits: configuration.limits) }
        loopClients = clients.map { client in
            LoopBound(on: client.loop) {
                LoopClient(client, routes: routes, contentDecoding: configuration.contentDecoding)
            }
        }
    }

    deinit {
        // This may run on one of the loops, at the end of the last call. So do not wait for their threads.
        for loop in group.loops { loop.stop() }
    }

    /// Returns the transport of the session's calls. It keeps the loops alive.
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

    func reloadCertificates() throws {
        let routes = try UpstreamRoutes(settings)
        for client in loopClients { client.loop.execute { client.value.use(routes) } }
    }

    var isClosed: Bool { closed.load(ordering: .acquiring) }

    func close() {
        guard !closed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // The loops keep running for calls that wait for their next attempt, which has to fail too.
        for client in loopClients { client.loop.execute { client.value.close() } }
    }
}

/// The transport of a session without loops.
private final class UnavailableTransport: Transport {
    private let error: any Error

    init(_ error: any Error) { self.error = error }

    func send(_: TransportCall, within _: RxTimeInterval, for receiver: any AttemptReceiver) -> any Disposable
    {
        let attempt = BooleanDisposable()
        let failure = TransportError(
            .internalError, "the session could not start: \(error)", underlying: error)
        // Asynchronously, so a receiver that sends again at once is not called from within its own call.
        DispatchQueue.global().async { if !attempt.isDisposed { receiver.attemptFailed(failure) } }
        return attempt
    }

    let scheduler: any SchedulerType = MainScheduler.instance

    func beginRetry(to _: Upstream) -> Bool { false }

    func endRetry(to _: Upstream) {}
}
