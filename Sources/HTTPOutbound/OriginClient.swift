public import EventIO
public import Rx

/// Sends requests to one origin, from the loop of its `HTTPClient`.
public final class OriginClient: Sendable {
    private let loopPool: LoopBound<UpstreamPool>

    init(pool: LoopBound<UpstreamPool>) {
        loopPool = pool
    }

    public var loop: EventLoop { loopPool.loop }

    /// The connections, on the loop only. Starting an `OutboundCall` there skips the reactive layer.
    public var pool: UpstreamPool { loopPool.value }

    /// Returns the call, cold. Each subscription sends the request once and gets the answer on the loop. Disposing it
    /// earlier closes the connection at once, or leaves the queue. Any thread may subscribe and dispose. Fails only
    /// with `OutboundError`.
    public func send(_ request: consuming OutboundRequest) -> Single<OutboundResponse> {
        .emitting(LoopSource(CallWork(request: request, origin: self)))
    }
}
