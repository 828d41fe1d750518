@_spi(Reading) import JSONBytes

struct ObjectContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let node: ObjectNode

    var codingPath: [any CodingKey] { node.codingPath }

    /// The names that convert to `Key`, in document order.
    var allKeys: [Key] { node.allNames.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { node.member(key.stringValue, movesOn: false) != nil }

    func decodeNil(forKey key: Key) throws -> Bool {
        guard let found = node.member(key.stringValue, movesOn: false) else { throw missing(key) }
        return decoder(of: found).isNull
    }

    @inline(__always)
    private func decoder(_ key: Key) throws -> ValueDecoder {
        guard let found = node.member(key.stringValue) else { throw missing(key) }
        return decoder(of: found)
    }

    @inline(__always)
    private func present(_ key: Key) -> ValueDecoder? {
        guard let found = node.member(key.stringValue) else { return nil }
        let decoder = decoder(of: found)
        return decoder.isNull ? nil : decoder
    }

    @inline(__always)
    private func decoder(of member: ObjectNode.FoundMember) -> ValueDecoder {
        node.text.begins(member.value, in: node.start)
        return ValueDecoder(node: node, position: member.value, place: member.name)
    }

    @inline(never)
    private func missing(_ key: Key) -> DecodingError {
        .keyNotFound(
            key,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription: "No value associated with key \(key) (\"\(key.stringValue)\")."))
    }

    // MARK: Nested

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { decoder(orNull: PathKey.super) }

    func superDecoder(forKey key: Key) -> any Decoder { decoder(orNull: key) }

    /// Returns a decoder of a member. A missing member decodes as null.
    private func decoder(orNull key: some CodingKey) -> any Decoder {
        if let found = node.member(key.stringValue) { return decoder(of: found) }
        return ValueDecoder(node: node, position: -1, place: node.document.place(ofAbsent: key))
    }

    // MARK: Values

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let decoder = try decoder(key)
        let value = try decoder.value(type)
        node.text.passed(decoder.position, in: node.start)
        return value
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let decoder = present(key) else { return nil }
        let value = try decoder.value(type)
        node.text.passed(decoder.position, in: node.start)
        return value
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(key).bool() }

    func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder(key).string(type) }

    @inline(__always)
    func decode<Value: DecodableFloatingPoint>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder(key).floatingPoint(type)
    }

    @inline(__always)
    func decode<Value: FixedWidthInteger & Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder(key).integer(type)
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try decoder(key).integer(type) }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try decoder(key).integer(type)
    }

    // MARK: Optional values

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key)?.bool() }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try present(key)?.string(type)
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try present(key)?.floatingPoint(type)
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try present(key)?.floatingPoint(type)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(key)?.integer(type) }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try present(key)?.integer(type)
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try present(key)?.integer(type)
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try present(key)?.integer(type)
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try present(key)?.integer(type)
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try present(key)?.integer(type)
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try present(key)?.integer(type)
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try present(key)?.integer(type)
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try present(key)?.integer(type)
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try present(key)?.integer(type)
    }

    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try present(key)?.integer(type)
    }

    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try present(key)?.integer(type)
    }
}
