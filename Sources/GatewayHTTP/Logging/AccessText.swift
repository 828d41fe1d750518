import ASCIIText
import GatewayCore
import HTTPInbound
import HTTPModel
@_spi(Lines) import JSONBytes
@_spi(Records) import Networking

/// Writes a request as one line for people, which ends with what is unusual and the request's ID:
/// `12:03:46.514 504 GET /page 5002ms 0.6K  recent: connection_refused, diary 10.0.0.8:81, 1 attempt  ID`.
enum AccessText {
    /// A request that the gateway answered, or that ended at its endpoint.
    static func write(
        _ facts: borrowing RequestFacts, _ microseconds: Int, _ summary: borrowing RequestSummary,
        _ calls: AttemptLog, _ slow: SlowPhase?, _ fields: [RecordLines.LoggedField], _ style: LogStyle,
        to line: inout JSONLine
    ) {
        begin(facts, microseconds, isPartial: summary.isPartial, style, to: &line)
        var hasReason = end(of: facts, to: &line)
        summary.forEachPart { _, name, kind, failure, _, _, number, _ in
            guard kind != .success else { return }
            hasReason = true
            line.constant("  ")
            line.plain(LogText.quotedIfNeeded(name ?? "call"))
            line.constant(": ")
            line.plain(failure?.reason ?? kind.partName)
            if let number { write(calls, of: number, to: &line) }
            guard let failure else { return }
            line.constant(", ")
            line.integer(failure.attempts)
            line.plain(failure.attempts == 1 ? " attempt" : " attempts")
        }
        if facts.status >= 400, !hasReason {
            line.constant("  ")
            line.plain(summary.code)
        }
        if let slow { write(slow, to: &line) }
        if let access = summary.checked?.note { write(access, to: &line) }
        write(refused: summary.refusedValues, to: &line)
        write(fields, to: &line)
        finish(Array(summary.requestID.utf8)[...], style, to: &line)
    }

    /// A request that no endpoint answered.
    static func write(
        _ facts: borrowing RequestFacts, _ microseconds: Int, requestID: ArraySlice<UInt8>?,
        _ note: AnswerNote, _ fields: [RecordLines.LoggedField], _ style: LogStyle, to line: inout JSONLine
    ) {
        begin(facts, microseconds, isPartial: false, style, to: &line)
        _ = end(of: facts, to: &line)
        if let access = note.checked?.note { write(access, to: &line) }
        write(refused: note.refused, to: &line)
        write(fields, to: &line)
        finish(requestID, style, to: &line)
    }

    private static func begin(
        _ facts: borrowing RequestFacts, _ microseconds: Int, isPartial: Bool, _ style: LogStyle,
        to line: inout JSONLine
    ) {
        Timestamp.write(timeOfDay: &line)
        line.constant(" ")
        line.plain(style.colored("\(facts.status)", facts.isFailure ? .red : isPartial ? .yellow : nil))
        line.constant(" ")
        // A token, which needs no quotes. Without a head neither is known.
        line.plain(facts.method?.rawValue ?? "-")
        line.constant(" ")
        line.plain(LogText.quotedIfNeeded(facts.path.map { String(decoding: $0, as: UTF8.self) } ?? "-"))
        line.constant(" ")
        if microseconds < 10_000 {
            line.fixed(microseconds / 100, places: 1)
        } else {
            line.integer(microseconds / 1000)
        }
        line.constant("ms ")
        write(size: facts.bytesSent, to: &line)
    }

    /// Writes `0.6K`.
    private static func write(size: Int, to line: inout JSONLine) {
        var (tenths, unit) = (size * 10 / 1024, 0)
        while tenths >= 10_240, unit < 2 {
            tenths /= 1024
            unit += 1
        }
        line.fixed(tenths, places: 1)
        line.plain(["K", "M", "G"][unit])
    }

    /// Writes why an answer is not complete, and returns whether it did.
    private static func end(of facts: borrowing RequestFacts, to line: inout JSONLine) -> Bool {
        guard facts.end != .completed else { return false }
        line.constant("  ")
        line.plain(facts.end.rawValue)
        return true
    }

    /// Writes the upstream and the address of a part's last call.
    private static func write(_ calls: AttemptLog, of number: Int, to line: inout JSONLine) {
        var last: (upstream: String, address: String?)?
        calls.forEach(of: number) { last = ($0.upstream.name, $0.address?.description) }
        guard let last else { return }
        line.constant(", ")
        line.plain(LogText.quotedIfNeeded(last.upstream))
        guard let address = last.address else { return }
        line.constant(" ")
        line.plain(LogText.quotedIfNeeded(address))
    }

    /// Writes `slow: recent, diary first_byte 4985ms`.
    private static func write(_ slow: SlowPhase, to line: inout JSONLine) {
        line.constant("  slow: ")
        for name in [slow.part, slow.upstream] {
            guard let name else { continue }
            line.plain(LogText.quotedIfNeeded(name))
            line.constant(name == slow.upstream ? " " : ", ")
        }
        line.plain(slow.phase.rawValue)
        line.constant(" ")
        line.integer(Int(slow.time.nanoseconds / 1_000_000))
        line.constant("ms")
    }

    /// Writes `auth: mobile expired`, or `limits: perUser`, of a request that was refused for its caller.
    private static func write(_ access: AccessNote, to line: inout JSONLine) {
        // Only a refusal has a reason: a request without a credential may have been served.
        guard access.reason != nil else { return }
        let limits = access.refusedBy
        switch access.result {
        case .ok?, nil: break
        // Without limits, it is an authorizer's 429.
        case .limited? where !limits.isEmpty:
            for (index, limit) in limits.enumerated() {
                line.plain(index == 0 ? "  limits: " : ", ")
                line.plain(LogText.quotedIfNeeded(limit))
            }
        case let result?:
            line.constant("  auth: ")
            if let entry = access.entry {
                line.plain(LogText.quotedIfNeeded(entry))
                line.constant(" ")
            }
            line.plain(result.rawValue)
            guard let key = access.key else { return }
            line.constant(", key ")
            line.plain(LogText.quotedIfNeeded(key))
        }
    }

    private static func write(refused values: [String], to line: inout JSONLine) {
        for (index, value) in values.enumerated() {
            line.plain(index == 0 ? "  refused: " : ", ")
            line.plain(LogText.quotedIfNeeded(value))
        }
    }

    private static func write(_ fields: [RecordLines.LoggedField], to line: inout JSONLine) {
        for field in fields {
            line.constant("  ")
            line.plain(field.name)
            line.constant(": ")
            line.plain(LogText.quotedIfNeeded(field.value))
        }
    }

    private static func finish(
        _ requestID: ArraySlice<UInt8>?, _ style: LogStyle, to line: inout JSONLine
    ) {
        if let requestID {
            line.constant("  ")
            line.plain(style.colored(String(decoding: requestID, as: UTF8.self), .faint))
        }
        line.constant("\n")
    }
}
