/// Decodes a struct from the fields of a form.
struct FormDecoder: Decoder {
    private let fields: FormFields

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ fields: FormFields) {
        self.fields = fields
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(FormKeyedContainer(fields))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.unsupported }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.unsupported }

    static var unsupported: EndpointFault {
        EndpointFault(
            "a form can be decoded only as a flat struct of values, optional values and arrays of them")
    }

    /// Returns the error for a model that refused a field.
    static func complaint(_ error: DecodingError) -> GatewayError {
        let context: DecodingError.Context
        switch error {
        case .keyNotFound(let key, _): return FormFields.missing(key.stringValue, "given")
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found):
            context = found
        @unknown default: return .invalidRequest("The form does not have the expected fields")
        }
        let text = context.debugDescription
        let fault = text.hasPrefix("must ") ? text : "is not valid"
        guard let name = context.codingPath.first?.stringValue else {
            return .invalidRequest("The form \(fault)")
        }
        return .invalidRequest("\(FormFields.subject(name)) \(fault)")
    }
}

private struct FormKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let fields: FormFields

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { fields.names.compactMap { Key(stringValue: $0) } }

    init(_ fields: FormFields) {
        self.fields = fields
    }

    func contains(_ key: Key) -> Bool { !fields.texts(of: key.stringValue).isEmpty }
    func decodeNil(forKey key: Key) -> Bool { !contains(key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        if let plain = type as? any RequestValue.Type, let value = try read(plain, key) as? Value {
            return value
        }
        return try Value(from: FormFieldDecoder(fields: fields, key: key))
    }

    private func read<Value: RequestValue>(_ type: Value.Type, _ key: Key) throws -> any RequestValue {
        try fields.value(key.stringValue, as: type)
    }

    private func text(_ key: Key) throws -> any SingleValueDecodingContainer {
        try FormFieldDecoder(fields: fields, key: key).singleValueContainer()
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try text(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try text(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try text(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try text(key).decode(type) }
    func decode<Value: FixedWidthInteger & Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try text(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw FormDecoder.unsupported }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try FormFieldDecoder(fields: fields, key: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { throw FormDecoder.unsupported }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw FormDecoder.unsupported }
}

/// Decodes the value of one field, or its values as an array.
struct FormFieldDecoder: Decoder {
    let fields: FormFields
    let key: any CodingKey

    var codingPath: [any CodingKey] { [key] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw FormDecoder.unsupported
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        FormValues(texts: fields.texts(of: key.stringValue), key: key)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        guard let text = try fields.onlyText(of: key.stringValue) else {
            throw FormFields.missing(key.stringValue, "given")
        }
        return FormText(text: text, key: key)
    }
}
