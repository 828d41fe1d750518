import ASCIIText
@_spi(Lines) @_spi(Reading) import JSONBytes

struct WrittenMember {
    /// The range of the name, with its quotes.
    var start: Int
    var nameEnd: Int
    /// The first eight bytes of the name, big-endian to compare like the name; 0 if it has escapes or is not
    /// ASCII.
    private let prefix: UInt64
    private let isPlain: Bool

    init(start: Int, nameEnd: Int, in text: UnsafeBufferPointer<UInt8>) {
        self.start = start
        self.nameEnd = nameEnd
        let name = UnsafeBufferPointer(rebasing: text[start + 1..<nameEnd - 1])
        let first = ByteReader.prefix(of: name)
        // Most names have up to eight bytes.
        isPlain =
            name.count <= 8
            ? (first | ByteWord.matches(first, Byte.backslash)) & 0x8080_8080_8080_8080 == 0
            : name.allSatisfy { $0 < 0x80 && $0 != Byte.backslash }
        prefix = isPlain ? first.byteSwapped : 0
    }

    /// Returns whether the name sorts before the other one, in the order of Swift's strings.
    func isBelow(_ other: WrittenMember, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard isPlain, other.isPlain else { return name(in: text) < other.name(in: text) }
        if prefix != other.prefix { return prefix < other.prefix }
        return text[start + 1..<nameEnd - 1].lexicographicallyPrecedes(
            text[other.start + 1..<other.nameEnd - 1])
    }

    func hasName(of other: WrittenMember, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        prefix == other.prefix && nameEnd &- start == other.nameEnd &- other.start
            && text[start..<nameEnd].elementsEqual(text[other.start..<other.nameEnd])
    }

    private func name(in text: UnsafeBufferPointer<UInt8>) -> String {
        let bytes = UnsafeBufferPointer(rebasing: text[start + 1..<nameEnd - 1])
        guard let base = bytes.baseAddress else { return "" }
        let reader = ByteReader(base: UnsafeRawPointer(base), count: bytes.count)
        return reader.text(0..<bytes.count, isEscaped: true)
    }
}

/// A value that may be encoded later. Its text is inserted when the container around it ends.
struct DeferredValue {
    let writer: Writer
    let offset: Int
    /// The index of the member; nil in an array.
    let member: Int?
    /// The kind of a nested container; nil for a super encoder.
    let isObject: Bool?
}

extension Writer {
    func deferValue(at key: any CodingKey, isObject: Bool?, isMember: Bool) -> Writer {
        let writer = Writer(inside: self, at: key)
        if let isObject { writer.open(isObject: isObject) }
        deferredValues.append(
            DeferredValue(
                writer: writer, offset: line.length, member: isMember ? members.count - 1 : nil,
                isObject: isObject))
        return writer
    }

    /// Returns the writer of a nested container that is open under a name, so that a type can fill it in
    /// steps; nil if none is open.
    func deferredContainer(named name: String, _ level: Int, isObject: Bool) -> Writer? {
        let frame = frames[level]
        guard let index = members[frame.firstMember...].lastIndex(where: { isNamed($0, name) }) else {
            return nil
        }
        if let value = deferredValues.last(where: { $0.member == index && $0.isObject == isObject }) {
            return value.writer
        }
        misused(
            "A nested container was requested for the key \"\(name)\", which already has another value.")
        return nil
    }

    private func isNamed(_ member: WrittenMember, _ name: String) -> Bool {
        let length = line.length
        defer { line.truncate(to: length) }
        write(text: name)
        return line.bytes[length...].elementsEqual(line.bytes[member.start..<member.nameEnd])
    }

    /// Inserts the texts of deferred values before the innermost container ends.
    func insertDeferredValues(of frame: Frame) {
        let values = deferredValues[frame.firstDeferredValue...]
        guard let first = values.first else { return }
        let tail = [UInt8](line.bytes[first.offset...])
        line.truncate(to: first.offset)
        var copied = 0
        var moved = 0
        var member = frame.firstMember
        for value in values {
            let text = tail[copied..<value.offset - first.offset]
            text.withUnsafeBufferPointer { line.plain($0) }
            copied = value.offset - first.offset
            while member < members.count, members[member].start < value.offset {
                members[member].start += moved
                members[member].nameEnd += moved
                member += 1
            }
            value.writer.finish()
            line.plain(value.writer.line.bytes)
            moved += value.writer.line.length
        }
        tail[copied...].withUnsafeBufferPointer { line.plain($0) }
        for index in member..<members.count {
            members[index].start += moved
            members[index].nameEnd += moved
        }
        deferredValues.removeSubrange(frame.firstDeferredValue...)
    }
}
