/// Names of top-level members to look for while a document is validated. Make it once, keep it in a
/// `static let`: a scan with it allocates nothing.
public struct JSONMemberNames: Sendable {
    /// As many names as a scan can look for.
    public static let capacity = 8

    private let table: Table

    /// Places are given in the order of `names`, from 0 on.
    /// - Precondition: at most eight names, all different.
    public init(_ names: String...) {
        precondition(names.count <= Self.capacity, "at most 8 names")
        precondition(Set(names).count == names.count, "a name twice")
        table = Table(names.map { Array($0.utf8) })
    }

    /// The place among the names of the member name in `range` (without its quotes), or -1.
    @inline(__always)
    func place(of range: Range<Int>, escaped: Bool, in reader: ByteReader) -> Int {
        escaped ? table.placeOfEscaped(range, in: reader) : table.place(of: range, in: reader)
    }

    /// A class, so that a scan carries one pointer.
    private final class Table: Sendable {
        private let names: [[UInt8]]
        /// Length and first eight bytes of each name: enough to tell most members apart.
        private let lengths: InlineArray<8, Int>
        private let prefixes: InlineArray<8, UInt64>

        init(_ names: [[UInt8]]) {
            self.names = names
            lengths = InlineArray { $0 < names.count ? names[$0].count : -1 }
            prefixes = InlineArray { place in
                guard place < names.count else { return 0 }
                return ByteReader.read(names[place][...]) { $0.prefix(of: 0..<$0.count) }
            }
        }

        @inline(__always)
        func place(of range: Range<Int>, in reader: ByteReader) -> Int {
            let length = range.upperBound &- range.lowerBound
            let prefix = reader.prefix(of: range)
            for place in 0..<JSONMemberNames.capacity
            where lengths[place] == length && prefixes[place] == prefix {
                if length <= 8 || reader.equals(range, names[place]) { return place }
            }
            return -1
        }

        @inline(never)
        func placeOfEscaped(_ range: Range<Int>, in reader: ByteReader) -> Int {
            var decoded: [UInt8] = []
            EscapedText.append(range, of: reader, to: &decoded)
            return names.firstIndex(of: decoded) ?? -1
        }
    }
}
