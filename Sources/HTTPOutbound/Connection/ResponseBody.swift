/// Gathers a response's body that does not come with its head.
struct ResponseBody {
    /// Room made ahead for a promised length; beyond it the body has to arrive first.
    private static var promisedCapacity: Int { 1 << 20 }

    private let limit: Int
    private var bytes: [UInt8] = []
    private var expected = 0

    var count: Int { bytes.count }

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes note of the length that the head promises, which is within the limit.
    mutating func expect(_ length: Int) { expected = length }

    /// Adds a piece; false, and nothing is added, if the body would be beyond the limit.
    mutating func append(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count <= limit - bytes.count else { return false }
        if bytes.isEmpty {
            bytes.reserveCapacity(min(expected, Self.promisedCapacity))
        } else if bytes.count + piece.count > Self.promisedCapacity, bytes.capacity < expected {
            // So much has come that the rest is believed: no more room than it takes, and no growing by doubling.
            bytes.reserveCapacity(expected)
        }
        bytes.append(contentsOf: piece)
        return true
    }

    mutating func take() -> ArraySlice<UInt8> {
        expected = 0
        let taken = bytes
        bytes = []
        return taken[...]
    }
}
