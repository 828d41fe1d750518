/// Decodes one text of a form.
struct FormText: SingleValueDecodingContainer, Decoder {
    let text: String
    let key: any CodingKey

    var codingPath: [any CodingKey] { [key] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let plain = type as? any RequestValue.Type, let value = try read(plain) as? Value { return value }
        return try Value(from: self)
    }

    private func read<Value: RequestValue>(_ type: Value.Type) throws -> Value {
        try GatewayRequest.read(text, as: type) { FormFields.subject(key.stringValue) }
    }

    // A type that asks for one of these conforms to `RequestValue`, except for `Float`.
    func decode(_ type: Float.Type) throws -> Float {
        let value = Float(try read(Double.self))
        guard value.isFinite else {
            throw GatewayError.invalidRequest(
                "\(FormFields.subject(key.stringValue)) must be a decimal number that a Float can hold")
        }
        return value
    }

    func decode(_ type: Bool.Type) throws -> Bool { try read(type) }
    func decode(_ type: String.Type) throws -> String { try read(type) }
    func decode(_ type: Double.Type) throws -> Double { try read(type) }
    func decode(_ type: Int.Type) throws -> Int { try read(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try read(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try read(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try read(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try read(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try read(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try read(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try read(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try read(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try read(type) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw FormDecoder.unsupported
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw FormDecoder.unsupported }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

/// Decodes all values of a field as an array.
struct FormValues: UnkeyedDecodingContainer {
    let texts: [String]
    let key: any CodingKey
    private(set) var currentIndex = 0

    init(texts: [String], key: any CodingKey) {
        self.texts = texts
        self.key = key
    }

    var codingPath: [any CodingKey] { [key] }
    var count: Int? { texts.count }
    var isAtEnd: Bool { currentIndex == texts.count }

    mutating func decodeNil() throws -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next().decode(type)
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next().decode(type) }
    mutating func decode(_ type: String.Type) throws -> String { try next().decode(type) }
    mutating func decode(_ type: Double.Type) throws -> Double { try next().decode(type) }
    mutating func decode(_ type: Float.Type) throws -> Float { try next().decode(type) }
    mutating func decode(_ type: Int.Type) throws -> Int { try next().decode(type) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next().decode(type) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next().decode(type) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next().decode(type) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next().decode(type) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next().decode(type) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next().decode(type) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next().decode(type) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next().decode(type) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next().decode(type) }

    private mutating func next() throws -> FormText {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                String.self,
                DecodingError.Context(codingPath: codingPath, debugDescription: "no value is left"))
        }
        defer { currentIndex += 1 }
        return FormText(text: texts[currentIndex], key: key)
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<
        Key
    > {
        throw FormDecoder.unsupported
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw FormDecoder.unsupported
    }
    mutating func superDecoder() throws -> any Decoder { try next() }
}
