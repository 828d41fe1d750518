public import FoundationEssentials
public import JSONBytes

/// Makes values of JSON, as Foundation's `JSONDecoder` does, straight from the bytes: no tree and no index of the document is
/// built, members are compared as bytes, and what a type does not ask for is only skipped.
///
///     let decoder = JSONBytesDecoder()
///     let chart = try decoder.decode(Chart.self, from: fragment)
///
/// Strategies are Foundation's own, with the same defaults. Documents are RFC 8259's in UTF-8, inside `limits`; a byte order mark
/// in front is ignored (section 8.1), and half a surrogate pair (`"\ud800"`) is U+FFFD. Where it differs from `JSONDecoder`, and
/// why, is listed in the client's documentation ("JSON beside Foundation's"), and the list is tested over a corpus. The keys of a
/// coding path have the names and numbers that Foundation's have, and are of a type of their own but for the last.
///
/// Of several members with one name it takes the first, as Foundation does; the lookups of `JSONFragment` take the last.
public struct JSONBytesDecoder: Sendable {
    /// What a date looks like. Default `.deferredToDate`: seconds since 2001.
    public var dateDecodingStrategy = JSONDecoder.DateDecodingStrategy.deferredToDate
    /// What `Data` looks like. Default `.base64`.
    public var dataDecodingStrategy = JSONDecoder.DataDecodingStrategy.base64
    /// What stands for the floating-point values that JSON has no number for. Default `.throw`.
    public var nonConformingFloatDecodingStrategy = JSONDecoder.NonConformingFloatDecodingStrategy.throw
    /// What the names of members become before a type is asked for them. Default `.useDefaultKeys`.
    ///
    /// The keys of a dictionary with `String` keys are left as they are.
    public var keyDecodingStrategy = JSONDecoder.KeyDecodingStrategy.useDefaultKeys
    /// What `Decoder.userInfo` has.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// What a document that is not known to be valid may ask of its reader.
    public var limits = JSONLimits.standard

    public init() {}

    /// The value of a fragment, whose bytes are known to be valid and are not looked at twice.
    ///
    /// - Throws: `DecodingError`, or what the type itself throws.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from fragment: JSONFragment
    ) throws -> Value {
        let document = fragment.bytes.withUnsafeBytes { Document($0, settings: self) }
        let root = ContainerNode(of: document)
        return try ValueDecoder(node: root, position: 0, place: 0).value()
    }

    /// - Throws: `DecodingError.dataCorrupted` with the `JSONError` underlying it where the bytes are not JSON.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from bytes: ArraySlice<UInt8>
    ) throws -> Value {
        let fragment: JSONFragment
        do throws(JSONError) {
            fragment = try JSONFragment(validating: bytes, limits: limits)
        } catch {
            throw Self.invalid(error)
        }
        return try decode(type, from: fragment)
    }

    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from bytes: [UInt8]
    ) throws -> Value {
        try decode(type, from: bytes[...])
    }

    public func decode<Value: Decodable>(_ type: Value.Type = Value.self, from data: Data) throws -> Value {
        try decode(type, from: [UInt8](data)[...])
    }

    var hasPlainNames: Bool {
        if case .useDefaultKeys = keyDecodingStrategy { true } else { false }
    }

    private static func invalid(_ error: JSONError) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: [],
                debugDescription: "The given data was not valid JSON: \(error).",
                underlyingError: error))
    }
}
