internal import EventIO
internal import Resilience

/// Gathers the body of a response that does not arrive in one read.
struct ResponseBody {
    /// The most memory reserved on the strength of Content-Length alone.
    private static var promisedCapacity: Int { 1 << 20 }

    /// Smaller bodies are not charged while they arrive.
    static var chargedSize: Int { BodyMemory.counted }

    enum Shortage {
        /// The body would exceed its limit.
        case limit
        /// The memory for bodies is used up.
        case memory
    }

    private let limit: Int
    private let memory: FairBudget.Share?
    private var charge: FairBudget.Charge?
    /// `count` bytes of the body, then room for more.
    private var bytes: [UInt8] = []
    private(set) var count = 0
    private var expected = 0

    init(limit: Int, memory: FairBudget.Share?) {
        self.limit = limit
        self.memory = memory
    }

    /// Notes the length that the head promises, which is within the limit. Returns false if the memory for it
    /// is full.
    mutating func expect(_ length: Int) -> Bool {
        expected = length
        return charge(length)
    }

    /// Appends a piece. Returns why it cannot; then nothing is appended.
    mutating func append(_ piece: UnsafeRawBufferPointer) -> Shortage? {
        guard piece.count <= limit - count else { return .limit }
        guard makeRoom(for: piece.count) else { return .memory }
        bytes.withUnsafeMutableBytes { room in
            UnsafeMutableRawBufferPointer(rebasing: room[count..<count + piece.count]).copyBulk(from: piece)
        }
        count += piece.count
        return nil
    }

    /// Lets `read` append up to `most` bytes in place, within what was promised. Returns their number; nil,
    /// without a call of `read`, if the memory for them is full.
    mutating func fill(atMost most: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int? {
        guard makeRoom(for: 1) else { return nil }
        let end = min(bytes.count, count + most)
        let added = bytes.withUnsafeMutableBytes {
            read(UnsafeMutableRawBufferPointer(rebasing: $0[count..<end]))
        }
        count += added
        return added
    }

    /// Takes the body, and its charge if it is large.
    mutating func take() -> (body: ArraySlice<UInt8>, charge: FairBudget.Charge?) {
        expected = 0
        let taken = bytes[..<count]
        bytes = []
        count = 0
        return (taken, charge.take())
    }

    /// Charges the memory of a body from 16 KiB on. Returns false if the memory is full.
    private mutating func charge(_ size: Int) -> Bool {
        guard size >= Self.chargedSize, let memory else { return true }
        if let charge { return charge.grow(to: size) }
        charge = memory.charge(size)
        return charge != nil
    }

    private mutating func makeRoom(for more: Int) -> Bool {
        let needed = count + more
        guard needed > bytes.count else { return true }
        // Reserve more at once as more of the promised length arrives. That takes no more room than the body,
        // and fewer steps than doubling.
        let promised = min(expected, count == 0 ? Self.promisedCapacity : 8 * count)
        let size = max(needed, promised, needed > promised && count > 0 ? min(2 * count, limit) : 0)
        guard charge(size) else { return false }
        bytes = [UInt8](unsafeUninitializedCapacity: size) { room, initialized in
            // The rest stays unwritten until it is filled; `take` returns only what was filled.
            UnsafeMutableRawBufferPointer(room).copyBytes(from: bytes[..<count])
            initialized = size
        }
        return true
    }
}
