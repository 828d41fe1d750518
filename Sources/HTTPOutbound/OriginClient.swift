public import EventIO
public import HTTPModel
public import Rx

/// Receives a response as it arrives, on the loop of its call.
public protocol OutboundStreamReceiver: AnyObject, Sendable {
    /// The head of the final response has arrived. `resume` continues a paused body, from any thread.
    func responseBegan(_ head: HTTPResponseHead, resume: @escaping @Sendable () -> Void)

    /// Receives the next piece of the body, content codings decoded, valid during the call. Returns false to
    /// pause the body until `resume`.
    func bodyReceived(_ piece: UnsafeRawBufferPointer) -> Bool
}

/// Sends requests to one origin, from the loop of its `HTTPClient`.
public final class OriginClient: Sendable {
    private let loopPool: LoopBound<UpstreamPool>

    init(pool: LoopBound<UpstreamPool>) {
        loopPool = pool
    }

    public var loop: EventLoop { loopPool.loop }

    /// The connections, on the loop only. Starting an `OutboundCall` there skips the reactive layer.
    public var pool: UpstreamPool { loopPool.value }

    /// Returns the call, cold. Each subscription sends the request once and gets the answer on the loop.
    /// Disposing it earlier closes the connection at once, or leaves the queue. Any thread may subscribe and
    /// dispose. Fails only with `OutboundError`.
    public func send(_ request: consuming OutboundRequest) -> Single<OutboundResponse> {
        .emitting(LoopSource(CallWork(request: request, origin: self)))
    }

    /// Returns the same call, but with its response delivered to `receiver` as it arrives: the result has no
    /// body.
    public func send(
        _ request: consuming OutboundRequest, streamingTo receiver: any OutboundStreamReceiver
    ) -> Single<OutboundResponse> {
        .emitting(LoopSource(CallWork(request: request, origin: self, receiver: receiver)))
    }
}
