import GatewayCore
@_spi(Lines) import JSONBytes

/// The lines that the code of endpoints writes.
extension Log: RequestLog {
    private enum Limits {
        /// Bytes of a message or a value. Only the beginning of a longer one is written.
        static let text = 4096
    }

    /// The members that each line has of its own.
    private static let ownNames: Set<String> = ["time", "level", "message", "requestId", "traceId", "route"]

    func write(_ line: RequestLogLine) {
        guard writes(line.level) else { return }
        var facts: [(key: String, value: (any LogFact)?)] = [
            ("requestId", line.requestID), ("traceId", line.traceID), ("route", line.route),
        ]
        for (name, value) in line.facts {
            facts.append((Self.ownNames.contains(name) ? name + "_" : name, Self.fact(value)))
        }
        writeOfCode(line.level, Self.beginning(of: line.message), facts)
    }

    private static func fact(_ value: JSONFragment) -> any LogFact {
        guard value.bytes.count > Limits.text else { return value }
        return beginning(of: value.stringValue ?? value.description)
    }

    private static func beginning(of text: String) -> String {
        text.utf8.count > Limits.text ? String(decoding: text.utf8.prefix(Limits.text), as: UTF8.self) : text
    }
}

extension JSONFragment: LogFact {
    /// On one line: between its values, JSON may have line feeds, but not within strings (RFC 8259 2, 7).
    func write(to line: inout JSONLine) {
        guard bytes.contains(where: { $0 < 0x20 }) else { return line.fragment(self) }
        line.plain(String(decoding: bytes.map { max($0, 0x20) }, as: UTF8.self))
    }

    func write(text line: inout JSONLine) {
        line.plain(LogText.quotedIfNeeded(stringValue ?? description))
    }
}
