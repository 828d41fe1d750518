public import FoundationEssentials
@_spi(Lines) public import JSONBytes

/// Writes values as JSON, as Foundation's `JSONEncoder` does, into one growing run of bytes: no tree is built between.
///
///     let fragment = try JSONBytesEncoder().encode(chart)
///
/// Strategies and formats are Foundation's own, with the same defaults. Where it differs from `JSONEncoder` is listed in the
/// client's documentation ("JSON beside Foundation's"): without `.sortedKeys` members stand in the order they are encoded in, so
/// that equal values give equal bytes but where their own order is random, as a `Dictionary`'s is.
public struct JSONBytesEncoder: Sendable {
    /// Default: nothing between values, slashes escaped, members as they come.
    public var outputFormatting: JSONEncoder.OutputFormatting = []
    /// What a date looks like. Default `.deferredToDate`: seconds since 2001.
    public var dateEncodingStrategy = JSONEncoder.DateEncodingStrategy.deferredToDate
    /// What `Data` looks like. Default `.base64`.
    public var dataEncodingStrategy = JSONEncoder.DataEncodingStrategy.base64
    /// What stands for the floating-point values that JSON has no number for. Default `.throw`.
    public var nonConformingFloatEncodingStrategy = JSONEncoder.NonConformingFloatEncodingStrategy.throw
    /// What a type's keys become before they are written. Default `.useDefaultKeys`.
    ///
    /// The keys of a dictionary with `String` keys are left as they are.
    public var keyEncodingStrategy = JSONEncoder.KeyEncodingStrategy.useDefaultKeys
    /// What `Encoder.userInfo` has.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    public init() {}

    /// The value as JSON.
    ///
    /// - Throws: `EncodingError`, or what the type itself throws.
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
        return JSONFragment(written: writer.bytes[...])
    }
}
