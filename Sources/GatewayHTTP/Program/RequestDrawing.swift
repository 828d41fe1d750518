import JSONBytes

/// Draws a request's parts, calls and attempts over time, as text.
struct RequestDrawing {
    /// Columns of the time.
    private static let width = 40

    private let record: JSONFragment
    private let parts: [JSONFragment]
    /// Milliseconds from the left edge to the right one.
    private let span: Double

    /// - Parameter record: a line of the access log with a timeline, or with the result of a caller's check,
    ///   after which there may have been no call.
    init?(_ record: JSONFragment) {
        let timeline = record[member: "timeline"]
        guard timeline?.kind == .array || record[member: "authResult"] != nil else { return nil }
        self.record = record
        parts = timeline?.elements ?? []
        let ends = parts.flatMap { part in
            [Self.number(part, "endMs")]
                + Self.attempts(of: part).map { Self.number($0.attempt, "endMs") }
        }
        let total = Self.number(record, "answerMs") ?? Self.number(record, "elapsedMs") ?? 0
        span = max(ends.compactMap(\.self).max() ?? 0, total, 0.001)
    }

    /// Returns an answer's timeline with the members of a line of the access log.
    static func record(
        _ envelope: JSONFragment, status: Int, path: String, requestID: String?
    ) -> JSONFragment? {
        guard let meta = envelope[member: "meta"], let timeline = meta[member: "timeline"] else { return nil }
        let members: [(name: String, value: JSONFragment?)] = [
            ("requestId", requestID.map { JSONFragment(string: $0) }),
            ("method", JSONFragment(string: "GET")),
            ("path", JSONFragment(string: path)), ("status", JSONLiteral(status).fragment),
            ("code", envelope[member: "code"]), ("elapsedMs", meta[member: "elapsedMs"]),
            ("parts", meta[member: "parts"]), ("errors", envelope[member: "errors"]), ("timeline", timeline),
        ]
        return JSONLiteral(
            members: members.compactMap { name, value in value.map { (name, JSONLiteral($0)) } }
        ).fragment
    }

    /// The drawing, which ends with a line feed.
    var text: String {
        var lines = [heading]
        if let caller { lines.append(caller) }
        if let slow { lines.append(slow) }
        let labels = parts.map { part in
            ([Self.partLabel(part, kind(of: part))]
                + Self.attempts(of: part).map { Self.attemptLabel($0.call, $0.attempt, $0.number) })
        }
        let column = min(60, labels.flatMap(\.self).map(\.count).max() ?? 0) + 1
        for (part, labels) in zip(parts, labels) {
            let rule = notRetried(part).map { ", not retried: \($0)" } ?? ""
            let attempts = Self.attempts(of: part)
            let omitted = part[member: "omitted"]?.intValue
            lines.append(line(labels[0], column, bar(of: part), ""))
            for (index, (attempt, label)) in zip(attempts, labels.dropFirst()).enumerated() {
                let isLast = index == attempts.count - 1 && omitted == nil
                let end = Self.end(of: attempt.attempt, isLast ? rule : "")
                lines.append(line(label, column, bar(ofAttempt: attempt.attempt), end))
            }
            if let omitted { lines.append("  and \(omitted) more attempts\(rule)") }
        }
        return lines.map { $0.trimmingSpaces + "\n" }.joined()
    }

    /// `502 BAD_GATEWAY  41 ms  GET /screen/{user}  trace 4bf9...`
    private var heading: String {
        func text(_ name: String) -> String? { record[member: name]?.stringValue.map(Self.printable) }
        let status = record[member: "status"]?.intValue.map { "\($0)" } ?? "-"
        let time = Self.number(record, "answerMs") ?? Self.number(record, "elapsedMs")
        var words = [text("code").map { "\(status) \($0)" } ?? status]
        if let time { words.append(Self.milliseconds(time)) }
        words.append("\(text("method") ?? "-") \(text("route") ?? text("path") ?? "-")")
        if let trace = text("traceId") { words.append("trace \(trace)") }
        if let id = text("requestId") { words.append("request \(id)") }
        return words.joined(separator: "  ")
    }

    /// `caller: mobile ok`, `caller: partners forbidden, key shop` or `caller: limited by perUser`
    private var caller: String? {
        guard let result = record[member: "authResult"]?.stringValue else { return nil }
        func text(_ name: String) -> String? { record[member: name]?.stringValue.map(Self.printable) }
        let limits = (record[member: "limits"]?.elements ?? []).compactMap(\.stringValue)
        let words = [text("auth"), Self.printable(result)].compactMap(\.self).joined(separator: " ")
        let by = limits.isEmpty ? "" : " by \(limits.map(Self.printable).joined(separator: ", "))"
        return "caller: \(words)\(by)" + (text("key").map { ", key \($0)" } ?? "")
    }

    /// `slow: recent, diary first_byte 4985 ms`
    private var slow: String? {
        guard let slow = record[member: "slow"], let phase = slow[member: "phase"]?.stringValue else {
            return nil
        }
        let part = slow[member: "part"]?.stringValue.map { "\(Self.printable($0)), " } ?? ""
        let upstream = slow[member: "upstream"]?.stringValue.map { "\(Self.printable($0)) " } ?? ""
        return "slow: \(part)\(upstream)\(Self.printable(phase)) "
            + Self.milliseconds(Self.number(slow, "ms") ?? 0)
    }

