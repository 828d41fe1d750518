internal import EventIO

/// Gathers a response's body that does not come with its head.
struct ResponseBody {
    /// Room made ahead for a promised length; beyond it the body has to arrive first.
    private static var promisedCapacity: Int { 1 << 20 }

    private let limit: Int
    /// `count` bytes of the body, and room for more of it.
    private var bytes: [UInt8] = []
    private(set) var count = 0
    private var expected = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes note of the length that the head promises, which is within the limit.
    mutating func expect(_ length: Int) { expected = length }

    /// Adds a piece; false, and nothing is added, if the body would be beyond the limit.
    mutating func append(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count <= limit - count else { return false }
        makeRoom(for: piece.count)
        bytes.withUnsafeMutableBytes { room in
            UnsafeMutableRawBufferPointer(rebasing: room[count..<count + piece.count]).copyBulk(from: piece)
        }
        count += piece.count
        return true
    }

    /// Has `read` put bytes behind those that are here.
    ///
    /// - Parameters:
    ///   - most: within what was promised.
    ///   - read: fills the room as far as it can, and gives the number of bytes.
    /// - Returns: the number of bytes.
    mutating func fill(atMost most: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        makeRoom(for: 1)
        let end = min(bytes.count, count + most)
        let added = bytes.withUnsafeMutableBytes {
            read(UnsafeMutableRawBufferPointer(rebasing: $0[count..<end]))
        }
        count += added
        return added
    }

    mutating func take() -> ArraySlice<UInt8> {
        expected = 0
        let taken = bytes[..<count]
        bytes = []
        count = 0
        return taken
    }

    private mutating func makeRoom(for more: Int) {
        let needed = count + more
        guard needed > bytes.count else { return }
        // The more has come the more is believed: no more room than it takes, and fewer steps than by doubling.
        let promised = min(expected, count == 0 ? Self.promisedCapacity : 8 * count)
        let size = max(needed, promised, needed > promised && count > 0 ? min(2 * count, limit) : 0)
        bytes = [UInt8](unsafeUninitializedCapacity: size) { room, initialized in
            // What is not filled is written before anybody reads it: `take` gives what was.
            UnsafeMutableRawBufferPointer(room).copyBytes(from: bytes[..<count])
            initialized = size
        }
    }
}
