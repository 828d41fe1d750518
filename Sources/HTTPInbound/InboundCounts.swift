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

    init(on loop: EventLoop) {
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
    }

    func shed(_ counts: ShedCounts) {
        shedIdle.add(counts.idle)
        shedSlowHeads.add(counts.slowHeads)
        shedRefused.add(counts.refused)
    }
}
