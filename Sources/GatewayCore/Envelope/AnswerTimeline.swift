import HTTPModel
@_spi(Lines) import JSONBytes
@_spi(Records) import Networking
import Rx

/// A request's timeline as shown in its envelope and in `Server-Timing`. It reveals nothing about an upstream
/// but its name.
struct AnswerTimeline: Sendable {
    private let parts: [TimelinePart]
    /// When the request arrived, on the clock of calls.
    private let started: RxTime
    /// Nanoseconds from the request to its answer.
    private let total: Int64
    private let name: GatewayName
    /// Whether the deadline has ended the request.
    private let isExpired: Bool

    init(
        _ parts: [TimelinePart], since started: RxTime, total: Int64, name: GatewayName, isExpired: Bool
    ) {
        self.parts = parts
        self.started = started
        self.total = total
        self.name = name
        self.isExpired = isExpired
    }

    // MARK: - Envelope

    /// An estimate of the bytes that `write` adds.
    var envelopeBytes: Int {
        parts.reduce(32) { sum, part in
            part.calls.reduce(sum + 96 + (part.name?.utf8.count ?? 0)) {
                $0 + 64 + $1[0].upstream.utf8.count + 176 * $1.count
            }
        }
    }

    /// Writes the member `timeline`, with a comma before it.
    func write(to line: inout JSONLine) {
        line.constant(",\"timeline\":")
        line.list(parts, write)
    }

    private func write(_ part: TimelinePart, to line: inout JSONLine) {
        line.constant("{\"part\":")
        line.text(part.name)
        line.constant(",\"beganMs\":")
        line.milliseconds(part.began)
        line.constant(",\"endMs\":")
        line.milliseconds(part.ended)
        line.constant(",\"calls\":")
        line.list(part.calls, write)
        if part.omitted > 0 {
            line.constant(",\"omitted\":")
            line.integer(part.omitted)
        }
        line.constant("}")
    }

    /// Writes the call with these attempts.
    private func write(_ attempts: [AttemptEntry], to line: inout JSONLine) {
        line.constant("{\"upstream\":")
        line.string(attempts[0].upstream)
        line.constant(",\"method\":")
        line.string(attempts[0].method)
        line.constant(",\"attempts\":")
        line.list(attempts, write)
        line.constant("}")
    }

    private func write(_ attempt: AttemptEntry, to line: inout JSONLine) {
        let began = CallEntry.nanoseconds(from: started, to: attempt.began)
        line.constant("{\"beganMs\":")
        line.milliseconds(began)
        line.constant(",\"connection\":")
        let sent = attempt.connection?.sent
        line.text(sent == nil ? nil : attempt.connection?.isReused == true ? "reused" : "new")
        line.constant(",\"sentMs\":")
        line.milliseconds(sent.map { began + $0 })
        line.constant(",\"firstByteMs\":")
        line.milliseconds(attempt.connection?.firstByte.map { began + $0 })
        line.constant(",\"endMs\":")
        line.milliseconds(attempt.elapsed.map { began + $0 })
        line.constant(",\"status\":")
        if let status = attempt.status { line.integer(status) } else { line.constant("null") }
        line.constant(",\"reason\":")
        line.text(attempt.reason?.token)
        line.constant("}")
    }

    // MARK: - Fields

    func addFields(to fields: inout HTTPFields) {
        fields.append(.preferenceApplied, "timeline")
        fields.append(.vary, "Prefer")
        fields.append(.serverTiming, serverTiming)
    }

    /// `sluice;dur=12.417, weights;dur=6.102, weather;dur=12.4;desc="networkFail"` (W3C Server Timing): the
    /// gateway's time, under its name in `Via`, then each part's, with the kind of a failure or `cancelled`.
    /// A part that has not ended ends with the answer.
    private var serverTiming: String {
        var text = "\(name);dur=\(Self.milliseconds(total))"
        for part in parts {
            guard let name = part.name, let began = part.began else { continue }
            text +=
                ", \(Self.token(name));dur=\(Self.milliseconds(max(part.ended ?? total, 0) - max(began, 0)))"
            let kind = part.ended == nil && isExpired ? .networkFail : part.kind
            if kind != .success, kind != .noContent { text += ";desc=\"\(kind.partName)\"" }
        }
        return text
    }

    private static func milliseconds(_ nanoseconds: Int64) -> String {
        let microseconds = (min(max(nanoseconds, 0), .max - 500) + 500) / 1000
        let rest = "\(1000 + microseconds % 1000)".dropFirst()
        return "\(microseconds / 1000).\(rest)"
    }

    /// A metric's name must be a token, but a part's name may be any text: other characters become
    /// underscores.
    private static func token(_ name: String) -> String {
        String(
            decoding: name.unicodeScalars.map { scalar in
                scalar.isASCII && HTTPFieldName("\(scalar)") != nil ? UInt8(ascii: scalar) : UInt8(ascii: "_")
            }, as: UTF8.self)
    }
}

extension JSONLine {
    fileprivate mutating func list<Element>(
        _ elements: [Element], _ write: (Element, inout JSONLine) -> Void
    ) {
        constant("[")
        for index in elements.indices {
            if index > 0 { constant(",") }
            write(elements[index], &self)
        }
        constant("]")
    }

    fileprivate mutating func text(_ text: String?) {
        if let text { string(text) } else { constant("null") }
    }

    /// With three decimal places, because a request's clock has microseconds.
    fileprivate mutating func milliseconds(_ nanoseconds: Int64?) {
        guard let nanoseconds else { return constant("null") }
        thousandths(Int(min(max(nanoseconds, 0), .max - 500) + 500) / 1000)
    }
}
