internal import EventIO
internal import Metrics

/// What a server counts on its loop's page.
struct InboundCounts {
    let connections: Gauge
    let accepted: Counter
    let requestsInFlight: Gauge
    let waitingInMemory: Gauge
    let waitingInFiles: Gauge
    private let shedIdle: Counter
    private let shedSlowHeads: Counter
    private let shedRefused: Counter
    /// By `HandshakeResult`; empty without TLS.
    private let handshakes: [HandshakeResult: Counter]

    init(on loop: EventLoop, hasTLS: Bool) {
        let process = loop.metrics.name()
        let page = loop.page
        connections = process.gauge(.connections, on: page)
        accepted = process.counter(.connectionsAccepted, on: page)
        requestsInFlight = process.gauge(.httpRequestsInFlight, on: page)
        waitingInMemory = process.gauge(.answerBytesWaiting, ["memory"], on: page)
        waitingInFiles = process.gauge(.answerBytesWaiting, ["file"], on: page)
        shedIdle = process.counter(.connectionsShed, ["idle"], on: page)
        shedSlowHeads = process.counter(.connectionsShed, ["slow_head"], on: page)
        shedRefused = process.counter(.connectionsShed, ["refused"], on: page)
        var handshakes: [HandshakeResult: Counter] = [:]
        for result in HandshakeResult.allCases where hasTLS {
            handshakes[result] = process.counter(.tlsHandshakes, [result.rawValue], on: page)
        }
        self.handshakes = handshakes
    }

    func handshakeEnded(_ result: HandshakeResult) { handshakes[result]?.add() }

    func shed(_ counts: ShedCounts) {
        shedIdle.add(counts.idle)
        shedSlowHeads.add(counts.slowHeads)
        shedRefused.add(counts.refused)
    }
}
