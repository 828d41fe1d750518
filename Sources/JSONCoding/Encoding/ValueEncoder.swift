@_spi(Lines) import JSONBytes

/// Its three words fit into an `any Encoder` without an allocation.
struct ValueEncoder: Encoder {
    let writer: Writer
    /// The number of open containers around the value.
    let level: Int
    /// Identifies the place of the value in the text.
    let mark: Int

    var codingPath: [any CodingKey] { writer.path }

    var userInfo: [CodingUserInfoKey: Any] { writer.settings.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if writer.settings.sortsDictionaries, writer.mark == mark,
            ObjectIdentifier(type) == DictionaryKey.type
        {
            writer.nextObjectIsSorted()
        }
        return KeyedEncodingContainer(
            ObjectWriter<Key>(writer: writer, level: open(isObject: true), mark: mark))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        ArrayWriter(writer: writer, level: open(isObject: false), mark: mark)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Opens a container, or finds it open: a class and its superclass may share one. Returns its level,
    /// or -1 to drop what is encoded to it.
    private func open(isObject: Bool) -> Int {
        guard !writer.isFinished, level >= 0 else { return -1 }
        if writer.frames.count == level, writer.mark == mark {
            writer.open(isObject: isObject)
        } else if writer.frames.count <= level || writer.frames[level].mark != mark
            || writer.frames[level].isObject != isObject
        {
            writer.misused("A container was requested where another value is already encoded.")
            return -1
        }
        return level
    }

    /// Whether a value can be written here. If not, records a misuse.
    @inline(__always)
    fileprivate var isFree: Bool {
        if writer.frames.count == level, writer.mark == mark { return true }
        if !writer.isFinished { writer.misused("A value was encoded where there already is one.") }
        return false
    }
}

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() {
        if isFree { writer.writeNull() }
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        if isFree { try writer.write(value) }
    }

    func encode(_ value: Bool) {
        if isFree { writer.write(value) }
    }

    func encode(_ value: String) {
        if isFree { writer.write(text: value) }
    }

    func encode(_ value: Double) throws {
        if isFree { try writer.write(floatingPoint: value) }
    }

    func encode(_ value: Float) throws {
        if isFree { try writer.write(floatingPoint: value) }
    }

    @inline(__always)
    func encode<Value: FixedWidthInteger & Encodable>(_ value: Value) {
        if isFree { writer.write(integer: value) }
    }

    func encode(_ value: Int128) {
        if isFree { writer.write(integer: value) }
    }

    func encode(_ value: UInt128) {
        if isFree { writer.write(integer: value) }
    }
}
