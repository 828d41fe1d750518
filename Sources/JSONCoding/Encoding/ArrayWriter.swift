@_spi(Lines) import JSONBytes

/// An array that is being written.
///
/// Three words, so that an `any UnkeyedEncodingContainer` of it takes no memory of its own.
struct ArrayWriter: UnkeyedEncodingContainer {
    let writer: Writer
    let level: Int
    let start: Int

    var codingPath: [any CodingKey] { writer.path }

    var count: Int { writer.isOpen(level, start) ? writer.frames[level].count : 0 }

    /// Writes what stands before an element; false where no more can be written.
    @inline(__always)
    private func begin() -> Bool {
        guard writer.isOpen(level, start) else { return false }
        writer.beginElement(level)
        return true
    }

    // MARK: Nested

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        let part = part(isObject: true)
        return KeyedEncodingContainer(
            ObjectWriter<Nested>(writer: part ?? writer, level: part == nil ? -1 : 0, start: 0))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let part = part(isObject: false)
        return ArrayWriter(writer: part ?? writer, level: part == nil ? -1 : 0, start: 0)
    }

    func superEncoder() -> any Encoder {
        guard let part = part(isObject: nil) else {
            return ValueEncoder(writer: writer, level: -1, start: -1)
        }
        return ValueEncoder(writer: part, level: 0, start: 0)
    }

    private func part(isObject: Bool?) -> Writer? {
        guard begin() else { return nil }
        return writer.part(at: PathKey(writer.frames[level].count - 1), isObject: isObject, isMember: false)
    }

    // MARK: Values

    func encodeNil() {
        if begin() { writer.writeNull() }
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        guard writer.isOpen(level, start) else { return }
        let mark = writer.mark(level)
        do {
            guard begin() else { return }
            try writer.write(value, at: PathKey(writer.frames[level].count - 1))
        } catch {
            writer.restore(mark, level)
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
        guard value.isFinite else { return try encode(NonFinite(value)) }
        if begin() { try writer.write(floatingPoint: value) }
    }

    func encode(_ value: Float) throws {
        guard value.isFinite else { return try encode(NonFinite(value)) }
        if begin() { try writer.write(floatingPoint: value) }
    }

    func encode(_ value: Int) {
        if begin() { writer.write(integer: value) }
    }

    func encode(_ value: Int8) {
        if begin() { writer.write(integer: value) }
    }

    func encode(_ value: Int16) {
        if begin() { writer.write(integer: value) }
    }

    func encode(_ value: Int32) {
        if begin() { writer.write(integer: value) }
    }

    func encode(_ value: Int64) {
        if begin() { writer.write(integer: value) }
    }

    func encode(_ value: Int128) {
        if begin() { writer.write(integer: value) }
    }

    func encode(_ value: UInt) {
        if begin() { writer.write(integer: value) }
    }

    func encode(_ value: UInt8) {
        if begin() { writer.write(integer: value) }
    }

    func encode(_ value: UInt16) {
        if begin() { writer.write(integer: value) }
    }

    func encode(_ value: UInt32) {
        if begin() { writer.write(integer: value) }
    }

    func encode(_ value: UInt64) {
        if begin() { writer.write(integer: value) }
    }

    func encode(_ value: UInt128) {
        if begin() { writer.write(integer: value) }
    }
}

/// A value that JSON has no number for, on the way of values that may fail.
struct NonFinite<Value: BinaryFloatingPoint & Encodable>: Encodable {
    private let value: Value

    init(_ value: Value) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
