@_spi(Reading) import JSONBytes

/// The place of a table of names in the slots of a plan: open addressing, at most half full.
///
/// A name is hashed once a member. In each table its hash leads to a slot, where the length and the first
/// eight bytes are compared, and then all bytes.
struct NameTable: Sendable {
    struct Slot: Sendable {
        var prefix: UInt64 = 0
        /// -1 for an empty slot.
        var length: Int32 = -1
        /// Where the name begins in the names of the plan.
        var offset: Int32 = 0
        /// What holds for the member.
        var node = SchemaPlan.anything
        /// The number of a name whose presence matters; -1 for others.
        var number: Int32 = -1
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
            let (hash, prefix) = Self.hash(name)
            var place = Int(truncatingIfNeeded: hash) & (count - 1)
            while slots[start + place].length >= 0 { place = (place + 1) & (count - 1) }
            slots[start + place] = NameTable.Slot(
                prefix: prefix, length: Int32(truncatingIfNeeded: name.count),
                offset: Int32(truncatingIfNeeded: offset), node: node, number: number)
        }
        return NameTable(
            start: Int32(truncatingIfNeeded: start), mask: Int32(truncatingIfNeeded: count - 1))
    }

    private static func hash(_ name: [UInt8]) -> (hash: UInt64, prefix: UInt64) {
        name.withUnsafeBytes { bytes in
            withUnsafePointer(to: UInt8(0)) { spare in
                let base = bytes.baseAddress ?? UnsafeRawPointer(spare)
                let hashed = HashedName(ByteReader(base: base, count: bytes.count), 0..<bytes.count)
                return (hashed.hash, hashed.prefix)
            }
        }
    }
}
