public import Sluice

/// A fault that a sample upstream simulates.
public enum Fault: Hashable, Sendable {
    case none
    case delay(milliseconds: Int)
    case status(Int)
    /// Answers the first attempts of each call with 503, this many, and the next ones as without a fault.
    case flaky(failures: Int)
    /// Resets the connection without an answer.
    case drop
    /// Sends bytes that are not HTTP, and closes the connection.
    case garbage
    /// Announces the whole body, sends half of it, and closes the connection.
    case truncate
    /// Sends the answer one byte at a time.
    case trickle

    /// The longest delay, in milliseconds: ten minutes.
    static let longestDelay = 600_000
    /// The attempts of a call that may fail.
    static let mostFailures = 9

    /// For error messages.
    static let spelling = "delay:MS, status:N, flaky:N, drop, garbage, truncate, trickle or none"

    /// Parses `delay:MS` (up to 600000), `status:N` (200 to 599), `flaky:N` (1 to 9), `drop`, `garbage`,
    /// `truncate`, `trickle` or `none`.
    public init(_ text: String) throws(GatewayError) {
        switch text {
        case "none": self = .none
        case "drop": self = .drop
        case "garbage": self = .garbage
        case "truncate": self = .truncate
        case "trickle": self = .trickle
        default: self = try Self.withNumber(text)
        }
    }

    private static func withNumber(_ text: String) throws(GatewayError) -> Fault {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = Numbered(rawValue: String(parts[0])) else {
            throw .invalidRequest("The member \"fault\" is \"\(text)\"; it must be \(spelling)")
        }
        let digits = parts[1].allSatisfy { $0.isASCII && $0.isNumber } && parts[1].utf8.count <= 9
        guard digits, let number = Int(parts[1]), name.range.contains(number) else {
            throw .invalidRequest(
                "The \(name.meaning) in \"fault\" is \"\(parts[1])\"; it must be from \(name.range.lowerBound) to "
                    + "\(name.range.upperBound)\(name == .delay ? " milliseconds" : "")")
        }
        return switch name {
        case .delay: .delay(milliseconds: number)
        case .status: .status(number)
        case .flaky: .flaky(failures: number)
        }
    }

    /// The faults with a number.
    private enum Numbered: String {
        case delay, status, flaky

        var range: ClosedRange<Int> {
            switch self {
            case .delay: 0...longestDelay
            case .status: 200...599
            case .flaky: 1...mostFailures
            }
        }

        var meaning: String { self == .flaky ? "number of failures" : rawValue }
    }
}

extension Fault: CustomStringConvertible {
    /// The text that `init` parses.
    public var description: String {
        switch self {
        case .none: "none"
        case .delay(let milliseconds): "delay:\(milliseconds)"
        case .status(let code): "status:\(code)"
        case .flaky(let failures): "flaky:\(failures)"
        case .drop: "drop"
        case .garbage: "garbage"
        case .truncate: "truncate"
        case .trickle: "trickle"
        }
    }
}
