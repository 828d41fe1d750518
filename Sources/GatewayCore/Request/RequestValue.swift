public import FoundationEssentials

/// A type that path and query parameters can be read as.
///
/// Invalid text is answered with `400 INVALID_REQUEST` and a message that names the parameter and states the
/// `rule`. Enums with `String` or `Int` raw values and `LosslessStringConvertible` types need only declare
/// the conformance:
///
///     enum Half: String, CaseIterable, RequestValue { case am, pm }
public protocol RequestValue: Sendable {
    /// What the text must be, phrased to follow "must be": `an integer`, `one of am, pm`. Shown to clients.
    static var rule: String { get }

    /// Reads the decoded text of one parameter; `nil` if the text breaks the rule.
    init?(requestText: String)
}

extension String: RequestValue {
    /// What a parameter must be, as messages say it.
    public static var rule: String { "text" }

    /// Reads the text of a parameter. Returns nil if it breaks the rule.
    public init?(requestText: String) {
        self = requestText
    }
}

extension Bool: RequestValue {
    /// What a parameter must be, as messages say it.
    public static var rule: String { "true or false" }

    /// Reads the text of a parameter. Returns nil if it breaks the rule.
    public init?(requestText: String) {
        switch requestText {
        case "true": self = true
        case "false": self = false
        default: return nil
        }
    }
}

extension Double: RequestValue {
    /// What a parameter must be, as messages say it.
    public static var rule: String { "a decimal number" }

    /// Reads finite decimal numbers with an optional exponent; no `nan`, `inf` or hexadecimal.
    public init?(requestText: String) {
        let isDecimal = requestText.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
                UInt8(ascii: "."),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                true
            default:
                false
            }
        }
        guard isDecimal, let value = Double(requestText), value.isFinite else { return nil }
        self = value
    }
}

extension RequestValue where Self: FixedWidthInteger {
    /// What a parameter must be, as messages say it.
    public static var rule: String {
        Self.bitWidth == Int.bitWidth && Self.isSigned
            ? "an integer" : "an integer from \(Self.min) to \(Self.max)"
    }

    /// Reads decimal digits with an optional minus sign; no plus sign, no spaces.
    public init?(requestText: String) {
        guard requestText.utf8.first != UInt8(ascii: "+"), let value = Self(requestText, radix: 10) else {
            return nil
        }
        self = value
    }
}

extension Int: RequestValue {}
extension Int8: RequestValue {}
extension Int16: RequestValue {}
extension Int32: RequestValue {}
extension Int64: RequestValue {}
extension UInt: RequestValue {}
extension UInt8: RequestValue {}
extension UInt16: RequestValue {}
extension UInt32: RequestValue {}
extension UInt64: RequestValue {}

extension UUID: RequestValue {
    /// What a parameter must be, as messages say it.
    public static var rule: String { "a UUID such as 123e4567-e89b-12d3-a456-426614174000" }

    /// Reads the text of a parameter. Returns nil if it breaks the rule.
    public init?(requestText: String) {
        self.init(uuidString: requestText)
    }
}

extension RequestValue where Self: RawRepresentable, RawValue: RequestValue {
    /// What a parameter must be, as messages say it.
    public static var rule: String { RawValue.rule }

    /// Reads the text of a parameter. Returns nil if it breaks the rule.
    public init?(requestText: String) {
        guard let raw = RawValue(requestText: requestText) else { return nil }
        self.init(rawValue: raw)
    }
}

extension RequestValue where Self: RawRepresentable & CaseIterable, RawValue: RequestValue {
    /// Lists the raw values in the order of their cases.
    public static var rule: String {
        "one of " + allCases.map { "\($0.rawValue)" }.joined(separator: ", ")
    }
}

extension RequestValue where Self: LosslessStringConvertible {
    /// What a parameter must be, as messages say it.
    public static var rule: String { "a valid \(Self.self)" }

    /// Reads the text of a parameter. Returns nil if it breaks the rule.
    public init?(requestText: String) {
        self.init(requestText)
    }
}
