import ASCIIText
import FoundationEssentials
@_spi(Reading) import JSONBytes

/// Its three words fit into an `any Decoder` without an allocation.
struct ValueDecoder {
    let node: ContainerNode
    /// The offset of the first byte; -1 for a missing value, which decodes like `null`.
    let position: Int
    /// See `ContainerNode`.
    let place: Int

    var document: Document {
        @inline(__always) get { node.document }
    }

    var firstByte: UInt8 {
        @inline(__always) get { node.text.reader[position] }
    }

    var isNull: Bool {
        @inline(__always) get { firstByte == Byte.n || position < 0 }
    }

    /// Decodes types with a strategy by the strategy, others by their own `init(from:)`.
    @inline(__always)
    func value<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        if type == Double.self { return same(try floatingPoint(Double.self)) }
        if type == String.self { return same(try string(String.self)) }
        if type == Int.self { return same(try integer(Int.self)) }
        if type == Date.self { return same(try date()) }
        if type == Data.self { return same(try data()) }
        if type == URL.self { return same(try url()) }
        if type == Decimal.self { return same(try decimal()) }
        if !node.text.hasPlainNames, type is any StringKeyedDictionary.Type {
            node.text.setPlainObject(position)
        }
        return try Value(from: self)
    }

    /// The caller has compared `Known` with `Asked`. A cast would compare them again.
    @inline(__always)
    private func same<Known, Asked>(_ value: Known) -> Asked { unsafeBitCast(value, to: Asked.self) }
}

extension ValueDecoder: Decoder {
    var codingPath: [any CodingKey] { node.codingPath(of: place) }

    var userInfo: [CodingUserInfoKey: Any] { document.settings.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(ObjectContainer(node: try object()))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try array()
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func object() throws -> ObjectNode {
        guard firstByte == Byte.openBrace else {
            throw wrongContainer([String: Any].self, "keyed")
        }
        return ObjectNode(inside: node, place: place, start: position)
    }

    func array() throws -> ArrayContainer {
        guard firstByte == Byte.openBracket else {
            throw wrongContainer([Any].self, "unkeyed")
        }
        return ArrayContainer(ArrayNode(inside: node, place: place, start: position))
    }

    private func wrongContainer(_ type: any Any.Type, _ name: String) -> DecodingError {
        isNull
            ? .valueNotFound(
                type, context("Cannot get \(name) decoding container -- found null value instead"))
            : mismatch(type)
    }
}

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try bool() }
    func decode(_ type: String.Type) throws -> String { try string(type) }
    @inline(__always)
    func decode<Value: DecodableFloatingPoint>(_ type: Value.Type) throws -> Value {
        try floatingPoint(type)
    }
    @inline(__always)
    func decode<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) throws -> Value {
        try integer(type)
    }
    func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }
}
