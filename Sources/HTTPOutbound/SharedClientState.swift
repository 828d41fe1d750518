internal import EventIO

final class SharedClientState {
    let loop: EventLoop
    let resolver: Resolver
    /// nil if there is no observer.
    let observer: (any ConnectionObserver)?
    /// Calls that wait for a connection, over all pools.
    var waitingCalls = 0
    var isClosed = false
    /// Where `RequestWriter` assembles requests; keeps the capacity of the largest so far. Touched only on the loop,
    /// and writing to a stream never calls back.
    var requestBuffer: [UInt8] = []

    init(loop: EventLoop, resolver: Resolver, observer: (any ConnectionObserver)?) {
        self.loop = loop
        self.observer = observer
        self.resolver = resolver
    }
}
