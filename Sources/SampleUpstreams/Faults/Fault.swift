/// A fault that a sample upstream simulates.
public enum Fault: Hashable, Sendable {
    case none
    case delay(milliseconds: Int)
    case status(Int)
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

    /// For error messages.
    static let spelling = "delay:MS, status:N, drop, garbage, truncate, trickle or none"

    /// Parses `delay:MS` (up to 600000), `status:N` (200 to 599), `drop`, `garbage`, `truncate`, `trickle` or `none`.
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
            throw FaultError("the member \"fault\" is \"\(text)\"; it must be \(spelling)")
        }
        let digits = parts[1].allSatisfy { $0.isASCII && $0.isNumber } && parts[1].utf8.count <= 9
        let number = digits ? Int(parts[1]) : nil
        guard parts[0] == "delay" else {
            guard let number, 200...599 ~= number else {
                throw FaultError("the status in \"fault\" is \"\(parts[1])\"; it must be from 200 to 599")
            }
            return .status(number)
        }
        guard let number, number <= longestDelay else {
            throw FaultError(
                "the delay in \"fault\" is \"\(parts[1])\"; it must be from 0 to \(longestDelay) milliseconds"
            )
        }
        return .delay(milliseconds: number)
    }
}

extension Fault: CustomStringConvertible {
    /// The text that `init` parses.
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

/// An error in a request to set a fault, or in the ID of a visitor.
public struct FaultError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
