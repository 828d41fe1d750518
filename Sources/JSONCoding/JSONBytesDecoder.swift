public import FoundationEssentials
public import JSONBytes

/// A JSON decoder like Foundation's `JSONDecoder`. Decodes straight from the bytes, without a tree or an
/// index of the document, compares names as bytes, and skips unused values.
///
///     let decoder = JSONBytesDecoder()
///     let chart = try decoder.decode(Chart.self, from: fragment)
///
/// The strategies are Foundation's, with the same defaults. A document is RFC 8259 JSON in UTF-8, within
/// `limits`. A leading byte order mark is ignored (section 8.1); a lone surrogate escape (`"\ud800"`) becomes
/// U+FFFD. The client's documentation ("JSON beside Foundation's") lists the differences from `JSONDecoder`;
/// tests check the list. Coding paths have Foundation's names and indices, but only the key of a
/// `keyNotFound` error is of the model's `CodingKeys` type.
///
/// The first of repeated names counts, as with Foundation. Lookups in a `JSONFragment` find the last.
public struct JSONBytesDecoder: Sendable {
    /// The format of dates. Default `.deferredToDate`: seconds since 2001.
    public var dateDecodingStrategy = JSONDecoder.DateDecodingStrategy.deferredToDate
    /// The format of `Data`. Default `.base64`.
    public var dataDecodingStrategy = JSONDecoder.DataDecodingStrategy.base64
    /// The strings for infinities and NaN. Default `.throw`.
    public var nonConformingFloatDecodingStrategy = JSONDecoder.NonConformingFloatDecodingStrategy.throw
    /// How member names become coding keys, except in dictionaries with `String` keys. Default
    /// `.useDefaultKeys`.
    public var keyDecodingStrategy = JSONDecoder.KeyDecodingStrategy.useDefaultKeys
    /// What `init(from:)` finds in `decoder.userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// Limits on documents, but not on fragments, which are validated already.
    public var limits = JSONLimits.standard

    /// Creates a decoder with the default strategies.
    public init() {}

    /// Decodes a fragment without validating it again.
    ///
    /// - Throws: `DecodingError`, or an error of the type itself.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from fragment: JSONFragment
    ) throws -> Value {
        let document = fragment.bytes.withUnsafeBytes { Document($0, settings: self) }
        let root = ContainerNode(of: document)
        return try ValueDecoder(node: root, position: 0, place: 0).value()
    }

    /// Validates and decodes a document.
    ///
    /// - Throws: `DecodingError`, or an error of the type. For invalid JSON, it is
    ///   `DecodingError.dataCorrupted` with a `JSONError` as the underlying error.
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

    /// Validates and decodes a document.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from bytes: [UInt8]
    ) throws -> Value {
        try decode(type, from: bytes[...])
    }

    /// Validates and decodes a document.
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
