import GatewayConfig
@_spi(Lines) internal import JSONBytes

/// The gateway's diagnostic log: one JSON line for each message on standard error, written by a separate
/// thread. Requests are logged in the access log on standard output instead.
final class Log: Sendable {
    private let level: LogLevel
    /// Whether messages at `debug` are written. Check it before computing their facts.
    let isDebug: Bool
    private let channel: LogChannel

    init(level: LogLevel, writer: LogWriter) {
        self.level = level
        isDebug = level == .debug
        channel = writer.makeChannel()
    }

    /// Writes a message unless its level is below the log's. The message is constant, so that lines can be
    /// grouped by it. Nil facts are omitted. Never pass secrets or bodies.
    func write(
        _ level: LogLevel, _ message: StaticString, _ facts: KeyValuePairs<String, (any LogFact)?> = [:]
    ) {
        guard level >= self.level else { return }
        var line = JSONLine(capacity: 256)
        var timestamp = Timestamp()
        line.constant(#"{"time":""#)
        timestamp.write(to: &line)
        line.constant(#"","level":"#)
        line.string(level.rawValue)
        line.constant(#","message":"#)
        line.string("\(message)")
        for (name, value) in facts {
            guard let value else { continue }
            line.constant(",")
            line.string(name)
            line.constant(":")
            value.write(to: &line)
        }
        line.constant("}\n")
        channel.append(line)
    }
}

/// What a line of the diagnostic log says beside its message: text, or a number, which has no quotes.
protocol LogFact {
    func write(to line: inout JSONLine)
}

extension String: LogFact {
    func write(to line: inout JSONLine) { line.string(self) }
}

extension Int: LogFact {
    func write(to line: inout JSONLine) { line.integer(self) }
}

extension Int64: LogFact {
    func write(to line: inout JSONLine) { line.integer(Int(self)) }
}
