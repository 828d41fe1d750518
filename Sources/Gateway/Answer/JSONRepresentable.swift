import FoundationEssentials
public import JSONBytes
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
        try self.init(validating: ArraySlice(JSONFragment.encoder.encode(value)))
    }

    /// Never changed after this, which is what makes one encoder safe to share.
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
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
extension Optional: JSONRepresentable, PartConvertible where Wrapped: JSONRepresentable & Encodable {}
extension Array: JSONRepresentable, PartConvertible where Element: JSONRepresentable & Encodable {}
extension Dictionary: JSONRepresentable, PartConvertible
where Key == String, Value: JSONRepresentable & Encodable {}
