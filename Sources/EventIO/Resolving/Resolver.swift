import Locking
public import Metrics

/// Resolves names, behind a cache that all loops share.
///
/// Requests for the same name share one lookup. An expired answer is returned while it is looked up again, so
/// that a silent resolver does not delay requests for names in use. A name that is in use is looked up again
/// when its time to live ends, and an unused one is not.
///
/// Lookups run on one thread that lives while there is something to look up or to refresh.
public final class Resolver: Sendable {
    /// Blocks until it has the answer. The port of the addresses is ignored.
    public typealias Lookup = @Sendable (_ host: String) -> Result<[SocketAddress], SocketError>

    /// The limits of name resolution.
    public struct Limits: Sendable, Hashable {
        /// How long addresses are fresh if their time to live is unknown. Default 30 s.
        public var positiveAge = TimeAmount.seconds(30)
        /// How long a failure is cached. Default 1 s.
        public var negativeAge = TimeAmount.seconds(1)
        /// How long to wait for a server's answer before the next try, at the next server if there are
        /// several. Doubles once all servers were tried. Default 1 s.
        public var tryTimeout = TimeAmount.seconds(1)
        /// How often each server is tried. Default 2.
        public var tries = 2
        /// Time for one lookup with all its tries and search domains. Default 10 s.
        public var lookupTimeout = TimeAmount.seconds(10)
        /// Concurrent lookups, each with a socket for each server that it has tried. Default 64.
        public var lookups = 64
        /// Concurrent lookups by `getaddrinfo`, each on a thread. Default 8.
        public var threads = 8
        /// Names that may wait for their lookup to start. Lookups beyond that fail at once. Default 256.
        public var waitingNames = 256
        /// Cached names. Default 1024.
        public var cachedNames = 1024

        /// Creates the default values.
        public init() {}
    }

    let core: ResolverCore
    let unreachable = UnreachableAddresses()

    /// Creates a resolver with the default settings: c-ares asks the servers in resolv.conf(5).
    public convenience init() {
        self.init(ResolverCore(.ares(servers: [], configuration: nil), DNSSettings(), Limits()))
    }

    /// - Throws: `InvalidDNSSettings` with every setting that cannot be used.
    public convenience init(_ settings: DNSSettings) throws(InvalidDNSSettings) {
        try self.init(settings, limits: settings.limits)
    }

    private struct SharedResolver: Sendable {
        weak let resolver: Resolver?
    }

    private static let shared = Lock<[DNSSettings: SharedResolver]>([:])

    /// Returns the resolver with these settings that is in use, or a new one.
    ///
    /// - Throws: `InvalidDNSSettings` with every setting that cannot be used.
    public static func shared(_ settings: DNSSettings) throws(InvalidDNSSettings) -> Resolver {
        if let known = shared.withLock({ $0[settings]?.resolver }) { return known }
        let made = try Resolver(settings)
        return shared.withLock { shared in
            if let first = shared[settings]?.resolver { return first }
            shared = shared.filter { $0.value.resolver != nil }
            shared[settings] = SharedResolver(resolver: made)
            return made
        }
    }

    /// - Parameter configuration: the path of a file to read instead of `/etc/resolv.conf`.
    convenience init(
        _ settings: DNSSettings, limits: Limits, configuration: String? = nil,
        clock: @escaping @Sendable () -> MonotonicTime = MonotonicTime.clock
    ) throws(InvalidDNSSettings) {
        let servers = try settings.validated()
        let method: LookupMethod =
            settings.usesSystem
            ? .blocking(Self.systemLookup) : .ares(servers: servers, configuration: configuration)
        self.init(ResolverCore(method, settings, limits, clock: clock))
    }

    /// Creates a resolver that calls `lookup` on helper threads.
    public convenience init(
        limits: Limits = Limits(), lookup: @escaping Lookup,
        clock: @escaping @Sendable () -> MonotonicTime = MonotonicTime.clock
    ) {
        self.init(ResolverCore(.blocking(lookup), DNSSettings(), limits, clock: clock))
    }

    private init(_ core: ResolverCore) { self.core = core }

    deinit { core.stop() }

    /// Counts lookups in this table. Call it before the first lookup. A resolver that several gateways share
    /// counts in the table of the first.
    public func count(in table: MetricTable) { core.count(in: table) }

    /// Finds the addresses of `host`, without a lookup if it is numeric. `updated` is called on `loop`, after
    /// this returns: once with all addresses, of which there is at least one, or with `.nameNotFound`,
    /// `.nameUnusable`, `.nameFailed` or `.nameTimedOut`. Before, it is called with the addresses of one
    /// family if the other one is late. The lookup continues after the deadline, for later requests.
    @discardableResult
    func resolve(
        _ host: String, port: Int, on loop: EventLoop, deadline: MonotonicTime,
        updated: @escaping (ResolveUpdate) -> Void
    ) -> ResolveRequest {
        let request = ResolveRequest(host, port: port, on: loop, updated)
        if let address = SocketAddress(host: host, port: port) {
            request.finish(
                address.isDestination ? .success([address]) : .failure(.unusable([address], of: host)))
            return request
        }
        let step = core.change { $0.requested(host, by: request, now: $1) }
        if step.isStale { core.counts?.answeredStale() }
        if let answer = step.answer {
            request.finish(answer)
        } else {
            request.wait(for: self, until: deadline)
            if let partial = step.partial { request.found(partial) }
        }
        core.perform(step, for: host)
        return request
    }

    /// Reports the addresses of a name to `changed`: once they are known, and whenever the set changes, until
    /// the watch is cancelled or released. Call it on `loop`.
    ///
    /// While it is watched, the name is looked up again when its time to live ends, and a second after a
    /// failed lookup. `changed` is called on `loop`, after this returns, with all addresses, but not if only
    /// their order has changed. The list is empty if the first lookup failed, if the name does not exist, if
    /// it is an unspecified, broadcast or multicast address, or if lookups have failed for longer than
    /// `DNSSettings.stale`.
    public func watch(
        _ host: String, port: Int, on loop: EventLoop, changed: @escaping ([SocketAddress]) -> Void
    ) -> AddressWatch {
        let watcher = AddressWatcher(host, port: port, on: loop, changed)
        if let address = SocketAddress(host: host, port: port) {
            watcher.look(at: address.isDestination ? [address] : [])
        } else {
            core.perform(core.change { $0.watched(host, by: watcher, now: $1) }, for: host)
        }
        return AddressWatch(watcher, self)
    }

    /// Removes what is too old to be used: names' addresses, and addresses that could not be reached. Call it
    /// now and then if the resolver has served many names. Without it, at most `Limits.cachedNames` stay.
    public func removeExpired() {
        let now = core.change { cache, now in
            cache.removeExpired(now: now)
            return now
        }
        unreachable.removeExpired(now: now)
    }

    /// How many names, and how many addresses that could not be reached, are known.
    package var counts: (names: Int, unreachable: Int) {
        (core.change { cache, _ in cache.count }, unreachable.count)
    }

    func requestLeft(_ host: String, _ request: ResolveRequest) {
        core.change { cache, _ in cache.requestLeft(host, request) }
    }
}
