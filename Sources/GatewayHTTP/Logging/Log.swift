import GatewayConfig
@_spi(Lines) internal import JSONBytes
import Synchronization

/// The gateway's diagnostic log: a line for each message on standard error, written by a separate thread.
/// Requests are logged in the access log on standard output instead.
final class Log: Sendable {
    private let leastRank: Atomic<UInt8>
    private let writer: LogWriter
    private let channel: LogChannel
    /// The code of endpoints has a channel of its own, so that its lines cannot displace the gateway's.
    private let codeChannel: LogChannel
    let counts = LogLevelCounts()

    init(level: LogLevel, writer: LogWriter) {
        leastRank = Atomic(level.rank)
        self.writer = writer
        channel = writer.makeChannel()
        codeChannel = writer.makeChannel()
    }

    /// From now on, writes the messages of this level and of all levels above it.
    func use(_ level: LogLevel) { leastRank.store(level.rank, ordering: .relaxed) }

    /// Whether messages at `debug` are written. Check it before computing their facts.
    var isDebug: Bool { writes(.debug) }

    /// Whether messages of this level are written.
    func writes(_ level: LogLevel) -> Bool { level.rank >= leastRank.load(ordering: .relaxed) }

    /// Writes a message unless its level is below the log's. The message is constant, so that lines can be
    /// grouped by it. Nil facts are omitted. Never pass secrets or bodies.
    func write(
        _ level: LogLevel, _ message: StaticString, _ facts: KeyValuePairs<String, (any LogFact)?> = [:]
    ) {
        guard writes(level) else { return }
        append(level, "\(message)", facts, to: channel)
    }

    /// Writes a line of the code of endpoints, or what that has printed, unless its level is below the log's.
    func writeOfCode(
        _ level: LogLevel, _ message: String, _ facts: some Sequence<(key: String, value: (any LogFact)?)>
    ) {
        guard writes(level) else { return }
        append(level, message, facts, to: codeChannel)
    }

    private func append(
        _ level: LogLevel, _ message: String, _ facts: some Sequence<(key: String, value: (any LogFact)?)>,
        to channel: LogChannel
    ) {
        counts.add(level)
        var line = JSONLine(capacity: 256)
        let style = writer.style
        if style == .json {
            Self.write(level, message, facts, json: &line)
        } else {
            Self.write(level, message, facts, style, text: &line)
        }
        channel.append(line)
    }

    private static func write(
        _ level: LogLevel, _ message: String, _ facts: some Sequence<(key: String, value: (any LogFact)?)>,
        json line: inout JSONLine
    ) {
        var timestamp = Timestamp()
        line.constant(#"{"time":""#)
        timestamp.write(to: &line)
        line.constant(#"","level":"#)
        line.string(level.rawValue)
        line.constant(#","message":"#)
        line.string(message)
        for (name, value) in facts {
            guard let value else { continue }
            line.constant(",")
            line.string(name)
            line.constant(":")
            value.write(to: &line)
        }
        line.constant("}\n")
    }

    /// `12:03:46.514 warning address ejected  upstream=diary address=10.0.0.8:8081 failures=3`
    private static func write(
        _ level: LogLevel, _ message: String, _ facts: some Sequence<(key: String, value: (any LogFact)?)>,
        _ style: LogStyle, text line: inout JSONLine
    ) {
        Timestamp.write(timeOfDay: &line)
        line.constant(" ")
        line.plain(style.colored(level.rawValue, level.color))
        line.constant(" ")
        line.plain(LogText.message(message))
        var separator: StaticString = "  "
        for (name, value) in facts {
            guard let value else { continue }
            line.constant(separator)
            separator = " "
            line.plain(style.colored(LogText.message(name) + "=", .faint))
            value.write(text: &line)
        }
        line.constant("\n")
    }
}

extension LogLevel {
    fileprivate var color: LogColor? {
        switch self {
        case .debug: .faint
        case .info: nil
        case .warning: .yellow
        case .error: .red
        }
    }
}

/// What a line of the diagnostic log says beside its message: text, or a number, which has no quotes.
protocol LogFact {
    func write(to line: inout JSONLine)
    func write(text line: inout JSONLine)
}

extension String: LogFact {
    func write(to line: inout JSONLine) { line.string(self) }
    func write(text line: inout JSONLine) { line.plain(LogText.quotedIfNeeded(self)) }
}

extension Int: LogFact {
    func write(to line: inout JSONLine) { line.integer(self) }
    func write(text line: inout JSONLine) { line.integer(self) }
}

extension Int64: LogFact {
    func write(to line: inout JSONLine) { line.integer(Int(self)) }
    func write(text line: inout JSONLine) { line.integer(Int(self)) }
}
