/// What a sample upstream does instead of answering well.
public enum Fault: Hashable, Sendable {
    /// Answers well.
    case none
    /// Answers well, that many milliseconds later.
    case delay(milliseconds: Int)
    /// Answers with that status.
    case status(Int)
    /// Resets the connection without an answer.
    case drop
    /// Sends bytes that are not HTTP and closes.
    case garbage
    /// Promises the whole body, sends half of it and closes.
    case truncate
    /// Sends its answer a byte at a time.
    case trickle

    /// The longest delay, in milliseconds: ten minutes.
    static let longestDelay = 600_000

    /// How faults are written, for messages.
    static let spelling = "delay:MS, status:N, drop, garbage, truncate, trickle or none"

    /// Reads `delay:MS` (up to 600000), `status:N` (200 to 599), `drop`, `garbage`, `truncate`, `trickle` or
    /// `none`.
    public init(_ text: String) throws(FaultError) {
        switch text {
        case "none": self = .none
        case "drop": self = .drop
        case "garbage": self = .garbage
        case "truncate": self = .truncate
        case "trickle": self = .trickle
        default: self = try Self.withNumber(text)
        }
    }

    private static func withNumber(_ text: String) throws(FaultError) -> Fault {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "delay" || parts[0] == "status" else {
            throw FaultError("\"fault\" is \"\(text)\"; it must be \(spelling)")
        }
        let digits = parts[1].allSatisfy { $0.isASCII && $0.isNumber } && parts[1].utf8.count <= 9
        let number = digits ? Int(parts[1]) : nil
        guard parts[0] == "delay" else {
            guard let number, 200...599 ~= number else {
                throw FaultError("the status of \"fault\" is \"\(parts[1])\"; it must be 200 to 599")
            }
            return .status(number)
        }
        guard let number, number <= longestDelay else {
            throw FaultError(
                "the delay of \"fault\" is \"\(parts[1])\"; it must be milliseconds, 0 to \(longestDelay)")
        }
        return .delay(milliseconds: number)
    }
}

extension Fault: CustomStringConvertible {
    /// The fault as it is written.
    public var description: String {
        switch self {
        case .none: "none"
        case .delay(let milliseconds): "delay:\(milliseconds)"
        case .status(let code): "status:\(code)"
        case .drop: "drop"
        case .garbage: "garbage"
        case .truncate: "truncate"
        case .trickle: "trickle"
        }
    }
}

/// What is wrong with a fault that was asked for: one sentence that names it.
public struct FaultError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
