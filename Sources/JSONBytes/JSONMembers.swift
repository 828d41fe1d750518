import ASCIIText

/// The members that a scan has captured, in the order of `JSONMemberNames`.
@_spi(Reading)
public struct JSONMembers: Sendable {
    typealias Ranges = InlineArray<8, Range<Int>>

    /// The whole document.
    public let document: JSONFragment
    /// Relative to `start`.
    private let ranges: Ranges
    private let start: Int

    init(document: JSONFragment, ranges: Ranges, from start: Int) {
        self.document = document
        self.ranges = ranges
        self.start = start
    }

    /// The value of the name at `index` in `JSONMemberNames`; nil if the document has no such member or is
    /// not an object. The last of repeated names counts.
    public subscript(index: Int) -> JSONFragment? {
        let range = ranges[index]
        guard !range.isEmpty else { return nil }
        return JSONFragment(valid: document.bytes[start &+ range.lowerBound..<start &+ range.upperBound])
    }

    /// Returns `self[index]` and consumes the members to avoid a retain.
    package consuming func value(at index: Int) -> JSONFragment? {
        let range = ranges[index]
        guard !range.isEmpty else { return nil }
        let start = start
        let document = (consume self).document
        return JSONFragment(valid: document.bytes[start &+ range.lowerBound..<start &+ range.upperBound])
    }

    /// Returns `self[index]?.intValue`. Creates no fragment for up to nine digits, enough for statuses and
    /// counts.
    package func integer(at index: Int) -> Int? {
        let range = ranges[index]
        guard (1...9).contains(range.count) else { return self[index]?.intValue }
        let offset = start &- document.bytes.startIndex
        let number: Int? = ByteReader.read(document.bytes) { reader in
            var number = 0
            for position in range {
                let digit = reader[offset &+ position]
                guard ASCII.isDigit(digit) else { return nil }
                number = number &* 10 &+ Int(digit &- Byte.zero)
            }
            return number
        }
        return number ?? self[index]?.intValue
    }
}
