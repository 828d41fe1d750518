import EventIO
public import HTTPModel
public import HTTPOutbound
public import Networking
import Rx
import Synchronization

@_exported public import struct HTTPOutbound.OutboundLimits
@_exported public import struct HTTPOutbound.PoolReport

/// Connections of providers that are not a gateway's: event loops of its own, and a pool per upstream on each
/// (`URLSession`'s and Alamofire's `Session`'s place).
///
///     let tags = Provider<TagAPI>()                        // over `Session.shared`
///     tags.rx.request(.list).map([Tag].self)
///
/// Answers are delivered on one of its loops: block none, and `observe(on:)` where work is long. A session that nobody
/// refers to any more ends with its last call.
public final class Session: Sendable {
    /// How a session reaches upstreams.
    public struct Configuration: Sendable {
        /// Event loops, a thread each; at least one. One carries tens of thousands of calls a second. Default 1.
        public var loops = 1
        /// What each loop's calls may take: connections, waiting calls, sizes of responses. The times of a call are its
        /// provider's `CallPolicy`.
        public var limits = OutboundLimits()
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

    /// One loop, the default limits. Made when it is first asked for, from any thread, and there to the end of the process.
    public static let shared: Session = {
        do {
            return try Session()
        } catch {
            return Session(unavailable: error)
        }
    }()

    private let core: SessionTransport?
    /// What providers send their calls over.
    public let transport: any Transport
    /// What makes its requests without a provider.
    public let client: RequestClient

    /// Starts its loops. From any thread, a handler of a gateway included: it waits for none of them.
    ///
    /// - Throws: `TLSError` and `ProxyConfiguration.Failure` for what is wrong in the configuration or the environment,
    ///   `SocketError` where the system has no descriptor or no thread left for a loop.
    public init(_ configuration: Configuration = Configuration()) throws {
        let core = try SessionTransport(configuration)
        self.core = core
        transport = core
        client = RequestClient(
            transport: core, policy: configuration.policy, plugins: configuration.plugins,
            interceptor: configuration.interceptor, cookies: configuration.cookies)
    }

    /// Fails every call, with the reason for which there is no loop.
    private init(unavailable error: any Error) {
        core = nil
        let transport = NoTransport(error)
        self.transport = transport
        client = RequestClient(transport: transport)
    }

    /// What the pools of all loops hold now, and have done so far; nothing once the session is closed. Never waits: a call
    /// that has just ended may still count for a moment, until its loop has put the connection back.
    public var report: PoolReport { core?.report ?? PoolReport() }

    /// Ends the session and returns at once, on any thread. Every later call and attempt fails with
    /// `destination_unavailable`; so does, a moment later, what is in flight. Its threads end when nobody refers to it any
    /// more.
    public func close() { core?.close() }
}

/// The loops of a session and what runs on them, for as long as the session, a provider or a call refers to them.
private final class SessionTransport: Transport {
    private let group: EventLoopGroup
    private let clients: [HTTPClient]
    private let loopClients: [LoopBound<LoopClient>]
    private let transport: LoopTransport
    let fields: HTTPFields
    // A client is no proxy, and adds no Via.
    let fieldsWithoutContext = HTTPFields()
    private let isClosed = Atomic(false)

    init(_ configuration: Session.Configuration) throws {
        let routes = try UpstreamRoutes(configuration.connections)
        fields = configuration.fields
        group = try EventLoopGroup(count: max(1, configuration.loops), name: "session")
        let resolver = Resolver()
        clients = group.loops.map { HTTPClient(loop: $0, resolver: resolver, limits: configuration.limits) }
        loopClients = clients.map { client in
            LoopBound(on: client.loop) { LoopClient(client, routes: routes) }
        }
        transport = LoopTransport(loopClients, retryBudget: configuration.retryBudget)
    }

    deinit {
        // Perhaps on one of the loops, with the end of the last call: their threads are not waited for.
        for loop in group.loops { loop.stop() }
    }

    var report: PoolReport {
        guard !isClosed.load(ordering: .acquiring) else { return PoolReport() }
        return clients.reduce(PoolReport()) { $0 + $1.report }
    }

    func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // The loops go on for calls that wait for their next attempt, which is to fail too: they end with the last of them.
        for client in loopClients { client.loop.execute { client.value.close() } }
    }

    func send(_ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver)
        -> any Disposable
    {
        guard !isClosed.load(ordering: .acquiring) else {
            receiver.attemptFailed(TransportError(.destinationUnavailable, "the session is closed"))
            return Disposables.create()
        }
        return transport.send(call, within: limit, for: receiver)
    }

    var scheduler: any SchedulerType { transport.scheduler }

    var isOnLoop: Bool { transport.isOnLoop }

    func beginRetry(to upstream: Networking.Upstream) -> Bool { transport.beginRetry(to: upstream) }

    func endRetry(to upstream: Networking.Upstream) { transport.endRetry(to: upstream) }
}

/// Stands in where there is no loop.
private final class NoTransport: Transport {
    private let error: any Error

    init(_ error: any Error) { self.error = error }

    func send(_: TransportCall, within _: RxTimeInterval, for receiver: any AttemptReceiver) -> any Disposable
    {
        receiver.attemptFailed(
            TransportError(.internalError, "there is no session: \(error)", underlying: error))
        return Disposables.create()
    }

    let scheduler: any SchedulerType = MainScheduler.instance

    func beginRetry(to _: Networking.Upstream) -> Bool { false }

    func endRetry(to _: Networking.Upstream) {}
}
