import ASCIIText
@_spi(Reading) import JSONBytes

/// An object. Reads members only as far as a lookup needs. Most types look them up in the document's order,
/// which takes one comparison each.
final class ObjectNode: ContainerNode {
    /// A member whose name has no escapes.
    private struct Member {
        var name = 0
        var length = 0
        /// The first eight bytes of the name, padded with zeros.
        var prefix: UInt64 = 0
        var value = 0
    }

    struct FoundMember {
        let name: Int
        let value: Int
    }

    /// Members beyond the inline capacity, and the names if lookups are by text.
    private final class Index {
        var overflow: [Member] = []
        var names: [String] = []
        var places: [ExactName: Int] = [:]
        var isByText = false
    }

    private static let inlineCapacity = 8
    /// Lookups are by text if an object has more members, or escaped or converted names.
    private static let longest = 16

    private var first = InlineArray<8, Member>(repeating: Member())
    private var count = 0
    /// The offset of the last value read, or -1. The text after it is unread.
    private var last = -1
    /// The offset of the next name if `last` is -1.
    private var next: Int
    private var isWhole = false
    /// The probable index of the next lookup.
    private var expected = 0
    private var index: Index?
    private let strategy: KeyStrategy

    override init(inside parent: ContainerNode, place: Int, start: Int) {
        next = start &+ 1
        let isPlain = parent.text.hasPlainNames || parent.text.takePlainObject(start)
        strategy = isPlain ? .plain : KeyStrategy(parent.document.settings.keyDecodingStrategy)
        super.init(inside: parent, place: place, start: start)
        next = text.significant(next)
        isWhole = text.reader[next] == Byte.closeBrace
        if case .plain = strategy { return }
        readByText()
    }

    /// Returns the first member with this name. `movesOn` expects the next lookup to be for the member after
    /// it.
    @inline(__always)
    func member(_ key: String, movesOn: Bool = true) -> FoundMember? {
        if index == nil, let found = key.utf8.withContiguousStorageIfAvailable({ member($0, movesOn) }) {
            if found != nil || index == nil { return found }
        }
        return rareMember(key, movesOn)
    }

    /// Looks up a name in an object with an index, which the fast lookup may just have created.
    @inline(never)
    private func rareMember(_ key: String, _ movesOn: Bool) -> FoundMember? {
        if !isByText {
            var key = key
            if let found = key.withUTF8({ member($0, movesOn) }) { return found }
        }
        return isByText ? memberByText(key, movesOn) : nil
    }

    private var isByText: Bool { index?.isByText ?? false }

    private func member(_ key: UnsafeBufferPointer<UInt8>, _ movesOn: Bool) -> FoundMember? {
        guard expected < count || read() else {
            return isByText ? nil : search(key, from: 0, to: count, movesOn)
        }
        let prefix = ByteReader.prefix(of: key)
        if isMember(expected, key, prefix) { return found(expected, movesOn) }
        return search(key, from: 0, to: count, movesOn) ?? searchFurther(key, movesOn)
    }

    @inline(__always)
    private func found(_ index: Int, _ movesOn: Bool) -> FoundMember {
        expected = movesOn ? index &+ 1 : index
        let member = self[index]
        return FoundMember(name: member.name, value: member.value)
    }

    @inline(never)
    private func search(_ key: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int, _ movesOn: Bool)
        -> FoundMember?
    {
        let prefix = ByteReader.prefix(of: key)
        for index in start..<end where isMember(index, key, prefix) { return found(index, movesOn) }
        return nil
    }

    /// Searches the unread members. Also returns nil at an escaped name.
    @inline(never)
    private func searchFurther(_ key: UnsafeBufferPointer<UInt8>, _ movesOn: Bool) -> FoundMember? {
        let prefix = ByteReader.prefix(of: key)
        while read() {
            if isMember(count &- 1, key, prefix) { return found(count &- 1, movesOn) }
        }
        return nil
    }

    @inline(__always)
    private func isMember(_ index: Int, _ key: UnsafeBufferPointer<UInt8>, _ prefix: UInt64) -> Bool {
        let member = self[index]
        guard member.length == key.count, member.prefix == prefix else { return false }
        return member.length <= 8
            || text.reader.equals(member.name..<member.name &+ member.length, key)
    }

