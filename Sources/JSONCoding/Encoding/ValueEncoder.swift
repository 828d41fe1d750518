@_spi(Lines) import JSONBytes

/// A place in the text for one value: what a type is given to encode itself to.
///
/// Three words, so that an `any Encoder` of it takes no memory of its own.
struct ValueEncoder: Encoder {
    let writer: Writer
    /// Containers that are open around the value.
    let level: Int
    /// Where its text begins.
    let start: Int

    var codingPath: [any CodingKey] { writer.path }

    var userInfo: [CodingUserInfoKey: Any] { writer.settings.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(ObjectWriter<Key>(writer: writer, level: open(isObject: true), start: start))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        ArrayWriter(writer: writer, level: open(isObject: false), start: start)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Opens the container, or finds it open: a class and its superclass may share one. Gives its level; -1 where what is written
    /// to it is not to be seen.
    private func open(isObject: Bool) -> Int {
        guard !writer.isFinished, level >= 0 else { return -1 }
        if writer.frames.count == level, writer.line.length == start {
            writer.open(isObject: isObject)
        } else if writer.frames.count <= level || writer.frames[level].start != start
            || writer.frames[level].isObject != isObject
        {
            writer.misused("A container was asked for where another value is encoded already.")
            return -1
        }
        return level
    }

    /// Whether a value can be written here.
    @inline(__always)
    fileprivate var isFree: Bool {
        if writer.frames.count == level, writer.line.length == start, !writer.isFinished { return true }
        if !writer.isFinished { writer.misused("A value was encoded where another one is already.") }
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

    func encode(_ value: Int) {
        if isFree { writer.write(integer: value) }
    }

    func encode(_ value: Int8) {
        if isFree { writer.write(integer: value) }
    }

    func encode(_ value: Int16) {
        if isFree { writer.write(integer: value) }
    }

    func encode(_ value: Int32) {
        if isFree { writer.write(integer: value) }
    }

    func encode(_ value: Int64) {
        if isFree { writer.write(integer: value) }
    }

    func encode(_ value: Int128) {
        if isFree { writer.write(integer: value) }
    }

    func encode(_ value: UInt) {
        if isFree { writer.write(integer: value) }
    }

    func encode(_ value: UInt8) {
        if isFree { writer.write(integer: value) }
    }

    func encode(_ value: UInt16) {
        if isFree { writer.write(integer: value) }
    }

    func encode(_ value: UInt32) {
        if isFree { writer.write(integer: value) }
    }

    func encode(_ value: UInt64) {
        if isFree { writer.write(integer: value) }
    }

    func encode(_ value: UInt128) {
        if isFree { writer.write(integer: value) }
    }
}
