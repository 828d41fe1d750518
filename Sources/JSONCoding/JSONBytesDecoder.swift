public import FoundationEssentials
public import JSONBytes

/// A JSON decoder like Foundation's `JSONDecoder`, which decodes straight from the bytes. It builds neither a tree nor an index of
/// the document, compares names as bytes, and only skips values that a type does not decode.
///
///     let decoder = JSONBytesDecoder()
///     let chart = try decoder.decode(Chart.self, from: fragment)
///
/// The strategies are Foundation's own, with the same defaults. A document is JSON by RFC 8259 in UTF-8, within `limits`. A leading
/// byte order mark is ignored (section 8.1), and a lone surrogate escape (`"\ud800"`) becomes U+FFFD. The client's documentation
/// ("JSON beside Foundation's") lists the differences from `JSONDecoder` and their reasons; tests check the list over a corpus.
/// Coding paths have the same names and indices as Foundation's, but their keys are not of the model's `CodingKeys` type, except
/// the key of a `keyNotFound` error.
///
/// If a name is repeated in an object, the first member counts, as with Foundation. Lookups in a `JSONFragment` find the last.
public struct JSONBytesDecoder: Sendable {
    /// The format of dates. Default `.deferredToDate`: seconds since 2001.
    public var dateDecodingStrategy = JSONDecoder.DateDecodingStrategy.deferredToDate
    /// The format of `Data`. Default `.base64`.
    public var dataDecodingStrategy = JSONDecoder.DataDecodingStrategy.base64
    /// The strings for infinities and NaN, which JSON has no numbers for. Default `.throw`.
    public var nonConformingFloatDecodingStrategy = JSONDecoder.NonConformingFloatDecodingStrategy.throw
    /// How member names are converted to coding keys. Default `.useDefaultKeys`.
    ///
    /// The keys of a dictionary with `String` keys are not converted.
    public var keyDecodingStrategy = JSONDecoder.KeyDecodingStrategy.useDefaultKeys
    /// The values of `Decoder.userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// The limits on documents that are not validated yet.
    public var limits = JSONLimits.standard

    /// Creates a decoder with the default strategies and limits.
    public init() {}

    /// Decodes a fragment, whose bytes are valid already and are not validated again.
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
    /// - Throws: `DecodingError`, or an error of the type itself. If the bytes are not JSON, it is
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
