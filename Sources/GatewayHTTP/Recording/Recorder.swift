import EventIO
import GatewayConfig
import GatewayCore
import HTTPInbound
import HTTPModel
import Networking

/// Records how the requests of a loop ended: counts them, keeps those that failed or were slow, traces and
/// logs them, and tells the observer. Confined to the loop.
final class Recorder {
    private let logs: Logs
    private let lines: RecordLines
    /// Where requests are logged; nil while none is.
    private var channel: LogChannel?
    private var sampling = AccessSampling(.off)
    private var style = LogStyle.json
    /// From when on a request is slow, unless its endpoint says otherwise.
    private var slowLimit = Int64.max
    private var loggedFields: [HTTPFieldName] = []
    private var keyFields: [HTTPFieldName] = []
    private var fieldNames: [HTTPFieldName] = []
    private let observer: (@Sendable (FinishedRequest) -> Void)?
    private let loop: EventLoop
    let counters: RequestCounters
    let tracer: Tracer
    let kept = KeptRecords()
    /// Logs whose requests are over. Their memory serves later requests.
    private var usedLogs: [AttemptLog] = []
    /// As many requests are usually in flight at once.
    private static let mostUsedLogs = 64

    init(_ logs: Logs, observer: (@Sendable (FinishedRequest) -> Void)?, loop: EventLoop) {
        self.logs = logs
        self.observer = observer
        self.loop = loop
        lines = RecordLines(loop)
        counters = RequestCounters(on: loop)
        tracer = Tracer(on: loop)
    }

    /// Records by these settings from now on.
    func use(_ settings: LogSettings) {
        sampling.use(settings.access)
        style = logs.output.style
        slowLimit = settings.slow.nanoseconds
        loggedFields = settings.fields.names
        nameFields()
        if settings.access.isOff {
            channel = nil
        } else if channel == nil {
            channel = logs.output.makeChannel()
        }
    }

    /// Keeps the fields in which clients send keys out of logs and traces. Call it before `trace`.
    func hide(_ names: [HTTPFieldName]) {
        keyFields = names
        nameFields()
    }

    private func nameFields() {
        fieldNames = loggedFields.filter { !keyFields.contains($0) }
        lines.fieldNames = fieldNames
    }

    /// Traces as the configuration says from now on. Call it after `use`.
    func trace(_ configuration: GatewayServerConfiguration, by exporter: TraceExporter?) {
        tracer.use(
            configuration.traces, fieldNames, scheme: configuration.scheme.rawValue, exporter)
    }

    /// Whether the log or the traces have fields of requests.
    var keepsFields: Bool { !fieldNames.isEmpty || tracer.isOn }

    /// Records a request that the gateway answered, or that ended at its endpoint.
    func ended(_ facts: borrowing RequestFacts, _ summary: borrowing RequestSummary) {
        counters.count(facts, summary, at: loop.wakeTime)
        if let access = summary.checked { note(access, of: summary.requestID) }
        var log = summary.takeLog()
        let isFailure = facts.isFailure || summary.isPartial
        let answered = summary.nanoseconds &+ facts.startDelay
        let isSlow = answered >= facts.slowLimit?.nanoseconds ?? slowLimit
        let mark = tracer.isOn ? tracer.mark(summary, isUnusual: isFailure || isSlow) : nil
        if isFailure || isSlow {
            endedBadly(facts, summary, log, mark, isFailure: isFailure, isSlow: isSlow)
        } else {
            if let mark { trace(facts, summary, log, mark) }
            if let channel, sampling.selects(.success) {
                lines.compose(facts, summary, log, mark: mark, style: style, sample: sampling.shown)
                lines.append(to: channel)
            }
        }
        if observer != nil {
            // The observer may keep the summary, which shows the calls as long as it has the log.
            summary.putBack(log)
            observe(facts, copy summary)
        } else if usedLogs.count < Self.mostUsedLogs, log.recycle() {
            usedLogs.append(log)
        }
    }

