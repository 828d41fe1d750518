internal import EventIO

/// Gathers the body of a response that does not arrive in one read.
struct ResponseBody {
    /// The most memory reserved on the strength of Content-Length alone.
    private static var promisedCapacity: Int { 1 << 20 }

    private let limit: Int
    /// `count` bytes of the body, then room for more.
    private var bytes: [UInt8] = []
    private(set) var count = 0
    private var expected = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Notes the length that the head promises. It is within the limit.
    mutating func expect(_ length: Int) { expected = length }

    /// Appends a piece. Returns false and appends nothing if the body would exceed the limit.
    mutating func append(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count <= limit - count else { return false }
        makeRoom(for: piece.count)
        bytes.withUnsafeMutableBytes { room in
            UnsafeMutableRawBufferPointer(rebasing: room[count..<count + piece.count]).copyBulk(from: piece)
        }
        count += piece.count
        return true
    }

    /// Lets `read` append up to `most` bytes in place, within what was promised. Returns their number.
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
        // Reserve more at once as more of the promised length arrives. That takes no more room than the body, and fewer
        // steps than doubling.
        let promised = min(expected, count == 0 ? Self.promisedCapacity : 8 * count)
        let size = max(needed, promised, needed > promised && count > 0 ? min(2 * count, limit) : 0)
        bytes = [UInt8](unsafeUninitializedCapacity: size) { room, initialized in
            // The rest stays unwritten until it is filled; `take` returns only what was filled.
            UnsafeMutableRawBufferPointer(room).copyBytes(from: bytes[..<count])
            initialized = size
        }
    }
}
