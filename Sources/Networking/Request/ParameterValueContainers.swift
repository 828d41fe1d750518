// The containers of `ParameterValueEncoder`. Each value is written into its own node.

struct KeyedParameters<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ParameterValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) { encoder.member(key).writeNil() }
    func encode(_ value: Bool, forKey key: Key) { encoder.member(key).write(.flag(value)) }
    func encode(_ value: String, forKey key: Key) { encoder.member(key).write(.text(value)) }
    func encode(_ value: some BinaryFloatingPoint & LosslessStringConvertible & Encodable, forKey key: Key)
        throws
    {
        try encoder.member(key).write(value)
    }
    func encode(_ value: some FixedWidthInteger & Encodable, forKey key: Key) {
        encoder.member(key).write(value)
    }
    func encode(_ value: some Encodable, forKey key: Key) throws { try encoder.member(key).encode(value) }

    // The default implementations would omit nil members, which `nilEncoding` has to see.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: String?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: Int?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.member(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.member(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder.member(ParameterKey(stringValue: "super")) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder.member(key) }
}

struct UnkeyedParameters: UnkeyedEncodingContainer {
    let encoder: ParameterValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.elementCount }

    func encodeNil() { encoder.element().writeNil() }
    func encode(_ value: Bool) { encoder.element().write(.flag(value)) }
    func encode(_ value: String) { encoder.element().write(.text(value)) }
    func encode(_ value: some BinaryFloatingPoint & LosslessStringConvertible & Encodable) throws {
        try encoder.element().write(value)
    }
    func encode(_ value: some FixedWidthInteger & Encodable) { encoder.element().write(value) }
    func encode(_ value: some Encodable) throws { try encoder.element().encode(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.element().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.element().unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder.element() }
}

struct SingleParameter: SingleValueEncodingContainer {
    let encoder: ParameterValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() { encoder.writeNil() }
    func encode(_ value: Bool) { encoder.write(.flag(value)) }
    func encode(_ value: String) { encoder.write(.text(value)) }
    func encode(_ value: some BinaryFloatingPoint & LosslessStringConvertible & Encodable) throws {
        try encoder.write(value)
    }
    func encode(_ value: some FixedWidthInteger & Encodable) { encoder.write(value) }
    func encode(_ value: some Encodable) throws { try encoder.encode(value) }
}
