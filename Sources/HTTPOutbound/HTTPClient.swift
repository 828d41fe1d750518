public import EventIO
public import Rx

/// HTTP/1.1 calls from one loop, over pooled connections.
///
/// A client belongs to its loop: it is made, asked for upstreams and closed there. The calls themselves may be
/// subscribed to and disposed from any thread; on the loop nothing hops. An answer is emitted on the loop.
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

    public var loop: EventLoop { state.loop }

    /// On the loop only. The resolver is best shared by all loops.
    public init(loop: EventLoop, resolver: Resolver = Resolver(), limits: OutboundLimits = OutboundLimits()) {
        state = LoopBound(State(shared: LoopState(loop: loop, resolver: resolver)), loop: loop)
        self.limits = limits
    }

    /// The upstream at this origin; the same pool whenever asked. On the loop only: ask once and keep it.
    ///
    /// - Parameter limits: the client's where nil; those of the first time stay.
    public func upstream(_ origin: Origin, limits: OutboundLimits? = nil) -> Upstream {
        if let known = state.value.upstreams[origin] { return known }
        let pool = UpstreamPool(origin: origin, limits: limits ?? self.limits, shared: state.value.shared)
        let upstream = Upstream(origin: origin, pool: LoopBound(pool, loop: loop))
        state.value.upstreams[origin] = upstream
        return upstream
    }

    /// All pools together. On the loop only.
    public var report: PoolReport {
        state.value.upstreams.values.reduce(PoolReport()) { $0 + $1.report }
    }

    /// Each pool by its origin; all that were asked for, whatever they hold. On the loop only.
    public var reports: [Origin: PoolReport] {
        state.value.upstreams.mapValues { $0.report }
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

    /// What the pool holds. On the loop only.
    public var report: PoolReport { pool.value.report }

    func close(atOnce: Bool) { pool.value.close(atOnce: atOnce) }
}
