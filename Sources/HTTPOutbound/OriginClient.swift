public import EventIO
public import HTTPModel
import Locking

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

    /// The loop on which the client is used.
    public var loop: EventLoop { loopPool.loop }

    /// The connections, on the loop only. `send` starts calls there that end with a closure.
    public var pool: UpstreamPool { loopPool.value }

    /// Sends a request. Any thread may call this, and may dispose the result: that closes the connection at
    /// once, or leaves the queue.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - limit: time for the whole call. Nil for the client's.
    ///   - receiver: gets the response as it arrives, so that the result has no body.
    ///   - ended: gets the result on the loop, unless the call is disposed earlier. It is called at once if
    ///     the loop has ended.
    public func send(
        _ request: OutboundRequest, within limit: TimeAmount? = nil,
        streamingTo receiver: (any OutboundStreamReceiver)? = nil,
        ended: @escaping @Sendable (Result<OutboundResponse, OutboundError>) -> Void
    ) -> PendingCall {
        let pending = PendingCall()
        let start: @Sendable () -> Void = { [self] in
            pending.begin {
                let call = ClosureCall(request, to: pool, within: limit, streamingTo: receiver, ended)
                pool.start(call)
                return call
            }
        }
        if loop.isCurrent {
            start()
        } else if !loop.execute(start) {
            ended(
                .failure(
                    OutboundError(
                        reason: .destinationUnavailable, detail: "the event loop has ended",
                        timings: OutboundTimings(started: MonotonicTime.clock()))))
        }
        return pending
    }
}

/// A call that any thread may dispose, also before its loop has started it.
public final class PendingCall: Sendable {
    private struct State {
        var call: LoopDisposable?
        var isDisposed = false
    }

    private let state = Lock(State())

    /// Starts the call, unless it is disposed.
    fileprivate func begin(_ start: () -> LoopDisposable) {
        guard !state.withLock({ $0.isDisposed }) else { return }
        let call = start()
        let isDisposed = state.withLock { state in
            if !state.isDisposed { state.call = call }
            return state.isDisposed
        }
        if isDisposed { call.dispose() }
    }

    /// Disposes of what it holds. Further calls have no effect.
    public func dispose() {
        let call = state.withLock { state in
            state.isDisposed = true
            return state.call.take()
        }
        call?.dispose()
    }
}
