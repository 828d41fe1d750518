public import FoundationEssentials
@_spi(Lines) public import JSONBytes

/// A JSON encoder like Foundation's `JSONEncoder`. Writes into one growing buffer, without a tree.
///
///     let fragment = try JSONBytesEncoder().encode(chart)
///
/// Strategies and formats are Foundation's, with the same defaults. The client's documentation ("JSON beside
/// Foundation's") lists the differences from `JSONEncoder`. Mainly, without `.sortedKeys` members keep the
/// order in which they are encoded. So equal values give equal bytes, except for types with a random order,
/// like `Dictionary`.
public struct JSONBytesEncoder: Sendable {
    /// The format of the text. Default: no white space, escaped slashes, members in encoding order.
    public var outputFormatting: JSONEncoder.OutputFormatting = []
    /// The format of dates. Default `.deferredToDate`: seconds since 2001.
    public var dateEncodingStrategy = JSONEncoder.DateEncodingStrategy.deferredToDate
    /// The format of `Data`. Default `.base64`.
    public var dataEncodingStrategy = JSONEncoder.DataEncodingStrategy.base64
    /// The strings for infinities and NaN. Default `.throw`.
    public var nonConformingFloatEncodingStrategy = JSONEncoder.NonConformingFloatEncodingStrategy.throw
    /// How coding keys become member names, except in dictionaries with `String` keys. Default
    /// `.useDefaultKeys`.
    public var keyEncodingStrategy = JSONEncoder.KeyEncodingStrategy.useDefaultKeys
    /// What `encode(to:)` finds in `encoder.userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// Whether the members of dictionaries are sorted by name, while all other members keep their order. Then
    /// equal values of types with dictionaries give equal bytes, too. Default false.
    package var sortsDictionaries = false

    /// Creates an encoder with the default strategies.
    public init() {}

    /// - Throws: `EncodingError`, or an error of the type itself.
    public func encode<Value: Encodable>(_ value: Value) throws -> JSONFragment {
        let writer = Writer(self)
        try writer.write(value)
        if let misuse = writer.misuse { throw misuse.error(of: value) }
        guard !writer.isEmpty else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [], debugDescription: "Top-level \(Value.self) did not encode any values."))
        }
        return JSONFragment(valid: writer.bytes[...])
    }
}
