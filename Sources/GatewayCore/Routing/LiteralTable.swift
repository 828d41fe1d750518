/// The literal segments of a router, and its literal paths. A hash table, so that one of thousands is found
/// as quickly as one of ten.
struct LiteralTable: Sendable {
    private struct Entry: Sendable {
        let parent: Int32
        let node: Int32
        /// Where its text stands in `bytes`.
        let start: Int32
        let count: Int32
    }

    /// The text of all entries.
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// The index of an entry, or -1. The number of slots is a power of two, and at most half of them have an
    /// entry.
    private var slots: [Int32] = []

    /// Returns the node of a text below another one.
    func node(of text: UnsafeBufferPointer<UInt8>, below parent: Int) -> Int? {
        guard !slots.isEmpty else { return nil }
        var slot = Self.hash(text, parent) & (slots.count - 1)
        while slots[slot] >= 0 {
            let entry = entries[Int(slots[slot])]
            if entry.parent == parent, isText(of: entry, text) { return Int(entry.node) }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Adds a text that is not below the parent yet.
    mutating func add(_ text: [UInt8], below parent: Int, node: Int) {
        entries.append(
            Entry(
                parent: Int32(parent), node: Int32(node), start: Int32(bytes.count), count: Int32(text.count))
        )
        bytes += text
        if slots.count < 2 * entries.count {
            slots = Array(repeating: -1, count: max(16, 2 * slots.count))
            for index in entries.indices { occupy(index) }
        } else {
            occupy(entries.count - 1)
        }
    }

    private mutating func occupy(_ index: Int) {
        let entry = entries[index]
        let text = bytes[Int(entry.start)..<Int(entry.start + entry.count)]
        var slot = text.withUnsafeBufferPointer { Self.hash($0, Int(entry.parent)) } & (slots.count - 1)
        while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Int32(index)
    }

    private func isText(of entry: Entry, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard entry.count == text.count else { return false }
        let start = Int(entry.start)
        return bytes.withUnsafeBufferPointer { bytes in
            for offset in 0..<text.count where bytes[start &+ offset] != text[offset] { return false }
            return true
        }
    }

    /// Reads words instead of bytes. The table has only the texts of the configuration, so a client cannot
    /// make long searches.
    private static func hash(_ text: UnsafeBufferPointer<UInt8>, _ parent: Int) -> Int {
        // 2^64 divided by the golden ratio: a multiplication with it carries each bit into all higher ones.
        let factor: UInt = 0x9E37_79B9_7F4A_7C15
        var hash = UInt(bitPattern: parent &+ text.count) &* factor
        func add(_ word: UInt) { hash = ((hash << 5 | hash >> 59) ^ word) &* factor }
        let raw = UnsafeRawBufferPointer(text)
        var index = 0
        while index &+ 8 <= raw.count {
            add(raw.loadUnaligned(fromByteOffset: index, as: UInt.self))
            index &+= 8
        }
        while index < raw.count {
            add(UInt(raw[index]))
            index &+= 1
        }
        // The highest bits have reached no lower ones yet.
        return Int(((hash ^ hash >> 32) &* factor) >> 32)
    }
}
