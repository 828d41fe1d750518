public import EventIO
internal import Locking
public import Rx

/// HTTP/1.1 calls from one loop, over pooled connections.
///
/// A client belongs to its loop: it is asked for upstreams and closed there. It may be made and asked for its reports from
/// any thread. The calls themselves may be subscribed to and disposed from any thread; on the loop nothing hops. An answer
/// is emitted on the loop.
public final class HTTPClient: Sendable {
    private final class State {
        let shared: LoopState
        var upstreams: [Origin: Upstream] = [:]

        init(shared: LoopState) {
            self.shared = shared
        }
    }

    private let state: LoopBound<State>
    private let limits: OutboundLimits
    /// The numbers of each pool, for every thread to see.
    private let gauges = Lock<[Origin: PoolGauge]>([:])
    /// What the pools that were forgotten had done.
    private let past = Lock(PoolReport())

    public var loop: EventLoop { state.loop }

    /// From any thread. The resolver is best shared by all loops.
    ///
    /// - Parameter observer: hears what becomes of connections. Default nil: nobody does.
    public init(
        loop: EventLoop, resolver: Resolver = Resolver(), limits: OutboundLimits = OutboundLimits(),
        observer: (any ConnectionObserver)? = nil
    ) {
        state = LoopBound(on: loop) {
            State(shared: LoopState(loop: loop, resolver: resolver, observer: observer))
        }
        self.limits = limits
    }

    /// The upstream at this origin; the same pool whenever asked. On the loop only: ask once and keep it.
    ///
    /// - Parameter limits: the client's where nil; those of the first time stay.
    public func upstream(_ origin: Origin, limits: OutboundLimits? = nil) -> Upstream {
        if let known = state.value.upstreams[origin] { return known }
        let pool = UpstreamPool(origin: origin, limits: limits ?? self.limits, shared: state.value.shared)
        gauges.withLock { $0[origin] = pool.gauge }
        let upstream = Upstream(origin: origin, pool: LoopBound(pool, loop: loop))
        state.value.upstreams[origin] = upstream
        return upstream
    }

    /// Forgets the upstreams that serve no call at this moment, and closes their idle connections: for a client that calls many
    /// hosts in its life. Nothing may be sent any more through an `Upstream` or `UpstreamPool` of theirs that is still
    /// held (`UpstreamPool.isForgotten`); ask `upstream(_:limits:)` again. On the loop only.
    ///
    /// - Parameter isMeant: the origins. Default: all.
    public func forgetUnused(_ isMeant: (Origin) -> Bool = { _ in true }) {
        let state = state.value
        var forgotten: [Origin] = []
        for (origin, upstream) in state.upstreams where isMeant(origin) && upstream.local.closeIdle() {
            upstream.local.isForgotten = true
            forgotten.append(origin)
        }
        for origin in forgotten { state.upstreams[origin] = nil }
        gauges.withLock { gauges in
            for origin in forgotten {
                guard let gauge = gauges.removeValue(forKey: origin) else { continue }
                past.withLock { $0 = $0 + gauge.report }
            }
        }
    }

    /// All pools together, as they are now. From any thread, without waiting for the loop.
    public var report: PoolReport {
        gauges.withLock { gauges in gauges.values.reduce(past.withLock { $0 }) { $0 + $1.report } }
    }

    /// Each pool by its origin; all that were asked for, whatever they hold. From any thread, without waiting for the loop.
    public var reports: [Origin: PoolReport] {
        gauges.withLock { $0.mapValues(\.report) }
    }

    /// Refuses calls from now on with `destination_unavailable`, fails those that wait for a connection, and closes
    /// connections as they come free. Calls that run go on to their end. On the loop only.
    public func drain() {
        close(atOnce: false)
    }

    /// As `drain`, and fails the calls that run. On the loop only.
    public func close() {
        close(atOnce: true)
    }

    private func close(atOnce: Bool) {
        state.value.shared.isClosed = true
        for upstream in state.value.upstreams.values { upstream.close(atOnce: atOnce) }
    }
}

/// One origin as its loop reaches it: where calls are sent to.
public final class Upstream: Sendable {
    public let origin: Origin
    let pool: LoopBound<UpstreamPool>

    init(origin: Origin, pool: LoopBound<UpstreamPool>) {
        self.origin = origin
        self.pool = pool
    }

    public var loop: EventLoop { pool.loop }

    /// Its connections, for whoever stays on the loop with them. On the loop only.
    public var local: UpstreamPool { pool.value }

    /// The call, cold: each subscription sends the request once, and disposing it before the answer is whole closes
    /// the connection at once, or leaves the line. It fails with `OutboundError` alone.
    public func send(_ request: consuming OutboundRequest) -> Single<OutboundResponse> {
        .emitting(LoopSource(CallWork(request: request, upstream: self)))
    }

    func close(atOnce: Bool) { pool.value.close(atOnce: atOnce) }
}
