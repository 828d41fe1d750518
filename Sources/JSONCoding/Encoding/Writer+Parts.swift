import ASCIIText
@_spi(Lines) @_spi(Reading) import JSONBytes

/// A member that was written.
struct WrittenMember {
    /// Of its name's opening quote, and behind the closing one.
    var start: Int
    var nameEnd: Int
    /// The first eight bytes of the name, the first one highest, so that they compare as the names do; 0 where the name has
    /// escapes or is not ASCII.
    private let prefix: UInt64
    private let isPlain: Bool

    init(start: Int, nameEnd: Int, in text: UnsafeBufferPointer<UInt8>) {
        self.start = start
        self.nameEnd = nameEnd
        let name = UnsafeBufferPointer(rebasing: text[start + 1..<nameEnd - 1])
        let first = ByteReader.prefix(of: name)
        // Nearly all names; the others byte by byte.
        isPlain =
            name.count <= 8
            ? (first | ByteWord.matches(first, Byte.backslash)) & 0x8080_8080_8080_8080 == 0
            : name.allSatisfy { $0 < 0x80 && $0 != Byte.backslash }
        prefix = isPlain ? first.byteSwapped : 0
    }

    /// Whether its name is written before `other`'s where names are sorted, as Swift's strings are.
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

/// Text that is put in its place when its container ends.
struct Part {
    let writer: Writer
    /// Where it goes.
    let offset: Int
    /// Of the member whose value it is; nil in an array.
    let member: Int?
    /// Nil of a super encoder.
    let isObject: Bool?
}

extension Writer {
    /// A writer for the value whose place is here.
    func part(at key: any CodingKey, isObject: Bool?, isMember: Bool) -> Writer {
        let writer = Writer(inside: self, at: key)
        if let isObject { writer.open(isObject: isObject) }
        parts.append(
            Part(
                writer: writer, offset: line.length, member: isMember ? members.count - 1 : nil,
                isObject: isObject))
        return writer
    }

    /// The nested container that the innermost object has under a name already: two parts of one type may fill it.
    func part(named name: String, _ level: Int, isObject: Bool) -> Writer? {
        let frame = frames[level]
        guard let index = members[frame.firstMember...].lastIndex(where: { isNamed($0, name) }) else {
            return nil
        }
        if let part = parts.last(where: { $0.member == index && $0.isObject == isObject }) {
            return part.writer
        }
        misused(
            "A nested container was asked for under the key \"\(name)\", which has another value already.")
        return nil
    }

    private func isNamed(_ member: WrittenMember, _ name: String) -> Bool {
        let length = line.length
        defer { line.truncate(to: length) }
        write(text: name)
        return line.bytes[length...].elementsEqual(line.bytes[member.start..<member.nameEnd])
    }

    /// Puts the text of what was filled out of order into the innermost container, which ends.
    func putParts(of frame: Frame) {
        let due = parts[frame.firstPart...]
        guard let first = due.first else { return }
        let tail = [UInt8](line.bytes[first.offset...])
        line.truncate(to: first.offset)
        var copied = 0
        var moved = 0
        var member = frame.firstMember
        for part in due {
            let text = tail[copied..<part.offset - first.offset]
            text.withUnsafeBufferPointer { line.plain($0) }
            copied = part.offset - first.offset
            while member < members.count, members[member].start < part.offset {
                members[member].start += moved
                members[member].nameEnd += moved
                member += 1
            }
            part.writer.finish()
            line.plain(part.writer.line.bytes)
            moved += part.writer.line.length
        }
        tail[copied...].withUnsafeBufferPointer { line.plain($0) }
        for index in member..<members.count {
            members[index].start += moved
            members[index].nameEnd += moved
        }
        parts.removeSubrange(frame.firstPart...)
    }
}
