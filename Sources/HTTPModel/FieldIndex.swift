import ASCIIText

/// Finds a field by its name in the same time, however many fields there are.
///
/// A hash table in the bytes of a `FieldStorage` with `room` entries, after those: the first and the last
/// field of each chain of names with the same hash, then for each field the next one of its chain. All are
/// numbers plus 1; 0 stands for none. A chain is in the order of the fields, so that the fields of one name
/// follow each other, and a field is added at its end. Names with one hash, as an attacker may choose them,
/// make lookups slower, but not additions.
///
/// Sound: the bytes are at least `room` entries and `size(room:)` long, and the numbers of fields are below
/// `room`.
struct FieldIndex {
    private let room: Int

    init(room: Int) {
        self.room = room
    }

    static func size(room: Int) -> Int { room &* 12 }

    func first(_ name: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer) -> Int? {
        number(at: start &+ 4 &* chain(of: name), in: bytes)
    }

    func next(after number: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        self.number(at: placeOfNext(after: number), in: bytes)
    }

    func clear(in bytes: UnsafeMutableRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start &+ Self.size(room: room)])
            .initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// Adds the last field.
    func insert(_ number: Int, name: Range<Int>, in bytes: UnsafeMutableRawBufferPointer) {
        let all = UnsafeRawBufferPointer(bytes)
        let first = start &+ 4 &* chain(of: UnsafeRawBufferPointer(rebasing: all[name]))
        let last = first &+ 4 &* room
        let before = self.number(at: last, in: all).map { placeOfNext(after: $0) } ?? first
        let stored = UInt32(truncatingIfNeeded: number &+ 1)
        bytes.storeBytes(of: 0, toByteOffset: placeOfNext(after: number), as: UInt32.self)
        bytes.storeBytes(of: stored, toByteOffset: before, as: UInt32.self)
        bytes.storeBytes(of: stored, toByteOffset: last, as: UInt32.self)
    }

    private var start: Int { room &* FieldStorage.stride }

    private func placeOfNext(after number: Int) -> Int { start &+ 8 &* room &+ 4 &* number }

    private func number(at offset: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        let stored = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return stored == 0 ? nil : Int(stored) &- 1
    }

    /// Returns the number of the name's chain, below `room`: FNV-1a over the name in lower case, scaled.
    private func chain(of name: UnsafeRawBufferPointer) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name {
            hash = (hash ^ UInt64(ASCII.lowercased(byte))) &* 0x100_0000_01b3
        }
        return Int((hash >> 32 &* UInt64(room)) >> 32)
    }
}
