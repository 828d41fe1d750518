/// The severity of a message on standard error.
public enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case debug, info, warning, error

    package var rank: UInt8 {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }

    /// Whether the left value comes first.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }
}
