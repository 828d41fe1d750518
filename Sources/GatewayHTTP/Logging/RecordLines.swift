import EventIO
import GatewayCore
import HTTPInbound
import HTTPModel
@_spi(Lines) import JSONBytes
@_spi(Records) import Networking
import Rx

/// Writes the records of a loop's requests as lines of JSON, or of text for people. Has nothing of bodies and
/// queries, which may contain keys, and no field of a request but those that the log's settings name.
final class RecordLines {
    private let loop: EventLoop
    var fieldNames: [HTTPFieldName] = []
    // The loop guards these. No outside code runs while a line is being written.
    private var timestamp = Timestamp()
    private var line = JSONLine(capacity: 1024)
    private var plainCalls = PlainCallTexts()

    init(_ loop: EventLoop) { self.loop = loop }

    func append(to channel: LogChannel) { channel.append(line) }

    /// The line that was composed last.
    var text: [UInt8] { Array(line.bytes) }

    /// Composes the line of a request that the gateway answered, or that ended at its endpoint.
    ///
    /// - Parameters:
    ///   - calls: the calls of a request that failed or was slow; nil for any other.
    ///   - mark: how the request's trace is exported; nil if it is not.
    ///   - sample: of how many successes it is one; nil if all are logged, and for a failure.
    func compose(
        _ facts: borrowing RequestFacts, _ summary: borrowing RequestSummary, _ log: AttemptLog,
        _ calls: RecordedCalls? = nil, mark: TraceMark? = nil, style: LogStyle, sample: Int? = nil
    ) {
        guard style == .json else {
            line.removeAll()
            return AccessText.write(
                facts, microseconds(of: facts), summary, log, calls?.slow, named(facts.fields), style,
                to: &line)
        }
        begin()
        line.constant(#","requestId":""#)
        // Not escaped: only letters, digits and `._-` are accepted in it.
        line.plain(summary.requestID)
        line.constant(#"""#)
        summary.withTraceID { digits in
            line.constant(#","traceId":""#)
            line.plain(digits)
            line.constant(#"""#)
        }
        if let mark {
            line.constant(#","trace":""#)
            line.plain(mark.rawValue)
            line.constant(#"""#)
        }
        let answer = max(0, summary.nanoseconds &+ facts.startDelay) / 1000
        write(facts, answer: min(Int(answer), microseconds(of: facts)))
        line.constant(#","code":""#)
        line.plain(summary.code)
        line.constant(#"""#)
        if let route = summary.route {
            line.constant(#","route":"#)
            line.string(route)
        }
        if let access = summary.checked { access.withNote { write($0) } }
        if !summary.refusedValues.isEmpty { write(refused: summary.refusedValues) }
        write(parts: summary, log, of: facts)
        calls?.write(after: facts.startDelay, to: &line)
        end(sample)
    }

    /// Composes the line of a request that no endpoint answered.
    ///
    /// - Parameter note: what the handler says of the answer.
    func compose(
        _ facts: borrowing RequestFacts, requestID: ArraySlice<UInt8>?, _ note: AnswerNote, style: LogStyle,
        sample: Int?
    ) {
        guard style == .json else {
            line.removeAll()
            return AccessText.write(
                facts, microseconds(of: facts), requestID: requestID, note, named(facts.fields), style,
                to: &line)
        }
        begin()
        if let requestID {
            line.constant(#","requestId":"#)
            requestID.withUnsafeBufferPointer { line.string(utf8: $0) }
        }
        write(facts, answer: nil)
        if let route = note.route {
            line.constant(#","route":"#)
            line.string(route)
        }
        // Every answer of an endpoint has its code; of other answers, the status below 500 says it all.
        if facts.status >= 500 || note.route != nil, let code = facts.undeliveredCode ?? note.code {
            line.constant(#","code":"#)
            line.string(code)
        }
        if let access = note.checked { access.withNote { write($0) } }
        if !note.refused.isEmpty { write(refused: note.refused) }
        end(sample)
    }

    private func begin() {
        line.removeAll()
        line.constant(#"{"time":""#)
        timestamp.write(to: &line)
        line.constant(#"""#)
    }

    /// - Parameter answer: microseconds from the request's head to its answer, which the client has got
    ///   later; nil if no endpoint answered.
    private func write(_ facts: borrowing RequestFacts, answer: Int?) {
        if let method = facts.method, method.isGet {
            line.constant(#","method":"GET""#)
        } else if let method = facts.method {
            line.constant(#","method":""#)
            // A token, which needs no escaping.
            method.withBytes { line.plain($0.bindMemory(to: UInt8.self)) }
            line.constant(#"""#)
        }
        if let path = facts.path {
            line.constant(#","path":"#)
            path.withUnsafeBufferPointer { line.string(utf8: $0) }
        }
        if facts.status == 200, facts.end == .completed {
            line.constant(#","status":200,"end":"complete","elapsedMs":"#)
        } else {
            line.constant(#","status":"#)
            line.integer(facts.status)
            line.constant(#","end":""#)
            line.plain(facts.end.rawValue)
            line.constant(#"","elapsedMs":"#)
        }
        line.thousandths(microseconds(of: facts))
        if let answer {
            line.constant(#","answerMs":"#)
            line.thousandths(answer)
        }
        line.constant(#","bytesIn":"#)
        line.integer(facts.bytesReceived)
        line.constant(#","bytesOut":"#)
        line.integer(facts.bytesSent)
        line.constant(#","remote":"#)
        line.string(facts.remote)
        line.constant(#","client":"#)
        line.string(facts.client)
        if facts.tls != nil { writeTLS(of: facts) }
        guard let version = facts.version else { return }
        if version == .http11 {
            line.constant(#","proto":"HTTP/1.1""#)
        } else {
            line.constant(#","proto":""#)
            line.plain(version.description)
            line.constant(#"""#)
        }
        if let host = facts.host {
            line.constant(#","host":"#)
            host.prefix(Self.longestValue).withUnsafeBufferPointer { line.string(utf8: $0) }
        }
        if !fieldNames.isEmpty { write(facts.fields) }
    }

    /// Writes the version of TLS, and whom the client's certificate names.
    @inline(never)
    private func writeTLS(of facts: borrowing RequestFacts) {
        switch facts.tls {
        case .tls13?: line.constant(#","tls":"1.3""#)
        case .tls12?: line.constant(#","tls":"1.2""#)
        case nil, _?: break
        }
        guard let certificate = facts.certificate else { return }
        line.constant(#","clientCert":"#)
        line.string(Self.shown(Array(certificate.utf8)))
    }

    /// Writes the fields of the request that the log is to have.
    @inline(never)
    private func write(_ fields: HTTPFields) {
        let named = named(fields)
        for (index, field) in named.enumerated() {
            line.constant(index == 0 ? #","fields":{"# : ",")
            line.string(field.name)
            line.constant(":")
            line.string(field.value)
        }
        if !named.isEmpty { line.constant("}") }
    }

    /// The fields of the request that the log is to have, with their values joined if there are several.
    private func named(_ fields: HTTPFields) -> [LoggedField] {
        fieldNames.compactMap { name in
            let values = fields.valueBytes(of: name)
            guard !values.isEmpty else { return nil }
            let value = Array(values.joined(separator: ", ".utf8).prefix(Self.longestValue + 1))
            return (name.description, Self.shown(value))
        }
    }

    typealias LoggedField = (name: String, value: String)

    /// Returns at most `longestValue` bytes, cut between characters. A client may send any bytes, and a line
    /// is UTF-8.
    static func shown(_ bytes: [UInt8]) -> String {
        var end = bytes.count
        if end > longestValue {
            end = longestValue
            // A character has at most three bytes after its first one.
            for _ in 0..<3 where bytes[end] & 0xC0 == 0x80 { end -= 1 }
        }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// Bytes of a host or of a field's values that are logged.
    static let longestValue = 256

    private func microseconds(of facts: borrowing RequestFacts) -> Int {
        Int((loop.wakeTime - facts.receivedAt).nanoseconds / 1000)
    }

    private func end(_ sample: Int?) {
        if let sample {
            line.constant(#","sample":"#)
            line.integer(sample)
        }
        line.constant("}\n")
    }

    /// Writes who called, by the names of the settings. Claims, tokens and keys are not in it.
    @inline(never)
    private func write(_ access: borrowing AccessNote) {
        if let entry = access.entry {
            line.constant(#","auth":"#)
            line.string(entry)
        }
        if let result = access.result {
            line.constant(#","authResult":""#)
            line.plain(result.rawValue)
            line.constant(#"""#)
        }
        if let key = access.key {
            line.constant(#","key":"#)
            line.string(key)
        }
        var isFirst = true
        access.forEachLimit { name, isAllowed in
            guard !isAllowed else { return }
            line.constant(isFirst ? #","limits":["# : ",")
            line.string(name)
            isFirst = false
        }
        if !isFirst { line.constant("]") }
    }

    @inline(never)
    private func write(refused values: [String]) {
        for (index, value) in values.enumerated() {
            line.constant(index == 0 ? #","refused":["# : ",")
            line.string(value)
        }
        line.constant("]")
    }

    private func write(
        parts summary: borrowing RequestSummary, _ log: AttemptLog,
        of facts: borrowing RequestFacts
    ) {
        // An upper bound for the parts, whose clock is less precise.
        let whole = microseconds(of: facts)
        let clock = PartClock(summary.started, delay: facts.startDelay)
        if !log.isEmpty { CallList.write(log, of: nil, clock, to: &line) }
        if log.omitted > 0 {
            line.constant(#","omitted":"#)
            line.integer(log.omitted)
        }
        var position = PartPosition.none
        summary.forEachPart { stage, name, kind, failure, began, nanoseconds, number, call in
            position.move(to: stage, in: &line)
            line.string(name ?? "call")
            if kind == .success {
                line.constant(#":{"kind":"success","#)
            } else {
                write(kind, failure)
            }
            let span = clock.span(of: number, began, nanoseconds, log)
            let start = min(span.start / 1000, whole)
            let elapsed = min(span.elapsed / 1000, whole - start)
            let timesStart = line.length
            CallList.times(span.hasStarted ? start : nil, elapsed, to: &line)
            let timesEnd = line.length
            if let call, plainCalls.write(call, to: &line) {
                // The call is the part.
                line.copy(timesStart..<timesEnd)
                line.constant("}]")
            } else if let number, !log.isEmpty {
                CallList.write(log, of: number, clock, to: &line)
            }
            line.constant("}")
        }
        position.close(in: &line)
    }

    /// `kind` is nil if the request ended before the part did.
    @inline(never)
    private func write(_ kind: OutcomeKind?, _ failure: LoggedFailure?) {
        line.constant(#":{"kind":""#)
        line.plain(kind.partName)
        line.constant(#"""#)
        if let failure {
            line.constant(#","reason":"#)
            line.string(failure.reason)
            if let message = failure.message {
                line.constant(#","message":"#)
                line.string(message)
            }
            line.constant(#","attempts":"#)
            line.integer(failure.attempts)
            if let notRetried = failure.notRetried {
                line.constant(#","notRetried":""#)
                line.plain(notRetried.token)
                line.constant(#"""#)
            }
        }
        line.constant(",")
    }
}

/// Turns the times of parts and calls into times since the request's head.
struct PartClock {
    /// When the endpoint took the request; nil if none did.
    private let started: RxTime?
    /// Nanoseconds from the request's head to `started`.
    private let delay: Int64

    init(_ started: RxTime?, delay: Int64) {
        self.started = started
        self.delay = delay
    }

    /// Nanoseconds from the request's head.
    func start(of time: RxTime) -> Int64 {
        // The clock may jump far.
        max(0, delay &+ (started.map { CallEntry.nanoseconds(from: $0, to: time) } ?? 0))
    }

    /// Returns when a part began and how long it took, in nanoseconds. A part that waited for others began
    /// after them.
    func span(
        of number: Int?, _ began: Int64, _ elapsed: Int64, _ log: AttemptLog
    ) -> (start: Int, elapsed: Int, hasStarted: Bool) {
        guard let number, log.hasLateParts, let late = log.lateBeginning(of: number) else {
            return (Int(delay &+ began), Int(elapsed), true)
        }
        guard let late else { return (0, 0, false) }
        let start = start(of: late)
        return (Int(start), Int(max(0, delay &+ began &+ elapsed &- start)), true)
    }
}

/// The position of a line among a request's steps and parts. Each group of steps is a separate object in
/// `steps`, because names are unique only within a group.
private enum PartPosition {
    case none
    case steps(stage: Int)
    case parts

    /// Writes the separator before the next part, or before the next step of a stage.
    mutating func move(to stage: Int?, in line: inout JSONLine) {
        switch (self, stage) {
        case (.none, nil): line.constant(#","parts":{"#)
        case (.none, _?): line.constant(#","steps":[{"#)
        case (.steps, nil): line.constant(#"}],"parts":{"#)
        case (.steps(let last), let next?) where last != next: line.constant("},{")
        case (.steps, _?), (.parts, _): line.constant(",")
        }
        self = stage.map { .steps(stage: $0) } ?? .parts
    }

    func close(in line: inout JSONLine) {
        switch self {
        case .none: break
        case .steps: line.constant("}]")
        case .parts: line.constant("}")
        }
    }
}
