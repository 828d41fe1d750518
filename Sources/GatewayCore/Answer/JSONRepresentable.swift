import FoundationEssentials
public import JSONBytes
import JSONCoding
public import Rx

/// A value that can be part of an answer's `data`.
///
/// An `Encodable` type only declares the conformance:
///
///     struct Weight: Encodable, JSONRepresentable { var kilograms: Double }
///
/// Then a `Weight`, a `Single<Weight>` and an `Observable<Weight>` can be parts.
public protocol JSONRepresentable: PartConvertible {
    /// Returns the value as JSON. An error is answered as `500 INTERNAL` and reported as an incident.
    func jsonFragment() throws -> JSONFragment

    /// Makes a part from a single of such values.
    static func part(of single: consuming Single<Self>) -> Part
}

extension JSONRepresentable {
    /// Makes a part that encodes the value.
    public static func part(of single: consuming Single<Self>) -> Part {
        Part(source: single.map { try $0.jsonFragment() })
    }

    /// Returns it as a part of an answer.
    public func asPart() -> Part {
        Part(source: PartSource.of { try jsonFragment() })
    }
}

extension JSONRepresentable where Self: Encodable {
    /// Returns the value as JSON.
    public func jsonFragment() throws -> JSONFragment {
        try JSONFragment(encoding: self)
    }
}

extension JSONFragment: JSONRepresentable {
    /// Returns the value as JSON.
    public func jsonFragment() -> JSONFragment { self }

    /// Adds no operator, because this is the common case.
    public static func part(of single: consuming Single<JSONFragment>) -> Part {
        Part(source: single)
    }
}

extension JSONFragment {
    /// Encodes the members in the order of the type, and the members of dictionaries sorted by name, so that
    /// equal values give equal bytes. Slashes are not escaped, and dates are written as ISO 8601.
    public init(encoding value: some Encodable) throws {
        self = try JSONFragment.encoder.encode(value)
    }

    private static let encoder: JSONBytesEncoder = {
        var encoder = JSONBytesEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        encoder.sortsDictionaries = true
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }()
}

extension JSONLiteral: JSONRepresentable {
    /// Returns the value as JSON.
    public func jsonFragment() -> JSONFragment { fragment }
}

extension String: JSONRepresentable {
    /// Returns the value as JSON.
    public func jsonFragment() -> JSONFragment { JSONFragment(string: self) }
}
extension Bool: JSONRepresentable {}
extension Int: JSONRepresentable {}
extension Double: JSONRepresentable {}
extension CalendarDate: JSONRepresentable {}

/// `nil` becomes `null`.
extension Optional: JSONRepresentable, PartConvertible where Wrapped: JSONRepresentable {
    /// Returns the value as JSON.
    public func jsonFragment() throws -> JSONFragment {
        try self?.jsonFragment() ?? .null
    }
}

extension Array: JSONRepresentable, PartConvertible where Element: JSONRepresentable {
    /// Returns the value as JSON.
    public func jsonFragment() throws -> JSONFragment {
        var composer = JSONComposer()
        composer.beginArray()
        for element in self { composer.fragment(try element.jsonFragment()) }
        composer.endArray()
        return composer.fragment()
    }
}

/// Writes the keys sorted, so that equal values give equal bytes.
extension Dictionary: JSONRepresentable, PartConvertible where Key == String, Value: JSONRepresentable {
    /// Returns the value as JSON.
    public func jsonFragment() throws -> JSONFragment {
        var composer = JSONComposer()
        composer.beginObject()
        for (key, value) in sorted(by: { $0.key < $1.key }) {
            composer.key(key)
            composer.fragment(try value.jsonFragment())
        }
        composer.endObject()
        return composer.fragment()
    }
}
