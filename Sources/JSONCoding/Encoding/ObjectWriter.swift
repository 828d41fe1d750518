@_spi(Lines) import JSONBytes

struct ObjectWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: Writer
    let level: Int
    let mark: Int

    var codingPath: [any CodingKey] { writer.path }

    /// Writes the name of a member. Returns false if the object can no longer be written.
    @inline(__always)
    private func begin(_ key: some CodingKey) -> Bool {
        guard writer.isOpen(level, mark) else { return false }
        writer.beginMember(writer.name(of: key, level), level)
        return true
    }

    // MARK: Nested

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key)
        -> KeyedEncodingContainer<Nested>
    {
        let inner = nested(key, isObject: true)
        return KeyedEncodingContainer(
            ObjectWriter<Nested>(writer: inner ?? writer, level: inner == nil ? -1 : 0, mark: 0))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let inner = nested(key, isObject: false)
        return ArrayWriter(writer: inner ?? writer, level: inner == nil ? -1 : 0, mark: 0)
    }

    private func nested(_ key: Key, isObject: Bool) -> Writer? {
        guard writer.isOpen(level, mark) else { return nil }
        if let inner = writer.deferredContainer(named: writer.name(of: key, level), level, isObject: isObject)
        {
            return inner
        }
        return begin(key) ? writer.deferValue(at: key, isObject: isObject, isMember: true) : nil
    }

    func superEncoder() -> any Encoder { encoder(PathKey.super) }

    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

    private func encoder(_ key: some CodingKey) -> any Encoder {
        guard begin(key) else { return ValueEncoder(writer: writer, level: -1, mark: -1) }
        return ValueEncoder(
            writer: writer.deferValue(at: key, isObject: nil, isMember: true), level: 0, mark: 0)
    }

    // MARK: Values

    func encodeNil(forKey key: Key) {
        if begin(key) { writer.writeNull() }
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try encodeOrRestore(value, forKey: key)
    }

    /// Encodes a value. An error removes its text again.
    private func encodeOrRestore<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        guard writer.isOpen(level, mark) else { return }
        let checkpoint = writer.checkpoint(level)
        do {
            guard begin(key) else { return }
            try writer.write(value, at: key)
        } catch {
            writer.restore(checkpoint, level)
            throw error
        }
    }

    func encode(_ value: Bool, forKey key: Key) {
        if begin(key) { writer.write(value) }
    }

    func encode(_ value: String, forKey key: Key) {
        if begin(key) { writer.write(text: value) }
    }

    func encode(_ value: Double, forKey key: Key) throws {
        guard value.isFinite else { return try encodeOrRestore(value, forKey: key) }
        if begin(key) { try writer.write(floatingPoint: value) }
    }

    func encode(_ value: Float, forKey key: Key) throws {
        guard value.isFinite else { return try encodeOrRestore(value, forKey: key) }
        if begin(key) { try writer.write(floatingPoint: value) }
    }

    @inline(__always)
    func encode<Value: FixedWidthInteger & Encodable>(_ value: Value, forKey key: Key) {
        if begin(key) { writer.write(integer: value) }
    }

    func encode(_ value: Int128, forKey key: Key) {
        if begin(key) { writer.write(integer: value) }
    }

    func encode(_ value: UInt128, forKey key: Key) {
        if begin(key) { writer.write(integer: value) }
    }
}