    /// The rule that kept a part from another attempt. A line of the log has it in the part or step, and an
    /// envelope in the part's error.
    private func notRetried(_ part: JSONFragment) -> String? {
        guard let name = part[member: "part"]?.stringValue else { return nil }
        let groups =
            [record[member: "parts"]].compactMap(\.self) + (record[member: "steps"]?.elements ?? [])
        let errors = (record[member: "errors"]?.elements ?? []).filter {
            $0[member: "part"]?.stringValue == name
        }
        let records = groups.compactMap { $0[member: name] } + errors
        return records.lazy.compactMap { $0[member: "notRetried"]?.stringValue }.first.map(Self.printable)
    }

    private func kind(of part: JSONFragment) -> String? {
        if let kind = part[member: "kind"]?.stringValue { return kind }
        // In an envelope, `meta.parts` has the kinds.
        guard let name = part[member: "part"]?.stringValue, let parts = record[member: "parts"] else {
            return nil
        }
        return parts[member: name]?.stringValue ?? parts[member: name]?[member: "kind"]?.stringValue
    }

    // MARK: Lines

    private static func attempts(
        of part: JSONFragment
    ) -> [(call: JSONFragment, attempt: JSONFragment, number: Int)] {
        (part[member: "calls"]?.elements ?? []).flatMap { call in
            (call[member: "attempts"]?.elements ?? []).enumerated().map { (call, $1, $0 + 1) }
        }
    }

    private static func partLabel(_ part: JSONFragment, _ kind: String?) -> String {
        let name = part[member: "part"]?.stringValue.map(printable) ?? "(other calls)"
        return kind.map { "\(name) \(printable($0))" } ?? name
    }

    /// `  diary GET 1 new`
    private static func attemptLabel(_ call: JSONFragment, _ attempt: JSONFragment, _ number: Int) -> String {
        let upstream = call[member: "upstream"]?.stringValue.map(printable) ?? "-"
        let method = call[member: "method"]?.stringValue.map(printable) ?? "-"
        // An address was tried, so a connection was to be opened.
        let isNew = attempt[member: "address"]?.stringValue != nil
        let connection = attempt[member: "connection"]?.stringValue.map(printable) ?? (isNew ? "new" : "-")
        return "  \(upstream) \(method) \(number) \(connection)"
    }

    private func line(_ label: String, _ column: Int, _ bar: String, _ end: String) -> String {
        let label = CommandSpecification.padded(label, to: column)
        return end.isEmpty ? label + bar : label + CommandSpecification.padded(bar, to: Self.width + 2) + end
    }

    /// `connection_refused  127.0.0.1:8081, not retried: reason  5 ms`, or the status.
    private static func end(of attempt: JSONFragment, _ rule: String) -> String {
        let status = attempt[member: "status"]?.intValue.map { "\($0)" }
        let reason = attempt[member: "reason"]?.stringValue.map(printable)
        let address = attempt[member: "address"]?.stringValue.map(printable)
        let time = number(attempt, "endMs").flatMap { end in
            number(attempt, "beganMs").map { milliseconds(end - $0) }
        }
        let result = [status, reason].compactMap(\.self).joined(separator: " ")
        let outcome = result.isEmpty ? "cancelled" : result
        return [address.map { "\(outcome)  \($0)\(rule)" } ?? outcome + rule, time].compactMap(\.self).joined(
            separator: "  ")
    }

    // MARK: Bars

    private func column(of time: Double) -> Int {
        min(Self.width - 1, max(0, Int(time / span * Double(Self.width))))
    }

    /// `   |-----|`
    private func bar(of part: JSONFragment) -> String {
        guard let began = Self.number(part, "beganMs") else { return "" }
        let start = column(of: began)
        let end = max(start, column(of: Self.number(part, "endMs") ?? span))
        guard end > start else { return String(repeating: " ", count: start) + "|" }
        return String(repeating: " ", count: start) + "|"
            + String(repeating: "-", count: end - start - 1) + "|"
    }

    /// `   .cc---==`
    private func bar(ofAttempt attempt: JSONFragment) -> String {
        guard let began = Self.number(attempt, "beganMs") else { return "" }
        let end = Self.number(attempt, "endMs") ?? span
        let isReused = attempt[member: "connection"]?.stringValue == "reused"
        let stages: [(symbol: Character, end: Double?)] = [
            (".", Self.number(attempt, "assignedMs") ?? Self.number(attempt, "sentMs")),
            (isReused ? "-" : "c", Self.number(attempt, "sentMs")),
            ("-", Self.number(attempt, "firstByteMs")), ("=", end),
        ]
        let first = column(of: began)
        var bar = String(repeating: " ", count: first)
        var position = first
        for (symbol, stageEnd) in stages {
            let next = column(of: stageEnd ?? end)
            if next > position {
                bar += String(repeating: symbol, count: next - position)
                position = next
            }
            if stageEnd == nil { break }
        }
        let failed = attempt[member: "reason"]?.stringValue != nil
        return bar + (failed ? "x" : position == first ? "-" : "")
    }

    // MARK: Values

    private static func number(_ object: JSONFragment, _ name: String) -> Double? {
        object[member: name]?.doubleValue
    }

    private static func milliseconds(_ time: Double) -> String {
        time < 10 ? "\((time * 10).rounded() / 10) ms" : "\(Int(time.rounded())) ms"
    }

    /// A log may contain anything: control characters would change the terminal.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
