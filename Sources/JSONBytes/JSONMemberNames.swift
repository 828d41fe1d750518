/// The top-level members to capture during validation.
///
/// Keep it in a `static let`. A scan with it allocates nothing.
@_spi(Reading)
public struct JSONMemberNames: Sendable {
    /// The most names.
    public static let capacity = 8

    private let table: Table

    /// A captured member has the index of its name.
    ///
    /// - Precondition: At most eight names, all different.
    public init(_ names: String...) {
        precondition(names.count <= Self.capacity, "at most 8 names")
        precondition(Set(names).count == names.count, "a name is repeated")
        table = Table(names.map { Array($0.utf8) })
    }

    /// Returns the index of the member name at `range` (without its quotes), or -1.
    @inline(__always)
    func index(of range: Range<Int>, escaped: Bool, in reader: ByteReader) -> Int {
        escaped ? table.indexOfEscaped(range, in: reader) : table.index(of: range, in: reader)
    }

    /// A class, so that a scan carries only one pointer.
    private final class Table: Sendable {
        private let names: [[UInt8]]
        /// Length and first eight bytes tell most names apart.
        private let lengths: InlineArray<8, Int>
        private let prefixes: InlineArray<8, UInt64>

        init(_ names: [[UInt8]]) {
            self.names = names
            lengths = InlineArray { $0 < names.count ? names[$0].count : -1 }
            prefixes = InlineArray { index in
                guard index < names.count else { return 0 }
                return ByteReader.read(names[index][...]) { $0.prefix(of: 0..<$0.count) }
            }
        }

        @inline(__always)
        func index(of range: Range<Int>, in reader: ByteReader) -> Int {
            let length = range.upperBound &- range.lowerBound
            let prefix = reader.prefix(of: range)
            for index in 0..<JSONMemberNames.capacity
            where lengths[index] == length && prefixes[index] == prefix {
                if length <= 8 || reader.equals(range, names[index]) { return index }
            }
            return -1
        }

        @inline(never)
        func indexOfEscaped(_ range: Range<Int>, in reader: ByteReader) -> Int {
            var decoded: [UInt8] = []
            EscapedText.append(range, of: reader, to: &decoded)
            return names.firstIndex(of: decoded) ?? -1
        }
    }
}