    private subscript(index: Int) -> Member {
        @inline(__always) get {
            index < Self.inlineCapacity ? first[index] : other(index &- Self.inlineCapacity)
        }
    }

    @inline(never)
    private func other(_ place: Int) -> Member { index?.overflow[place] ?? Member() }

    @inline(__always)
    private func append(_ member: Member) {
        if count < Self.inlineCapacity { first[count] = member } else { appendOther(member) }
        count &+= 1
    }

    @inline(never)
    private func appendOther(_ member: Member) {
        let index = index ?? Index()
        index.overflow.append(member)
        self.index = index
    }

    // MARK: Reading

    /// Reads the next member with a new name. Returns false at the end, or once lookups are by text.
    private func read() -> Bool {
        while advance() {
            let start = next &+ 1
            guard let end = text.reader.closingQuoteAndColon(at: start) ?? plainEnd(from: start),
                count < Self.longest
            else {
                readByText()
                return false
            }
            let colon = text.significant(end &+ 1)
            let member = Member(
                name: start, length: end &- start, prefix: text.reader.prefix(of: start..<end),
                value: text.significant(colon &+ 1))
            last = member.value
            guard isNew(member) else { continue }
            append(member)
            return true
        }
        return false
    }

    @inline(__always)
    private func advance() -> Bool {
        if last >= 0 {
            let end = text.significant(text.end(of: last))
            last = -1
            isWhole = text.reader[end] != Byte.comma
            if !isWhole { next = text.significant(end &+ 1) }
        }
        return !isWhole
    }

    /// Returns the offset of the closing quote; nil if the string has escapes.
    private func plainEnd(from start: Int) -> Int? {
        var cursor = ValidCursor(text.reader, at: start &- 1)
        return cursor.skipString() ? nil : cursor.index &- 1
    }

    @inline(__always)
    private func isNew(_ member: Member) -> Bool {
        for index in 0..<count {
            let other = self[index]
            guard other.prefix == member.prefix, other.length == member.length else { continue }
            if member.length <= 8 || text.reader.equals(member.name, other.name, count: member.length) {
                return false
            }
        }
        return true
    }

    // MARK: By text

    /// Reads all remaining members and switches to lookups by text.
    @inline(never)
    private func readByText() {
        let index = index ?? Index()
        index.isByText = true
        self.index = index
        let path = strategy.needsPath ? codingPath : []
        for place in 0..<count {
            let member = self[place]
            let name = text.reader.string(member.name..<member.name &+ member.length)
            index.names.append(name)
            index.places[ExactName(text: name)] = place
        }
        while advance() {
            let start = next &+ 1
            var cursor = ValidCursor(text.reader, at: next)
            let isEscaped = cursor.skipString()
            let end = cursor.index &- 1
            let colon = text.significant(end &+ 1)
            last = text.significant(colon &+ 1)
            let name = strategy.name(of: text.reader.text(start..<end, isEscaped: isEscaped), path)
            let exact = ExactName(text: name)
            guard index.places[exact] == nil else { continue }
            index.places[exact] = count
            index.names.append(name)
            append(Member(name: start, length: end &- start, value: last))
        }
    }

    @inline(never)
    private func memberByText(_ key: String, _ movesOn: Bool) -> FoundMember? {
        guard let index else { return nil }
        if expected < count, index.names[expected].utf8.elementsEqual(key.utf8) {
            return found(expected, movesOn)
        }
        return index.places[ExactName(text: key)].map { found($0, movesOn) }
    }

    var allNames: [String] {
        while !isByText, read() {}
        if let index, index.isByText { return index.names }
        return (0..<count).map { text.reader.string(self[$0].name..<self[$0].name &+ self[$0].length) }
    }

    override func key(at place: Int, _ path: [any CodingKey]) -> (any CodingKey)? {
        var cursor = ValidCursor(text.reader, at: place &- 1)
        let isEscaped = cursor.skipString()
        let raw = text.reader.text(place..<cursor.index &- 1, isEscaped: isEscaped)
        return PathKey(strategy.name(of: raw, path))
    }
}

/// A name compared by its bytes. Swift strings are also equal if they are canonically equivalent, like two
/// spellings of an accented letter.
private struct ExactName: Hashable {
    let text: String

    static func == (left: ExactName, right: ExactName) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
