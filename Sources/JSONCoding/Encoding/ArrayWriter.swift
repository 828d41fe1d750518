@_spi(Lines) import JSONBytes

/// Its three words fit into an `any UnkeyedEncodingContainer` without an allocation.
struct ArrayWriter: UnkeyedEncodingContainer {
    let writer: Writer
    let level: Int
    let mark: Int

    var codingPath: [any CodingKey] { writer.path }

    var count: Int { writer.isOpen(level, mark) ? writer.frames[level].count : 0 }

    /// Writes the separator. Returns false if the array can no longer be written.
    @inline(__always)
    private func begin() -> Bool {
        guard writer.isOpen(level, mark) else { return false }
        writer.beginElement(level)
        return true
    }

    // MARK: Nested

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        let inner = deferredWriter(isObject: true)
        return KeyedEncodingContainer(
            ObjectWriter<Nested>(writer: inner ?? writer, level: inner == nil ? -1 : 0, mark: 0))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let inner = deferredWriter(isObject: false)
        return ArrayWriter(writer: inner ?? writer, level: inner == nil ? -1 : 0, mark: 0)
    }

    func superEncoder() -> any Encoder {
        guard let inner = deferredWriter(isObject: nil) else {
            return ValueEncoder(writer: writer, level: -1, mark: -1)
        }
        return ValueEncoder(writer: inner, level: 0, mark: 0)
    }

    private func deferredWriter(isObject: Bool?) -> Writer? {
        guard begin() else { return nil }
        return writer.deferValue(
            at: PathKey(writer.frames[level].count - 1), isObject: isObject, isMember: false)
    }

    // MARK: Values

    func encodeNil() {
        if begin() { writer.writeNull() }
    }

    func encode<Value: Encodable>(_ value: Value) throws { try encodeOrRestore(value) }

    /// Encodes a value. An error removes its text again.
    private func encodeOrRestore<Value: Encodable>(_ value: Value) throws {
        guard writer.isOpen(level, mark) else { return }
        let checkpoint = writer.checkpoint(level)
        do {
            guard begin() else { return }
            try writer.write(value, at: PathKey(writer.frames[level].count - 1))
        } catch {
            writer.restore(checkpoint, level)
            throw error
        }
    }

    func encode(_ value: Bool) {
        if begin() { writer.write(value) }
    }

    func encode(_ value: String) {
        if begin() { writer.write(text: value) }
    }

    func encode(_ value: Double) throws {
        guard value.isFinite else { return try encodeOrRestore(value) }
        if begin() { try writer.write(floatingPoint: value) }
    }

    func encode(_ value: Float) throws {
        guard value.isFinite else { return try encodeOrRestore(value) }
        if begin() { try writer.write(floatingPoint: value) }
    }

    @inline(__always)
    func encode<Value: FixedWidthInteger & Encodable>(_ value: Value) {
        if begin() { writer.write(integer: value) }
    }

    func encode(_ value: Int128) {
        if begin() { writer.write(integer: value) }
    }

    func encode(_ value: UInt128) {
        if begin() { writer.write(integer: value) }
    }
}