    /// Records a request that failed or was slow, with all its calls.
    @inline(never)
    private func endedBadly(
        _ facts: borrowing RequestFacts, _ summary: borrowing RequestSummary, _ log: AttemptLog,
        _ mark: TraceMark?, isFailure: Bool, isSlow: Bool
    ) {
        let calls = RecordedCalls(summary, log, after: facts.startDelay, isSlow: isSlow)
        if let mark { tracer.add(facts, summary, calls, mark) }
        if let slow = calls.slow { counters.countSlow(slow.phase, of: summary.route ?? RouteLabel.none) }
        let key = KeptRecords.Key(summary, calls, isFailure: isFailure)
        let isKept = kept.begins(key, at: loop.wakeTime)
        let isLogged = channel != nil && sampling.selects(isFailure ? .failure : .slow)
        if isKept || style == .json { lines.compose(facts, summary, log, calls, mark: mark, style: .json) }
        if isKept { kept.keep(lines.text, key, summary, at: loop.wakeTime) }
        guard isLogged, let channel else { return }
        if style != .json { lines.compose(facts, summary, log, calls, style: style) }
        lines.append(to: channel)
    }

    /// Adds the spans of a request that neither failed nor was slow.
    @inline(never)
    private func trace(
        _ facts: borrowing RequestFacts, _ summary: borrowing RequestSummary, _ log: AttemptLog,
        _ mark: TraceMark
    ) {
        let calls = RecordedCalls(summary, log, after: facts.startDelay, isSlow: false)
        tracer.add(facts, summary, calls, mark)
    }

    /// Returns the record of a request that an operator has explained, which is not counted.
    func explain(_ facts: borrowing RequestFacts, _ summary: borrowing RequestSummary) -> [UInt8] {
        let log = summary.takeLog()
        let isSlow = summary.nanoseconds >= facts.slowLimit?.nanoseconds ?? slowLimit
        let calls = RecordedCalls(summary, log, after: facts.startDelay, isSlow: isSlow)
        lines.compose(facts, summary, log, calls, style: .json)
        return lines.text
    }

    /// Counts how the check of a caller ended, and says why a request was refused.
    private func note(_ access: RequestAccess, of requestID: @autoclosure () -> String?) {
        access.withNote { counters.access.count($0) }
        guard logs.diagnostics.isDebug else { return }
        let access = access.note
        guard let reason = access.reason else { return }
        logs.diagnostics.write(
            .debug, "caller refused",
            [
                "requestId": requestID(), "auth": access.entry, "result": access.result?.rawValue,
                "reason": reason,
            ])
    }

    /// Returns an empty log for the calls of a request.
    func lendLog() -> AttemptLog { usedLogs.popLast() ?? AttemptLog() }

    /// Records a request that no endpoint answered.
    ///
    /// - Parameters:
    ///   - route: the label in metrics. A health check that succeeds is not logged.
    ///   - note: what the handler says of the answer.
    func ended(
        _ facts: borrowing RequestFacts, requestID: ArraySlice<UInt8>?, of route: String = RouteLabel.none,
        _ note: AnswerNote = AnswerNote()
    ) {
        counters.count(facts, of: route, code: note.code, at: loop.wakeTime)
        if let access = note.checked {
            self.note(access, of: requestID.map { String(decoding: $0, as: UTF8.self) })
        }
        let isFailure = facts.isFailure
        if isFailure {
            let key = KeptRecords.Key(
                route: route, reason: facts.undeliveredCode ?? note.code ?? "\(facts.status)")
            if kept.begins(key, at: loop.wakeTime) {
                lines.compose(facts, requestID: requestID, note, style: .json, sample: nil)
                kept.keep(lines.text, key, requestID: requestID, at: loop.wakeTime)
            }
        }
        if let channel, route != RouteLabel.health || facts.status >= 400 || facts.end != .completed,
            sampling.selects(isFailure ? .failure : .success)
        {
            lines.compose(facts, requestID: requestID, note, style: style, sample: sampling.shown)
            lines.append(to: channel)
        }
        if observer != nil { observe(facts, nil) }
    }

    @inline(never)
    private func observe(_ facts: borrowing RequestFacts, _ summary: RequestSummary?) {
        guard let observer else { return }
        let began = loop.codeBegins()
        observer(
            FinishedRequest(
                method: facts.method, path: facts.path.map { String(decoding: $0, as: UTF8.self) },
                status: facts.status, end: facts.end, remoteAddress: facts.remote,
                clientAddress: facts.client,
                elapsed: .nanoseconds((loop.wakeTime - facts.receivedAt).nanoseconds),
                bytesReceived: facts.bytesReceived, bytesSent: facts.bytesSent, summary: summary))
        loop.codeEnded(began, of: "the observer")
    }
}
