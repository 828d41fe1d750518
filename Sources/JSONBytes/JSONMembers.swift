import ASCIIText

/// A valid document and those of its top-level members that were asked for.
public struct JSONMembers: Sendable {
    typealias Ranges = InlineArray<8, Range<Int>>

    /// The whole document.
    public let document: JSONFragment
    /// Counted from `start` on.
    private let ranges: Ranges
    private let start: Int

    init(document: JSONFragment, ranges: Ranges, from start: Int) {
        self.document = document
        self.ranges = ranges
        self.start = start
    }

    /// The value of the member with the name at `place` among the names asked for; nil where the document is
    /// no object or has no such member. Of several members with one name it is the last, as in JavaScript.
    public subscript(place: Int) -> JSONFragment? {
        let range = ranges[place]
        guard !range.isEmpty else { return nil }
        return JSONFragment(valid: document.bytes[start &+ range.lowerBound..<start &+ range.upperBound])
    }

    /// `self[place]` of members that nobody asks for anything else: nothing of them is copied.
    package consuming func value(at place: Int) -> JSONFragment? {
        let range = ranges[place]
        guard !range.isEmpty else { return nil }
        let start = start
        let document = (consume self).document
        return JSONFragment(valid: document.bytes[start &+ range.lowerBound..<start &+ range.upperBound])
    }

    /// The member as a whole number: `self[place]?.intValue`, and for the short ones that statuses and counts are without a
    /// fragment being made.
    package func integer(at place: Int) -> Int? {
        let range = ranges[place]
        guard (1...9).contains(range.count) else { return self[place]?.intValue }
        let offset = start &- document.bytes.startIndex
        let number: Int? = ByteReader.read(document.bytes) { reader in
            var number = 0
            for index in range {
                let digit = reader[offset &+ index]
                guard ASCII.isDigit(digit) else { return nil }
                number = number &* 10 &+ Int(digit &- Byte.zero)
            }
            return number
        }
        return number ?? self[place]?.intValue
    }
}
