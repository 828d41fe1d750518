/// Named values of a call, in the order in which they were written.
///
///     ["fddDate": date, "keyword": "recent", "page": page]
///
/// A value that is `nil` is left out. A name may occur more than once.
public struct Parameters: Sendable, ExpressibleByDictionaryLiteral {
    typealias Entry = (String, any ParameterConvertible)

    // Unlabelled, as literals are made: labels would have each element cast.
    private var entries: [Entry]

    public init() {
        entries = []
    }

    public init(dictionaryLiteral elements: (String, any ParameterConvertible)...) {
        // The array of the literal as it is: no second one is made.
        entries = elements
    }

    public mutating func append(_ name: String, _ value: any ParameterConvertible) {
        entries.append((name, value))
    }

    /// Calls `body` with each entry, in order and in place: nothing changes, and nothing is copied where nobody else has these
    /// parameters. The copy of an entry costs more than writing it.
    @inline(__always)
    mutating func visit<Failure: Error>(_ body: (inout Entry) throws(Failure) -> Void) throws(Failure) {
        for index in entries.indices { try body(&entries[index]) }
    }
}

/// What a parameter can be on the wire.
public enum ParameterValue: Sendable, Hashable {
    case text(String)
    case integer(Int64)
    case number(Double)
    case flag(Bool)
    case list([ParameterValue])
    /// Not sent at all.
    case absent
}

/// A type whose values may stand in `Parameters`. A type of yours joins with one line:
///
///     extension CalendarDate: ParameterConvertible {
///         public var parameterValue: ParameterValue { .text(description) }
///     }
public protocol ParameterConvertible: Sendable {
    var parameterValue: ParameterValue { get }
}

extension ParameterValue: ParameterConvertible {
    public var parameterValue: ParameterValue { self }
}

extension String: ParameterConvertible {
    public var parameterValue: ParameterValue { .text(self) }
}

extension Substring: ParameterConvertible {
    public var parameterValue: ParameterValue { .text(String(self)) }
}

extension Int: ParameterConvertible {
    public var parameterValue: ParameterValue { .integer(Int64(self)) }
}

extension Int64: ParameterConvertible {
    public var parameterValue: ParameterValue { .integer(self) }
}

extension Double: ParameterConvertible {
    public var parameterValue: ParameterValue { .number(self) }
}

extension Bool: ParameterConvertible {
    public var parameterValue: ParameterValue { .flag(self) }
}

extension Array: ParameterConvertible where Element: ParameterConvertible {
    public var parameterValue: ParameterValue { .list(map(\.parameterValue)) }
}

extension Optional: ParameterConvertible where Wrapped: ParameterConvertible {
    public var parameterValue: ParameterValue { self?.parameterValue ?? .absent }
}
