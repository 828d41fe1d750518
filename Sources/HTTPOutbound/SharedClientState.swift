internal import EventIO

/// State that all pools of one client share, on its loop.
final class SharedClientState {
    let loop: EventLoop
    let resolver: Resolver
    /// nil if nobody observes connections.
    let observer: (any ConnectionObserver)?
    /// Calls that wait for a connection, over all pools.
    var waitingCalls = 0
    var isClosed = false
    /// Where `RequestWriter` puts requests together; keeps the capacity of the largest so far. Touched only on the loop,
    /// and writing to a stream never calls back.
    var requestBuffer: [UInt8] = []

    init(loop: EventLoop, resolver: Resolver, observer: (any ConnectionObserver)?) {
        self.loop = loop
        self.observer = observer
        self.resolver = resolver
    }
}
