import ASCIIText

extension JSONFragment {
    /// Whether an object in the value, at any level, has two members of one name.
    ///
    /// Readers disagree on which of them counts, so one reader could check what another does not use (RFC
    /// 8725 2.4). Names that Unicode regards as equal count as one name.
    package var hasRepeatedMember: Bool {
        ByteReader.read(bytes) { reader in
            var cursor = ValidCursor(reader)
            var names: [MemberName] = []
            names.reserveCapacity(2 * mostComparedNames)
            return cursor.findsRepeatedMember(&names)
        }
    }
}

/// A member's name, between its quotes.
private struct MemberName {
    let range: Range<Int>
    let isEscaped: Bool
    /// Whether no other bytes can be the same name.
    let isPlain: Bool

    init(_ range: Range<Int>, isEscaped: Bool, in reader: ByteReader) {
        self.range = range
        self.isEscaped = isEscaped
        isPlain = !isEscaped && range.allSatisfy { reader[$0] < 0x80 }
    }

    func text(in reader: ByteReader) -> String { reader.text(range, isEscaped: isEscaped) }

    func equals(_ other: MemberName, in reader: ByteReader) -> Bool {
        guard isPlain, other.isPlain else { return text(in: reader) == other.text(in: reader) }
        return range.count == other.range.count
            && reader.equals(range.lowerBound, other.range.lowerBound, count: range.count)
    }
}

/// Up to this many members, names are compared with each other, which costs less than decoding them all.
private let mostComparedNames = 16

extension ValidCursor {
    /// Moves past a value, unless it finds a repeated member. Returns whether it has found one.
    ///
    /// - Parameter names: the names of the objects around the value. Restored afterwards.
    fileprivate mutating func findsRepeatedMember(_ names: inout [MemberName]) -> Bool {
        let isObject = reader[index] == Byte.openBrace
        guard isObject || reader[index] == Byte.openBracket else {
            skipValue()
            return false
        }
        let outer = names.count
        var decoded: Set<String> = []
        var isWithin = enter()
        while isWithin {
            if isObject {
                let (range, isEscaped) = name()
                let name = MemberName(range, isEscaped: isEscaped, in: reader)
                if names.count - outer < mostComparedNames {
                    for known in outer..<names.count where names[known].equals(name, in: reader) {
                        return true
                    }
                    names.append(name)
                } else {
                    if decoded.isEmpty { decoded = Set(names[outer...].map { $0.text(in: reader) }) }
                    if !decoded.insert(name.text(in: reader)).inserted { return true }
                }
            }
            if findsRepeatedMember(&names) { return true }
            isWithin = next()
        }
        names.removeLast(names.count - outer)
        // The closing bracket.
        index &+= 1
        return false
    }
}
