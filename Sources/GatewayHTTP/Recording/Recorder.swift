import EventIO
import GatewayConfig
import GatewayCore

/// Records how the requests of a loop ended. Confined to the loop.
final class Recorder {
    private let accessLog: AccessLog?
    private let observer: (@Sendable (FinishedRequest) -> Void)?
    private let loop: EventLoop

    init(accessLog: AccessLog?, observer: (@Sendable (FinishedRequest) -> Void)?, loop: EventLoop) {
        self.accessLog = accessLog
        self.observer = observer
        self.loop = loop
    }

    /// Records a request that the gateway answered, or that ended at its endpoint.
    func ended(_ facts: borrowing RequestFacts, _ summary: borrowing RequestSummary) {
        let calls = summary.takeCalls()
        accessLog?.write(facts, summary, calls)
        guard observer != nil else { return }
        // A summary shows the calls as long as it has them.
        summary.putBack(calls)
        observe(facts, copy summary)
    }

    /// Records a request that no endpoint answered.
    ///
    /// - Parameter refused: the parts of the request that the answer complains of.
    func ended(_ facts: borrowing RequestFacts, requestID: ArraySlice<UInt8>?, refused: [String] = []) {
        accessLog?.write(facts, requestID: requestID, refused: refused)
        if observer != nil { observe(facts, nil) }
    }

    @inline(never)
    private func observe(_ facts: borrowing RequestFacts, _ summary: RequestSummary?) {
        observer?(
            FinishedRequest(
                method: facts.method, path: facts.path.map { String(decoding: $0, as: UTF8.self) },
                status: facts.status, end: facts.end, remoteAddress: facts.remote,
                elapsed: .nanoseconds((loop.wakeTime - facts.receivedAt).nanoseconds),
                bytesReceived: facts.bytesReceived, bytesSent: facts.bytesSent, summary: summary))
    }
}
