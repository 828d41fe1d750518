import ASCIIText
@_spi(Reading) import JSONBytes

/// Decodes the elements of an array. A copy advances independently, so a type can look ahead with it.
///
/// Its three words fit into an `any UnkeyedDecodingContainer` without an allocation.
struct ArrayContainer: UnkeyedDecodingContainer {
    let node: ArrayNode
    private(set) var currentIndex = 0
    /// The offset of the next element, or of the closing bracket.
    private var position: Int

    init(_ node: ArrayNode) {
        self.node = node
        position = node.text.significant(node.start &+ 1)
    }

    var codingPath: [any CodingKey] { node.codingPath }

    var count: Int? { node.count }

    var isAtEnd: Bool { node.text.reader[position] == Byte.closeBracket }

    @inline(__always)
    private func element(_ type: any Any.Type) throws -> ValueDecoder {
        guard !isAtEnd else { throw ended(type) }
        return ValueDecoder(node: node, position: position, place: currentIndex)
    }

    @inline(__always)
    private mutating func advance() {
        let text = node.text
        text.passed(position, in: node.start)
        position = text.significant(text.end(of: position))
        if text.reader[position] == Byte.comma { position = text.significant(position &+ 1) }
        currentIndex &+= 1
    }

    @inline(never)
    private func ended(_ type: any Any.Type) -> DecodingError {
        .valueNotFound(
            type,
            DecodingError.Context(
                codingPath: codingPath + [PathKey(currentIndex)],
                debugDescription: "Unkeyed container is at end."))
    }

    // MARK: Nested

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws
        -> KeyedDecodingContainer<Nested>
    {
        let container = try element(KeyedDecodingContainer<Nested>.self).container(keyedBy: type)
        advance()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try element((any UnkeyedDecodingContainer).self).unkeyedContainer()
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try element((any Decoder).self)
        advance()
        return decoder
    }

    // MARK: Values

    mutating func decodeNil() throws -> Bool {
        guard try element(Never.self).isNull else { return false }
        advance()
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try element(type).value(type)
        advance()
        return value
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool {
        let value = try element(type).bool()
        advance()
        return value
    }

    mutating func decode(_ type: String.Type) throws -> String {
        let value = try element(type).string(type)
        advance()
        return value
    }

    @inline(__always)
    mutating func decode<Value: DecodableFloatingPoint>(_ type: Value.Type) throws -> Value {
        let value = try element(type).floatingPoint(type)
        advance()
        return value
    }

    @inline(__always)
    mutating func decode<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) throws -> Value {
        let value = try element(type).integer(type)
        advance()
        return value
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        let value = try element(type).integer(type)
        advance()
        return value
    }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        let value = try element(type).integer(type)
        advance()
        return value
    }
}
