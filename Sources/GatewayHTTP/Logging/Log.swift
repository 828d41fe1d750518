@_spi(Lines) internal import JSONBytes

/// How much the gateway tells about itself on standard error.
public enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case debug, info, warning, error

    private var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }

    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }
}

/// What the gateway has to say about itself: one JSON line a message on standard error, written by a thread
/// of its own. Requests are not told here but in the access log, on standard output.
final class Log: Sendable {
    private let level: LogLevel
    /// Whether messages at `debug` are written. To be asked before their facts are put together.
    let isDebug: Bool
    private let channel: LogChannel

    init(level: LogLevel, writer: LogWriter) {
        self.level = level
        isDebug = level == .debug
        channel = writer.makeChannel()
    }

    /// - Parameters:
    ///   - message: constant words, so that lines can be counted by it.
    ///   - facts: what differs from case to case; nil where there is nothing to tell. Never a secret, never an upstream's
    ///     body.
    func write(_ level: LogLevel, _ message: StaticString, _ facts: KeyValuePairs<String, String?> = [:]) {
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
            line.string(value)
        }
        line.constant("}\n")
        channel.append(line)
    }
}
