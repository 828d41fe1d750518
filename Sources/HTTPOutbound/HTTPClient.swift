public import EventIO
internal import Locking

/// Makes HTTP/1.1 calls over pooled connections, on one loop. Only `init` and `report` work on any thread.
public final class HTTPClient: Sendable {
    private final class State {
        let shared: SharedClientState
        var origins: [Origin: OriginClient] = [:]

        init(shared: SharedClientState) {
            self.shared = shared
        }
    }

    private let state: LoopBound<State>
    private let limits: OutboundLimits
    /// The numbers of each pool, readable from any thread.
    private let gauges = Lock<[Origin: PoolGauge]>([:])
    /// The totals of forgotten pools.
    private let past = Lock(PoolReport())

    public var loop: EventLoop { state.loop }

    /// Creates a client, on any thread. Share one `resolver` among loops. `limits` are the default for its origins.
    /// `onExhausted` is called on the loop, at most once a second, while no descriptors are left for connections.
    public init(
        loop: EventLoop, resolver: Resolver = Resolver(), limits: OutboundLimits = OutboundLimits(),
        observer: (any ConnectionObserver)? = nil, onExhausted: (@Sendable (SocketError) -> Void)? = nil
    ) {
        state = LoopBound(on: loop) {
            State(
                shared: SharedClientState(
                    loop: loop, resolver: resolver, observer: observer, onExhausted: onExhausted))
        }
        self.limits = limits
    }

    /// Returns the client of this origin, the same one each time. Look it up once and keep it. `limits` apply if this
    /// is the first call for the origin; default: the client's.
    public func origin(_ origin: Origin, limits: OutboundLimits? = nil) -> OriginClient {
        if let known = state.value.origins[origin] { return known }
        let pool = UpstreamPool(origin: origin, limits: limits ?? self.limits, shared: state.value.shared)
        gauges.withLock { $0[origin] = pool.gauge }
        let client = OriginClient(pool: LoopBound(pool, loop: loop))
        state.value.origins[origin] = client
        return client
    }

    /// Reports the addresses of the origin's name to `changed`, on the loop, until the watch is released
    /// (`Resolver.watch`). Returns nil if its connections do not go to the addresses of a name.
    public func watch(_ origin: Origin, changed: @escaping ([SocketAddress]) -> Void) -> AddressWatch? {
        guard let (host, port) = origin.resolvedName else { return nil }
        let resolver = origin.ownResolver?.resolver ?? state.value.shared.resolver
        return resolver.watch(host, port: Int(port), on: loop, changed: changed)
    }

    /// Forgets the selected origins that serve no call right now and closes their idle connections, for a client that
    /// calls many hosts over its life. Do not use their `OriginClient` or `UpstreamPool` afterwards
    /// (`UpstreamPool.isForgotten`); call `origin(_:limits:)` again.
    public func forgetUnused(_ isMeant: (Origin) -> Bool = { _ in true }) {
        let state = state.value
        var forgotten: [Origin] = []
        for (origin, client) in state.origins where isMeant(origin) && client.pool.closeIdle() {
            client.pool.isForgotten = true
            forgotten.append(origin)
        }
        for origin in forgotten { state.origins[origin] = nil }
        gauges.withLock { gauges in
            for origin in forgotten {
                guard let gauge = gauges.removeValue(forKey: origin) else { continue }
                past.withLock { $0 = $0 + gauge.report }
            }
        }
    }

    /// The sum over all pools at this moment. On any thread, without waiting for the loop.
    public var report: PoolReport {
        gauges.withLock { gauges in gauges.values.reduce(past.withLock { $0 }) { $0 + $1.report } }
    }

    /// Closes all connections, fails the calls that run or wait, and refuses new ones, with `destination_unavailable`.
    public func close() {
        state.value.shared.isClosed = true
        for client in state.value.origins.values { client.pool.close() }
    }
}
