/// Which requests are logged on standard output.
public struct AccessLogging: Sendable, Hashable, ExpressibleByBooleanLiteral, CustomStringConvertible {
    private enum Kind: Hashable { case off, failures, successes(every: Int) }

    private let kind: Kind

    /// All requests.
    public static let on = AccessLogging(kind: .successes(every: 1))
    /// No line for any request.
    public static let off = AccessLogging(kind: .off)
    /// Requests that failed: status 500 and up, partial answers, and answers that the gateway broke off.
    public static let failures = AccessLogging(kind: .failures)

    /// Failed requests, and of the others of each loop every `number`th: 1/100 in a file or flag.
    ///
    /// - Precondition: `number` is within 1 and 1 000 000.
    public static func every(_ number: Int) -> AccessLogging {
        precondition(sampleRange.contains(number), "the access log takes 1/1 to 1/1000000")
        return AccessLogging(kind: .successes(every: number))
    }

    package static let sampleRange = 1...1_000_000
    package static let samplePattern = "^1/[1-9][0-9]{0,6}$"
    package static let rule = "on, off, failures or 1/N with N from 1 to 1000000"

    private init(kind: Kind) { self.kind = kind }

    /// All requests, or none.
    public init(booleanLiteral isOn: Bool) { self = isOn ? .on : .off }

    /// Reads the text of a file or a flag; nil if it breaks `rule`.
    package init?(_ text: String) {
        switch text {
        case "on": self = .on
        case "off": self = .off
        case "failures": self = .failures
        default:
            guard text.hasPrefix("1/"), let number = Int(text.dropFirst(2)), "1/\(number)" == text,
                Self.sampleRange.contains(number)
            else { return nil }
            self = .every(number)
        }
    }

    /// As files and flags have it: `1/100`.
    public var description: String {
        switch kind {
        case .off: "off"
        case .failures: "failures"
        case .successes(1): "on"
        case .successes(let number): "1/\(number)"
        }
    }

    package var isOff: Bool { kind == .off }
    /// Of how many requests that did not fail one is logged; nil if none is.
    package var successInterval: Int? { if case .successes(let number) = kind { number } else { nil } }
}
