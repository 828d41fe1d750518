import EventIO
import GatewayConfig
import GatewayCore
import Networking

/// Records how the requests of a loop ended. Confined to the loop.
final class Recorder {
    private let logs: Logs
    /// Nil while no request is logged.
    private var accessLog: AccessLog?
    private var sampling = AccessSampling(.off)
    private let observer: (@Sendable (FinishedRequest) -> Void)?
    private let loop: EventLoop
    let counters: RequestCounters
    /// Logs whose requests are over. Their memory serves later requests.
    private var usedLogs: [AttemptLog] = []
    /// As many requests are usually in flight at once.
    private static let mostUsedLogs = 64

    init(_ logs: Logs, observer: (@Sendable (FinishedRequest) -> Void)?, loop: EventLoop) {
        self.logs = logs
        self.observer = observer
        self.loop = loop
        counters = RequestCounters(on: loop)
    }

    /// Logs these requests from now on.
    func use(_ logging: AccessLogging) {
        sampling.use(logging)
        if logging.isOff {
            accessLog = nil
        } else if accessLog == nil {
            accessLog = AccessLog(logs.output, loop: loop)
        }
    }

    /// Records a request that the gateway answered, or that ended at its endpoint.
    func ended(_ facts: borrowing RequestFacts, _ summary: borrowing RequestSummary) {
        counters.count(facts, summary, at: loop.wakeTime)
        var log = summary.takeLog()
        if let accessLog,
            sampling.selects(isFailure: facts.isFailure || summary.isPartial)
        {
            accessLog.write(facts, summary, log, sample: sampling.shown)
        }
        if observer != nil {
            // The observer may keep the summary, which shows the calls as long as it has the log.
            summary.putBack(log)
            observe(facts, copy summary)
        } else if usedLogs.count < Self.mostUsedLogs, log.recycle() {
            usedLogs.append(log)
        }
    }

    /// Returns an empty log for the calls of a request.
    func lendLog() -> AttemptLog { usedLogs.popLast() ?? AttemptLog() }

    /// Records a request that no endpoint answered.
    ///
    /// - Parameters:
    ///   - route: the label in metrics. A health check that succeeds is not logged.
    ///   - refused: the parts of the request that the answer complains of.
    func ended(
        _ facts: borrowing RequestFacts, requestID: ArraySlice<UInt8>?, of route: String = RouteLabel.none,
        refused: [String] = []
    ) {
        counters.count(facts, of: route, at: loop.wakeTime)
        if let accessLog, route != RouteLabel.health || facts.status >= 400 || facts.end != .completed,
            sampling.selects(isFailure: facts.isFailure)
        {
            accessLog.write(facts, requestID: requestID, refused: refused, sample: sampling.shown)
        }
        if observer != nil { observe(facts, nil) }
    }

    @inline(never)
    private func observe(_ facts: borrowing RequestFacts, _ summary: RequestSummary?) {
        observer?(
            FinishedRequest(
                method: facts.method, path: facts.path.map { String(decoding: $0, as: UTF8.self) },
                status: facts.status, end: facts.end, remoteAddress: facts.remote,
                clientAddress: facts.client,
                elapsed: .nanoseconds((loop.wakeTime - facts.receivedAt).nanoseconds),
                bytesReceived: facts.bytesReceived, bytesSent: facts.bytesSent, summary: summary))
    }
}
