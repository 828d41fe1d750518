import EventIO
import GatewayConfig
import GatewayCore

/// Tells the access log and the observer what became of each request. One for each loop, confined to it.
final class RequestRecords {
    private let accessLog: AccessLog?
    private let observer: (@Sendable (FinishedRequest) -> Void)?
    private let loop: EventLoop

    /// Returns nil if there is neither.
    init?(accessLog: AccessLog?, observer: (@Sendable (FinishedRequest) -> Void)?, loop: EventLoop) {
        if accessLog == nil, observer == nil { return nil }
        self.accessLog = accessLog
        self.observer = observer
        self.loop = loop
    }

    func write(_ entry: borrowing AccessLog.Entry, _ summary: borrowing RequestSummary) {
        // First the observer: the log takes the record of the calls.
        if observer != nil { observe(entry, copy summary) }
        accessLog?.write(entry, summary)
    }

    /// Records a request that no endpoint answered.
    func write(
        _ entry: borrowing AccessLog.Entry, requestID: ArraySlice<UInt8>?, refused: [String] = []
    ) {
        if observer != nil { observe(entry, nil) }
        accessLog?.write(entry, requestID: requestID, refused: refused)
    }

    @inline(never)
    private func observe(_ entry: borrowing AccessLog.Entry, _ summary: RequestSummary?) {
        observer?(
            FinishedRequest(
                method: entry.method, path: entry.path.map { String(decoding: $0, as: UTF8.self) },
                status: entry.status, end: entry.end, remoteAddress: entry.remote,
                elapsed: .nanoseconds((loop.wakeTime - entry.receivedAt).nanoseconds),
                bytesReceived: entry.bytesReceived, bytesSent: entry.bytesSent, summary: summary))
    }
}
