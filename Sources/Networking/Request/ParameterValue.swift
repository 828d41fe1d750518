public import FoundationEssentials

/// The value of a parameter.
public enum ParameterValue: Sendable, Hashable {
    /// Percent-encoded in a query or form, a string in JSON.
    case text(String)
    /// An integer.
    case integer(Int64)
    /// Written with the shortest text that reads back as the same number. A number that is not finite fails
    /// the call.
    case number(Double)
    /// `true` or `1`, depending on the encoding; a Boolean in JSON.
    case flag(Bool)
    /// Named by the encoding in a query or form; an array in JSON.
    case list([ParameterValue])
    /// Named values in order: `user[name]=x` in a query or form, an object in JSON.
    case object([Member])
    /// `null` in JSON; a name without a value, `a=`, in a query or form.
    case null
    /// Not sent.
    case absent

    /// A member of an object.
    public struct Member: Sendable, Hashable {
        /// The name, not yet encoded.
        public var name: String
        /// The value, possibly another object.
        public var value: ParameterValue

        /// Creates a member.
        public init(name: String, value: ParameterValue) {
            self.name = name
            self.value = value
        }
    }
}

/// A type with values that can be used in `Parameters`. Conform your own type in one line:
///
///     extension CalendarDate: ParameterConvertible {
///         public var parameterValue: ParameterValue { .text(description) }
///     }
///     enum Keyword: String, ParameterConvertible { case recent, total }
public protocol ParameterConvertible: Sendable {
    /// The value to send.
    var parameterValue: ParameterValue { get }
}

extension ParameterConvertible where Self: RawRepresentable, RawValue: ParameterConvertible {
    /// The value of the raw value.
    public var parameterValue: ParameterValue { rawValue.parameterValue }
}

extension ParameterValue: ParameterConvertible {
    /// Itself.
    public var parameterValue: ParameterValue { self }
}

extension String: ParameterConvertible {
    /// The text.
    public var parameterValue: ParameterValue { .text(self) }
}

extension Substring: ParameterConvertible {
    /// The text.
    public var parameterValue: ParameterValue { .text(String(self)) }
}

extension Int: ParameterConvertible {
    /// An integer.
    public var parameterValue: ParameterValue { .integer(Int64(self)) }
}

extension Int8: ParameterConvertible {
    /// An integer.
    public var parameterValue: ParameterValue { .integer(Int64(self)) }
}

extension Int16: ParameterConvertible {
    /// An integer.
    public var parameterValue: ParameterValue { .integer(Int64(self)) }
}

extension Int32: ParameterConvertible {
    /// An integer.
    public var parameterValue: ParameterValue { .integer(Int64(self)) }
}

extension Int64: ParameterConvertible {
    /// An integer.
    public var parameterValue: ParameterValue { .integer(self) }
}

extension UInt8: ParameterConvertible {
    /// An integer.
    public var parameterValue: ParameterValue { .integer(Int64(self)) }
}

extension UInt16: ParameterConvertible {
    /// An integer.
    public var parameterValue: ParameterValue { .integer(Int64(self)) }
}

extension UInt32: ParameterConvertible {
    /// An integer.
    public var parameterValue: ParameterValue { .integer(Int64(self)) }
}

extension Double: ParameterConvertible {
    /// A number.
    public var parameterValue: ParameterValue { .number(self) }
}

extension Float: ParameterConvertible {
    /// The number in the value's text: `0.1`, not the `Double` nearest to the `Float`.
    public var parameterValue: ParameterValue { .number(Double(description) ?? Double(self)) }
}

extension Bool: ParameterConvertible {
    /// `true` or `1`, depending on the encoding.
    public var parameterValue: ParameterValue { .flag(self) }
}

extension UUID: ParameterConvertible {
    /// In upper case, as Foundation writes it.
    public var parameterValue: ParameterValue { .text(uuidString) }
}

extension Array: ParameterConvertible where Element: ParameterConvertible {
    /// A list.
    public var parameterValue: ParameterValue { .list(map(\.parameterValue)) }
}

extension Dictionary: ParameterConvertible where Key == String, Value: ParameterConvertible {
    /// An object whose members are sorted by name, because a dictionary has no order.
    public var parameterValue: ParameterValue {
        .object(
            sorted { $0.key < $1.key }.map {
                ParameterValue.Member(name: $0.key, value: $0.value.parameterValue)
            })
    }
}

extension Optional: ParameterConvertible where Wrapped: ParameterConvertible {
    /// `.absent` for nil.
    public var parameterValue: ParameterValue { self?.parameterValue ?? .absent }
}

// Write a value of mixed types as a literal: `["point": [1, "x", ["a": nil]] as ParameterValue]`.

extension ParameterValue: ExpressibleByStringInterpolation {
    /// Creates the value from a string literal.
    public init(stringLiteral text: String) { self = .text(text) }
}

extension ParameterValue: ExpressibleByIntegerLiteral {
    /// Creates the value from an integer literal.
    public init(integerLiteral integer: Int64) { self = .integer(integer) }
}

extension ParameterValue: ExpressibleByFloatLiteral {
    /// Creates the value from a floating-point literal.
    public init(floatLiteral number: Double) { self = .number(number) }
}

extension ParameterValue: ExpressibleByBooleanLiteral {
    /// Creates the value from a Boolean literal.
    public init(booleanLiteral flag: Bool) { self = .flag(flag) }
}

extension ParameterValue: ExpressibleByArrayLiteral {
    /// Creates the value from an array literal.
    public init(arrayLiteral elements: ParameterValue...) { self = .list(elements) }
}

extension ParameterValue: ExpressibleByDictionaryLiteral {
    /// Creates the value from a dictionary literal.
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        self = .object(elements.map { Member(name: $0.0, value: $0.1) })
    }
}

extension ParameterValue: ExpressibleByNilLiteral {
    /// Creates the value from `nil`.
    public init(nilLiteral: ()) { self = .null }
}
