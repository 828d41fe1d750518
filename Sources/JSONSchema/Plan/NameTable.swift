import ASCIIText
@_spi(Reading) import JSONBytes

/// The place of a table of names in the slots of a plan: open addressing, at most half full.
///
/// A name is hashed once a member. In each table its hash leads to a slot, where the length and the first
/// eight bytes are compared, and then all bytes.
struct NameTable: Sendable {
    struct Slot: Sendable {
        /// The first and the last eight bytes. Shorter names are padded with zeros, and have no last bytes.
        var prefix: UInt64 = 0
        var suffix: UInt64 = 0
        /// The bits of `prefix` that are of the name.
        var prefixMask: UInt64 = 0
        /// The bit of `number`, if it is below 64; else 0.
        var bit: UInt64 = 0
        /// -1 for an empty slot.
        var length: Int32 = -1
        /// Where the name begins in the names of the plan.
        var offset: Int32 = 0
        /// What holds for the member.
        var node = SchemaPlan.anything
        /// The number of a name whose presence matters; -1 for others.
        var number: Int32 = -1
        /// Whether the name may be compared without a look for escapes: it has at most sixteen bytes,
        /// without a quote or a backslash.
        var canBeGuessed = false
    }

    var start: Int32 = 0
    /// One less than the number of slots, a power of two; -1 for a table without names.
    var mask: Int32 = -1

    @inline(__always) var isEmpty: Bool { mask < 0 }
}

/// The name of a member, hashed.
struct HashedName {
    let reader: ByteReader
    let range: Range<Int>
    let prefix: UInt64
    let hash: UInt64

    @inline(__always)
    init(_ reader: ByteReader, _ range: Range<Int>) {
        self.reader = reader
        self.range = range
        prefix = reader.prefix(of: range)
        var hash = prefix &+ UInt64(truncatingIfNeeded: range.count)
        hash = Self.mixed(hash)
        // Names may have equal first bytes.
        var index = range.lowerBound &+ 8
        while index < range.upperBound {
            hash = Self.mixed(hash ^ reader.prefix(of: index..<min(index &+ 8, range.upperBound)))
            index &+= 8
        }
        self.hash = hash
    }

    @inline(__always)
    private static func mixed(_ word: UInt64) -> UInt64 {
        let product = word &* 0x9E37_79B9_7F4A_7C15
        return product ^ product &>> 32
    }

    /// The last eight bytes of a longer name.
    @inline(__always) var suffix: UInt64 { reader.prefix(of: range.upperBound &- 8..<range.upperBound) }

    @inline(__always) var bytes: UnsafeRawBufferPointer { reader.rawBytes(range) }
}

extension SchemaPlan {
    /// Appends a table of names with their nodes and numbers.
    mutating func makeTable(_ names: [(name: [UInt8], node: NodeID, number: Int32)]) -> NameTable {
        guard !names.isEmpty else { return NameTable() }
        var count = 4
        while count < 2 * names.count { count *= 2 }
        let start = slots.count
        slots.append(contentsOf: repeatElement(NameTable.Slot(), count: count))
        for (name, node, number) in names {
            let offset = nameBytes.count
            nameBytes.append(contentsOf: name)
            let (hash, prefix, suffix) = Self.hash(name)
            var place = Int(truncatingIfNeeded: hash) & (count - 1)
            while slots[start + place].length >= 0 { place = (place + 1) & (count - 1) }
            slots[start + place] = NameTable.Slot(
                prefix: prefix, suffix: suffix,
                prefixMask: name.count < 8 ? 1 << UInt64(8 * name.count) - 1 : .max,
                bit: 0..<64 ~= number ? 1 << UInt64(number) : 0,
                length: Int32(truncatingIfNeeded: name.count), offset: Int32(truncatingIfNeeded: offset),
                node: node, number: number,
                canBeGuessed: name.count <= 16 && !name.contains(Byte.quote) && !name.contains(Byte.backslash)
            )
        }
        return NameTable(
            start: Int32(truncatingIfNeeded: start), mask: Int32(truncatingIfNeeded: count - 1))
    }

    private static func hash(_ name: [UInt8]) -> (hash: UInt64, prefix: UInt64, suffix: UInt64) {
        name.withUnsafeBytes { bytes in
            withUnsafePointer(to: UInt8(0)) { spare in
                let base = bytes.baseAddress ?? UnsafeRawPointer(spare)
                let hashed = HashedName(ByteReader(base: base, count: bytes.count), 0..<bytes.count)
                return (hashed.hash, hashed.prefix, name.count > 8 ? hashed.suffix : 0)
            }
        }
    }
}
