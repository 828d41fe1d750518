import Dispatch
import EventIO
public import HTTPModel
public import HTTPOutbound
public import Networking
import Rx
import Synchronization

@_exported public import struct HTTPOutbound.OutboundLimits
@_exported public import struct HTTPOutbound.PoolReport

/// Connections of providers outside a gateway: event loops of its own, and a pool per upstream on each (as `URLSession` and
/// Alamofire's `Session`).
///
///     let tags = Provider<TagAPI>()                        // over `Session.shared`
///     tags.rx.request(.list).map([Tag].self)
///
/// Calls from tasks and other threads go to its loops in turn, and each call's answer comes on its loop: block none, and
/// `observe(on:)` where work is long. A call that is made on one of the loops, in answer to another one, stays there. A session
/// that nobody refers to any more ends with its last call.
public final class Session: Sendable {
    /// How a session reaches upstreams.
    public struct Configuration: Sendable {
        /// Event loops, a thread each; at least one. One carries tens of thousands of calls a second. Default 1.
        public var loops = 1
        /// What each loop's calls may take: connections, waiting calls, sizes of responses. The times of a call are its
        /// provider's `CallPolicy`.
        ///
        /// Default: `OutboundLimits.program`, by which calls wait for a connection as long as their total time allows. A
        /// gateway's calls fail after a second in that line instead.
        public var limits = OutboundLimits.program
        /// TLS and proxies. Default: verified by the system's roots, and the proxies that the environment names.
        public var connections: ConnectionSettings = {
            var connections = ConnectionSettings()
            connections.proxy = .environment
            return connections
        }()
        /// What every call says unless its target or a plugin says otherwise. Default: JSON rather than anything else, by any
        /// content coding that is undone here, from `Sluice`.
        public var fields: HTTPFields = [
            .accept: "application/json, */*;q=0.5", .acceptEncoding: "gzip, deflate, br",
            .userAgent: "Sluice",
        ]
        /// Whether content codings of responses are undone. With `.none` no call's are; else each call says so itself.
        /// Default `.automatic`.
        public var contentDecoding = ContentDecoding.automatic
        /// How many retries may be in flight to one upstream from one loop.
        public var retryBudget = RetryBudget()
        /// How requests without a provider are made. Default: as a provider's.
        public var policy = CallPolicy()
        /// What sees requests without a provider. Default none.
        public var plugins: [any PluginType] = []
        /// What changes requests without a provider, and decides on sending them again. Default none.
        public var interceptor: (any RequestInterceptor)?
        /// Keeps the cookies of requests without a provider. Default none.
        public var cookies: CookieJar?

        /// One loop, the defaults.
        public init() {}
    }

    /// One loop, the default limits. Made when it is first asked for, from any thread, and there to the end of the process. Its
    /// `warnings` go to standard error then, since nobody else looks at them.
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
    /// What providers send their calls over.
    public let transport: any Transport
    /// What makes its requests without a provider.
    public let client: RequestClient
    /// What the session did not understand of the environment's proxy variables, a line each, without passwords: an entry of
    /// `no_proxy` that it skips, a proxy of another kind than http, which fails the calls that need it. Usually empty.
    public let warnings: [String]

    /// Starts its loops. From any thread, a handler of a gateway included: it waits for none of them.
    ///
    /// - Throws: `TLSError` and `ConnectionSettings.InvalidHost` for what is wrong in the configuration, `SocketError` if the
    ///   system has no descriptor or no thread left for a loop. The environment's proxies never fail it: see `warnings`.
    public init(_ configuration: Configuration = Configuration()) throws {
        let loops = try SessionLoops(configuration)
        self.loops = loops
        warnings = loops.warnings
        transport = loops.transport(configuration)
        client = RequestClient(
            transport: transport, policy: configuration.policy, plugins: configuration.plugins,
            interceptor: configuration.interceptor, cookies: configuration.cookies)
    }

    /// Fails every call, with the reason for which there is no loop.
    private init(unavailable error: any Error) {
        loops = nil
        warnings = []
        let transport = NoTransport(error)
        self.transport = transport
        client = RequestClient(transport: transport)
    }

    /// What the pools of all loops hold now, and have done so far; nothing once the session is closed. Never waits: a call
    /// that has just ended may still count for a moment, until its loop has put the connection back.
    public var report: PoolReport { loops?.report ?? PoolReport() }

    /// Reads the certificates, keys and authorities of its configuration anew, where files name them. Connections that are
    /// opened from here on go by what the files hold now; open ones serve their calls to the end. Blocks while the files are
    /// read. From any thread.
    ///
    /// - Throws: `TLSError`, for a file that cannot be read or used. Nothing changes then.
    public func reloadCertificates() throws { try loops?.reloadCertificates() }

    /// Ends the session and returns at once, on any thread. Every later call and attempt fails with
    /// `destination_unavailable`; so does, a moment later, what is in flight. Its threads end when nobody refers to it any
    /// more.
    public func close() { loops?.close() }
}

/// The loops of a session and their connections, running for as long as the session, a provider or a call refers to them.
private final class SessionLoops: LoopLifetime {
    private let group: EventLoopGroup
    private let settings: ConnectionSettings
    private let clients: [HTTPClient]
    private let loopClients: [LoopBound<LoopClient>]
    /// Those of its routes.
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
        // Perhaps on one of the loops, with the end of the last call: their threads are not waited for.
        for loop in group.loops { loop.stop() }
    }

    /// What providers send their calls over. It keeps the loops.
    func transport(_ configuration: Session.Configuration) -> LoopTransport {
        // A client is no proxy, and adds no Via.
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
        // The loops go on for calls that wait for their next attempt, which is to fail too: they end with the last of them.
        for client in loopClients { client.loop.execute { client.value.close() } }
    }
}

/// Stands in where there is no loop.
private final class NoTransport: Transport {
    private let error: any Error

    init(_ error: any Error) { self.error = error }

    func send(_: TransportCall, within _: RxTimeInterval, for receiver: any AttemptReceiver) -> any Disposable
    {
        let attempt = BooleanDisposable()
        let failure = TransportError(.internalError, "there is no session: \(error)", underlying: error)
        // A moment later, so that a receiver that sends again at once is not called from within its own call.
        DispatchQueue.global().async { if !attempt.isDisposed { receiver.attemptFailed(failure) } }
        return attempt
    }

    let scheduler: any SchedulerType = MainScheduler.instance

    func beginRetry(to _: Networking.Upstream) -> Bool { false }

    func endRetry(to _: Networking.Upstream) {}
}
