import FoundationEssentials
public import JSONBytes
import JSONCoding
public import Rx

/// A value that can stand in an answer's `data`.
///
/// An `Encodable` type opts in by declaring the conformance and nothing else:
///
///     struct Weight: Encodable, JSONRepresentable { var kilograms: Double }
///
/// Then a `Single<Weight>`, an `Observable<Weight>` and a `Weight` are parts.
public protocol JSONRepresentable: PartConvertible {
    /// The value as JSON. What it throws is a fault of the gateway's author: `500 INTERNAL`.
    func jsonFragment() throws -> JSONFragment

    /// The part that a single of such values is.
    static func part(of single: consuming Single<Self>) -> Part
}

extension JSONRepresentable {
    public static func part(of single: consuming Single<Self>) -> Part {
        Part(source: single.map { try $0.jsonFragment() })
    }

    public func asPart() -> Part {
        Part(source: PartSource.of { try jsonFragment() })
    }
}

extension JSONRepresentable where Self: Encodable {
    public func jsonFragment() throws -> JSONFragment {
        try JSONFragment(encoding: self)
    }
}

extension JSONFragment: JSONRepresentable {
    public func jsonFragment() -> JSONFragment { self }

    /// As it is: the common case costs no step.
    public static func part(of single: consuming Single<JSONFragment>) -> Part {
        Part(source: single)
    }
}

extension JSONFragment {
    /// Encodes with sorted keys (so that equal values give equal bytes), slashes as they are, and dates by
    /// ISO 8601.
    public init(encoding value: some Encodable) throws {
        self = try JSONFragment.encoder.encode(value)
    }

    private static let encoder: JSONBytesEncoder = {
        var encoder = JSONBytesEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }()
}

extension String: JSONRepresentable {
    public func jsonFragment() -> JSONFragment { JSONFragment(self) }
}
extension Bool: JSONRepresentable {}
extension Int: JSONRepresentable {}
extension Double: JSONRepresentable {}
extension CalendarDate: JSONRepresentable {}

/// `nil` is `null`.
extension Optional: JSONRepresentable, PartConvertible where Wrapped: JSONRepresentable {
    public func jsonFragment() throws -> JSONFragment {
        try self?.jsonFragment() ?? .null
    }
}

extension Array: JSONRepresentable, PartConvertible where Element: JSONRepresentable {
    public func jsonFragment() throws -> JSONFragment {
        var composer = JSONComposer()
        composer.beginArray()
        for element in self { composer.fragment(try element.jsonFragment()) }
        composer.endArray()
        return composer.fragment()
    }
}

/// The keys are sorted, so that equal values give equal bytes.
extension Dictionary: JSONRepresentable, PartConvertible where Key == String, Value: JSONRepresentable {
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
