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
