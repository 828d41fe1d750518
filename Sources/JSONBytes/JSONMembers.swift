/// Names of top-level members to look for while a document is validated. Make it once, keep it in a
/// `static let`: a scan with it allocates nothing.
public struct JSONMemberNames: Sendable {
    /// As many names as a scan can look for.
    public static let capacity = 8

    public let names: [String]
    private let bytes: [[UInt8]]
    /// Length and first eight bytes of each name: enough to tell most members apart.
    private var lengths = InlineArray<8, Int>(repeating: -1)
    private var prefixes = InlineArray<8, UInt64>(repeating: 0)

    /// - Precondition: at most eight names, all different.
    public init(_ names: String...) {
        precondition(names.count <= Self.capacity, "at most 8 names")
        precondition(Set(names).count == names.count, "a name twice")
        self.names = names
        bytes = names.map { Array($0.utf8) }
        for (place, name) in bytes.enumerated() {
            lengths[place] = name.count
            prefixes[place] = ByteReader.read(name[...]) { $0.prefix(of: 0..<name.count) }
        }
    }

    /// The place among the names of the member name in `range` (without its quotes).
    @inline(__always)
    func index(of range: Range<Int>, escaped: Bool, in reader: ByteReader) -> Int? {
        if escaped { return indexOfEscaped(range, in: reader) }
        let length = range.count
        let prefix = reader.prefix(of: range)
        for place in 0..<Self.capacity where lengths[place] == length && prefixes[place] == prefix {
            if length <= 8 || reader.equals(range, bytes[place]) { return place }
        }
        return nil
    }

    @inline(never)
    private func indexOfEscaped(_ range: Range<Int>, in reader: ByteReader) -> Int? {
        var decoded: [UInt8] = []
        EscapedText.append(range, of: reader, to: &decoded)
        return bytes.firstIndex(of: decoded)
    }
}

extension ByteReader {
    /// The first eight bytes of `range`, the first one lowest, zeros where the range is shorter.
    @inline(__always)
    fileprivate func prefix(of range: Range<Int>) -> UInt64 {
        let length = range.count
        if let word = word(at: range.lowerBound) {
            return length >= 8 ? word : word & ((1 &<< (UInt64(length) &* 8)) &- 1)
        }
        var word: UInt64 = 0
        for offset in 0..<min(length, 8) {
            word |= UInt64(self[range.lowerBound &+ offset]) &<< (UInt64(offset) &* 8)
        }
        return word
    }
}

/// A valid document and those of its top-level members that were asked for.
public struct JSONMembers: Sendable {
    typealias Ranges = InlineArray<8, Range<Int>>

    /// The whole document.
    public let document: JSONFragment
    private let ranges: Ranges

    init(document: JSONFragment, ranges: Ranges) {
        self.document = document
        self.ranges = ranges
    }

    /// The value of the member with the name at `place` among the names asked for; nil where the document is
    /// no object or has no such member. Of several members with one name it is the last, as in JavaScript.
    public subscript(place: Int) -> JSONFragment? {
        let range = ranges[place]
        guard !range.isEmpty else { return nil }
        return JSONFragment(valid: document.bytes[range])
    }
}
