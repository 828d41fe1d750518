public import FoundationEssentials

/// What a parameter can be on the wire.
public enum ParameterValue: Sendable, Hashable {
    /// Percent-encoded in a query or form, a string in JSON.
    case text(String)
    /// A whole number.
    case integer(Int64)
    /// The shortest text that reads as the same number. One that is not finite fails the call.
    case number(Double)
    /// `true` or `1`, as the encoding says; a Boolean in JSON.
    case flag(Bool)
    /// Named as the encoding says in a query or form, an array in JSON.
    case list([ParameterValue])
    /// Named values in order: `user[name]=x` in a query or form, an object in JSON.
    case object([Member])
    /// `null` in JSON; a name without a value, `a=`, elsewhere.
    case null
    /// Not sent at all.
    case absent

    /// One member of an object.
    public struct Member: Sendable, Hashable {
        /// As it was written, not encoded yet.
        public var name: String
        /// Whatever a parameter can be: objects nest.
        public var value: ParameterValue

        /// A member as a literal makes it.
        public init(name: String, value: ParameterValue) {
            self.name = name
            self.value = value
        }
    }
}

/// A type whose values may stand in `Parameters`. A type of yours joins with one line:
///
///     extension CalendarDate: ParameterConvertible {
///         public var parameterValue: ParameterValue { .text(description) }
///     }
///     enum Keyword: String, ParameterConvertible { case recent, total }
public protocol ParameterConvertible: Sendable {
    /// What stands on the wire for this value.
    var parameterValue: ParameterValue { get }
}

extension ParameterConvertible where Self: RawRepresentable, RawValue: ParameterConvertible {
    /// What the raw value is.
    public var parameterValue: ParameterValue { rawValue.parameterValue }
}

extension ParameterValue: ParameterConvertible {
    /// Itself.
    public var parameterValue: ParameterValue { self }
}

extension String: ParameterConvertible {
    /// The text as it is.
    public var parameterValue: ParameterValue { .text(self) }
}

extension Substring: ParameterConvertible {
    /// The text as it is.
    public var parameterValue: ParameterValue { .text(String(self)) }
}

extension Int: ParameterConvertible {
    /// A whole number.
    public var parameterValue: ParameterValue { .integer(Int64(self)) }
}

extension Int8: ParameterConvertible {
    /// A whole number.
    public var parameterValue: ParameterValue { .integer(Int64(self)) }
}

extension Int16: ParameterConvertible {
    /// A whole number.
    public var parameterValue: ParameterValue { .integer(Int64(self)) }
}

extension Int32: ParameterConvertible {
    /// A whole number.
    public var parameterValue: ParameterValue { .integer(Int64(self)) }
}

extension Int64: ParameterConvertible {
    /// A whole number.
    public var parameterValue: ParameterValue { .integer(self) }
}

extension UInt8: ParameterConvertible {
    /// A whole number.
    public var parameterValue: ParameterValue { .integer(Int64(self)) }
}

extension UInt16: ParameterConvertible {
    /// A whole number.
    public var parameterValue: ParameterValue { .integer(Int64(self)) }
}

extension UInt32: ParameterConvertible {
    /// A whole number.
    public var parameterValue: ParameterValue { .integer(Int64(self)) }
}

extension Double: ParameterConvertible {
    /// A number, with its fraction.
    public var parameterValue: ParameterValue { .number(self) }
}

extension Float: ParameterConvertible {
    /// The number that its text says: `0.1`, not the nearest `Double` to it.
    public var parameterValue: ParameterValue { .number(Double(description) ?? Double(self)) }
}

extension Bool: ParameterConvertible {
    /// `true` or `1`, as the encoding says.
    public var parameterValue: ParameterValue { .flag(self) }
}

extension UUID: ParameterConvertible {
    /// In capitals, as Foundation writes it.
    public var parameterValue: ParameterValue { .text(uuidString) }
}

extension Array: ParameterConvertible where Element: ParameterConvertible {
    /// A list.
    public var parameterValue: ParameterValue { .list(map(\.parameterValue)) }
}

extension Dictionary: ParameterConvertible where Key == String, Value: ParameterConvertible {
    /// A dictionary has no order: its members are sorted by name.
    public var parameterValue: ParameterValue {
        .object(
            sorted { $0.key < $1.key }.map {
                ParameterValue.Member(name: $0.key, value: $0.value.parameterValue)
            })
    }
}

extension Optional: ParameterConvertible where Wrapped: ParameterConvertible {
    /// Absent where there is no value.
    public var parameterValue: ParameterValue { self?.parameterValue ?? .absent }
}

// A value of mixed kinds is written as a literal: `["point": [1, "x", ["a": nil]] as ParameterValue]`.

extension ParameterValue: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) { self = .text(text) }
}

extension ParameterValue: ExpressibleByIntegerLiteral {
    public init(integerLiteral integer: Int64) { self = .integer(integer) }
}

extension ParameterValue: ExpressibleByFloatLiteral {
    public init(floatLiteral number: Double) { self = .number(number) }
}

extension ParameterValue: ExpressibleByBooleanLiteral {
    public init(booleanLiteral flag: Bool) { self = .flag(flag) }
}

extension ParameterValue: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: ParameterValue...) { self = .list(elements) }
}

extension ParameterValue: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        self = .object(elements.map { Member(name: $0.0, value: $0.1) })
    }
}

extension ParameterValue: ExpressibleByNilLiteral {
    public init(nilLiteral: ()) { self = .null }
}
