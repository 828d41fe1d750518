import EventIO
import GatewayCore
import HTTPInbound
import HTTPModel
@_spi(Lines) import JSONBytes
@_spi(Records) import Networking

/// Tells each answered request as one JSON line. One a loop.
///
/// The path is told without its query, which may hold keys; no field of the request and no body is.
final class AccessLog {
    /// What is known of a request once its answer is over.
    struct Entry {
        var method: HTTPMethod?
        var path: ArraySlice<UInt8>?
        /// See `AccessLog.status`.
        var status: Int
        var end: InboundOutcome
        /// The client's end of the connection, as text.
        var remote: String
        var receivedAt: MonotonicTime
        var bytesReceived: Int
        /// Bytes that the kernel took of the answer and of a 100 (Continue) before it; those that the client acknowledged where
        /// it was cut.
        var bytesSent: Int
    }

    /// The status in a line of the log: the answer's. Where no byte of an answer went out, it says what became of the request.
    ///
    /// - Parameters:
    ///   - status: of the answer; nil where there was none.
    ///   - hasBegun: the kernel took some of the answer.
    static func status(_ status: Int?, _ end: InboundOutcome, hasBegun: Bool) -> Int {
        if hasBegun, let status { return status }
        return switch end {
        case .clientGone: HTTPStatus.clientClosedRequest.code
        case .drain: 503
        case .completed: status ?? 500
        case .aborted, .stalled: 500
        }
    }

    private let channel: LogChannel
    private let loop: EventLoop
    // The loop guards these, and nothing is called out to while a line is written.
    private var timestamp = Timestamp()
    private var line = JSONLine(capacity: 1024)
    private var plainCalls = PlainCallTexts()

    init(channel: LogChannel, loop: EventLoop) {
        self.channel = channel
        self.loop = loop
    }

    /// A request that the gateway answered, or that ended at its endpoint.
    ///
    /// - Parameter summary: what the gateway knows of it.
    func write(_ entry: borrowing Entry, _ summary: borrowing RequestSummary) {
        begin()
        line.constant(#","requestId":""#)
        // Ours, or the client's where it is of letters, digits and `._-`.
        line.plain(summary.requestID)
        line.constant(#"""#)
        summary.withTraceID { digits in
            line.constant(#","traceId":""#)
            line.plain(digits)
            line.constant(#"""#)
        }
        write(entry)
        line.constant(#","code":""#)
        line.plain(summary.code)
        line.constant(#"""#)
        if let route = summary.route {
            line.constant(#","route":"#)
            line.string(route)
        }
        write(parts: summary, within: microseconds(of: entry))
        end()
    }

    /// An answer that no endpoint gave.
    func write(_ entry: borrowing Entry, requestID: ArraySlice<UInt8>?) {
        begin()
        if let requestID {
            line.constant(#","requestId":"#)
            requestID.withUnsafeBufferPointer { line.string(utf8: $0) }
        }
        write(entry)
        end()
    }

    private func begin() {
        line.removeAll()
        line.constant(#"{"time":""#)
        timestamp.write(to: &line)
        line.constant(#"""#)
    }

    private func write(_ entry: borrowing Entry) {
        if let method = entry.method, method.isGet {
            line.constant(#","method":"GET""#)
        } else if let method = entry.method {
            line.constant(#","method":""#)
            // A token: no byte of it is escaped.
            method.withBytes { line.plain($0.bindMemory(to: UInt8.self)) }
            line.constant(#"""#)
        }
        if let path = entry.path {
            line.constant(#","path":"#)
            path.withUnsafeBufferPointer { line.string(utf8: $0) }
        }
        if entry.status == 200, entry.end == .completed {
            line.constant(#","status":200,"end":"complete","elapsedMs":"#)
        } else {
            line.constant(#","status":"#)
            line.integer(entry.status)
            line.constant(#","end":""#)
            line.plain(entry.end.rawValue)
            line.constant(#"","elapsedMs":"#)
        }
        line.fixed(microseconds(of: entry), places: 3)
        line.constant(#","bytesIn":"#)
        line.integer(entry.bytesReceived)
        line.constant(#","bytesOut":"#)
        line.integer(entry.bytesSent)
        line.constant(#","remote":"#)
        line.string(entry.remote)
    }

    private func microseconds(of entry: borrowing Entry) -> Int {
        Int((loop.wakeTime - entry.receivedAt).nanoseconds / 1000)
    }

    private func end() {
        line.constant("}\n")
        channel.append(line)
    }

    /// - Parameter whole: microseconds of the request. A part's own come from dates, which are less fine: it has no more.
    private func write(parts summary: borrowing RequestSummary, within whole: Int) {
        let calls = summary.takeCalls()
        if !calls.isEmpty { CallList.write(calls, of: nil, to: &line) }
        if calls.omitted > 0 {
            line.constant(#","omitted":"#)
            line.integer(calls.omitted)
        }
        var place = PartPlace.none
        summary.forEachEnd { stage, name, kind, failure, nanoseconds, number, call in
            place.move(to: stage, in: &line)
            line.string(name ?? "call")
            if kind == .success {
                line.constant(#":{"kind":"success","elapsedMs":"#)
            } else {
                write(kind, failure)
            }
            line.fixed(min(Int(nanoseconds / 1000), whole), places: 3)
            if let call, plainCalls.write(call, to: &line) {
                // Its calls are written.
            } else if let number, !calls.isEmpty {
                CallList.write(calls, of: number, to: &line)
            }
            line.constant("}")
        }
        place.close(in: &line)
    }

    /// - Parameter kind: nil where the request ended before the part did.
    @inline(never)
    private func write(_ kind: OutcomeKind?, _ failure: (reason: String, attempts: Int)?) {
        line.constant(#":{"kind":""#)
        line.plain(kind?.rawValue ?? "cancelled")
        line.constant(#"""#)
        if let failure {
            line.constant(#","reason":"#)
            line.string(failure.reason)
            line.constant(#","attempts":"#)
            line.integer(failure.attempts)
        }
        line.constant(#","elapsedMs":"#)
    }
}

/// Where a line stands among a request's steps and parts. Each stage of steps is an object of its own in `steps`, so that
/// no key comes twice: names are unique within a stage, and nowhere else.
private enum PartPlace {
    case none
    case steps(stage: Int)
    case parts

    /// Writes what comes before the next part, or before the next step of this stage.
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

    /// Writes what comes after the last one.
    func close(in line: inout JSONLine) {
        switch self {
        case .none: break
        case .steps: line.constant("}]")
        case .parts: line.constant("}")
        }
    }
}
