public import EventIO
internal import Metrics

/// Makes HTTP/1.1 calls over pooled connections, on one loop. Only `init` and `report` work on any thread.
public final class HTTPClient: Sendable {
    private final class State {
        let shared: SharedClientState
        var origins: [Origin: OriginClient] = [:]
        private let poolGauge: Gauge
        private var countedPools = 0

        init(shared: SharedClientState) {
            self.shared = shared
            let loop = shared.loop
            poolGauge = loop.metrics.name().gauge(.upstreamTables, ["pools"], on: loop.page)
            shared.closeIdle = { [weak self] pool in
                self?.origins.values.contains { $0.pool !== pool && $0.pool.closeIdleConnection() } ?? false
            }
        }

        /// Call it after each change of `origins`. (An observer of the property would copy the table.)
        func countPools() {
            poolGauge.add(origins.count - countedPools)
            countedPools = origins.count
        }
    }

    private let state: LoopBound<State>
    private let limits: OutboundLimits
    private let counts: ClientCounts

    /// The loop on which the client is used.
    public var loop: EventLoop { state.loop }

    /// Creates a client, on any thread. Share one `resolver` among loops. `limits` are the default for its
    /// origins. `onExhausted` is called on the loop, at most once a second, while no descriptors are left for
    /// connections.
    public init(
        loop: EventLoop, resolver: Resolver = Resolver(), limits: OutboundLimits = OutboundLimits(),
        observer: (any ConnectionObserver)? = nil, onExhausted: (@Sendable (SocketError) -> Void)? = nil
    ) {
        let counts = ClientCounts()
        self.counts = counts
        state = LoopBound(on: loop) {
            State(
                shared: SharedClientState(
                    loop: loop, resolver: resolver, counts: counts, observer: observer,
                    onExhausted: onExhausted))
        }
        self.limits = limits
    }

    /// Tells another observer of connections from now on, or none.
    public func observe(_ observer: (any ConnectionObserver)?) { state.value.shared.observer = observer }

    /// Returns the client of this origin, the same one each time. Look it up once and keep it. `limits` apply
    /// if this is the first call for the origin; default: the origin's own, or the client's.
    public func origin(_ origin: Origin, limits: OutboundLimits? = nil) -> OriginClient {
        if let known = state.value.origins[origin] { return known }
        let pool = UpstreamPool(
            origin: origin, limits: limits ?? origin.limits ?? self.limits, shared: state.value.shared)
        let client = OriginClient(pool: LoopBound(pool, loop: loop))
        state.value.origins[origin] = client
        state.value.countPools()
        state.value.shared.vacancySweep?.poolIsVacant()
        return client
    }

    /// Reports the addresses of the origin's name to `changed`, on the loop, until the watch is released
    /// (`Resolver.watch`). Returns nil if its connections do not go to the addresses of a name.
    public func watch(_ origin: Origin, changed: @escaping ([SocketAddress]) -> Void) -> AddressWatch? {
        guard let (host, port) = origin.resolvedName else { return nil }
        let resolver = origin.ownResolver?.resolver ?? state.value.shared.resolver
        return resolver.watch(host, port: Int(port), on: loop, changed: changed)
    }

    /// Forgets the selected origins that serve no call right now and closes their idle connections, for a
    /// client that calls many hosts over its life. Do not use their `OriginClient` or `UpstreamPool`
    /// afterwards (`UpstreamPool.isForgotten`); call `origin(_:limits:)` again.
    public func forgetUnused(_ isMeant: (Origin) -> Bool = { _ in true }) {
        forget { isMeant($0.origin) }
    }

    /// Does the same with the origins that have had no call since the last time, or since they were new.
    public func forgetUncalled() {
        forget { $0.isUncalled() }
    }

    /// Closes the connections to the selected origins: idle ones at once, the others when their calls have
    /// ended. Their `OriginClient`s stay usable.
    public func retireConnections(where isMeant: (Origin) -> Bool) {
        for client in state.value.origins.values where isMeant(client.pool.origin) {
            client.pool.closeConnections()
        }
    }

    /// From now on, forgets each origin that has had no connection for the `idleTimeout` of the client's
    /// limits (0.1 s to 60 s), and expired names with it, before twice that time is over. Then calls
    /// `forgotten`, on the loop.
    public func forgetVacant(_ forgotten: @escaping () -> Void) {
        let idle = TimeAmount(limits.idleTimeout)
        let interval = min(max(idle, .milliseconds(100)), .seconds(60))
        state.value.shared.vacancySweep = VacancySweep(on: loop, interval: interval) { [weak self] in
            guard let self else { return false }
            state.value.shared.resolver.removeExpired()
            if forget(where: { $0.isVacant && $0.isUncalled() }) { forgotten() }
            return state.value.origins.values.contains { $0.pool.isVacant }
        }
    }

    /// Returns whether a pool was forgotten.
    @discardableResult
    private func forget(where isMeant: (UpstreamPool) -> Bool) -> Bool {
        let state = state.value
        var isAny = false
        for client in state.origins.values where isMeant(client.pool) && client.pool.closeIdle() {
            client.pool.isForgotten = true
            isAny = true
        }
        guard isAny else { return false }
        // Tables of the right size: removal from a table leaves it as large as it was.
        state.origins = state.origins.filter { !$0.value.pool.isForgotten }
        state.countPools()
        return true
    }

    /// The sizes of the tables, on the loop.
    package var tableSizes: (origins: Int, names: Int, unreachable: Int) {
        let resolver = state.value.shared.resolver.counts
        return (state.value.origins.count, resolver.names, resolver.unreachable)
    }

    /// The sum over all pools at this moment. On any thread, without waiting for the loop.
    public var report: PoolReport { counts.report }

    /// Calls `body` once no cancelled call is left whose request must not be cut (`OutboundCall.mayCut`): at
    /// once, or when the last of them has had its response or has reached one of its time limits.
    package func afterUncutCalls(_ body: @escaping () -> Void) { state.value.shared.afterUncutCalls(body) }

    /// Closes all connections, fails the calls that run or wait, and refuses new ones, with
    /// `destination_unavailable`.
    public func close() {
        state.value.shared.isClosed = true
        state.value.shared.vacancySweep?.stop()
        state.value.shared.vacancySweep = nil
        for client in state.value.origins.values { client.pool.close() }
    }
}
