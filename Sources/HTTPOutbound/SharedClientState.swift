internal import EventIO

final class SharedClientState {
    let loop: EventLoop
    let resolver: Resolver
    let counts: ClientCounts
    /// nil without an observer.
    var observer: (any ConnectionObserver)?
    private let onExhausted: ((SocketError) -> Void)?
    private var lastExhaustion: MonotonicTime?
    /// Calls that wait for a connection, over all pools.
    var waitingCalls = 0
    var isClosed = false
    /// Cancelled calls whose requests must not be cut, and whose responses have not come, over all pools.
    private var uncutCalls = 0
    private var onUncutEnded: (() -> Void)?
    /// Closes an idle connection of any other pool. Returns false if none is idle.
    var closeIdle: ((_ pool: UpstreamPool) -> Bool)?
    /// nil if vacant pools are kept.
    var vacancySweep: VacancySweep?
    /// Where `RequestWriter` assembles requests; keeps the capacity of the largest so far. Touched only on
    /// the loop, and writing to a stream never calls back.
    var requestBuffer: [UInt8] = []

    init(
        loop: EventLoop, resolver: Resolver, counts: ClientCounts, observer: (any ConnectionObserver)?,
        onExhausted: ((SocketError) -> Void)?
    ) {
        self.loop = loop
        self.counts = counts
        self.observer = observer
        self.onExhausted = onExhausted
        self.resolver = resolver
    }

    func uncutCallBegan() { uncutCalls += 1 }

    func uncutCallEnded() {
        uncutCalls -= 1
        if uncutCalls == 0 { onUncutEnded.take()?() }
    }

    /// Calls `body` as soon as no uncut call is left.
    func afterUncutCalls(_ body: @escaping () -> Void) {
        if uncutCalls == 0 { body() } else { onUncutEnded = body }
    }

    /// Reports that no descriptor was left for a connection, at most once a second.
    func descriptorsExhausted(_ error: SocketError) {
        let now = loop.now
        if let lastExhaustion, now - lastExhaustion < .seconds(1) { return }
        lastExhaustion = now
        onExhausted?(error)
    }
}
