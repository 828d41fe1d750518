/// Gathers a response's body out of the scratch buffer: one copy, and in the usual case one allocation.
struct ResponseBody {
    /// Room made ahead for a promised length; beyond it the body has to arrive first.
    private static var promisedCapacity: Int { 1 << 20 }

    private let limit: Int
    private var bytes: [UInt8] = []
    private var whole: ArraySlice<UInt8>?
    private var expected = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes note of the length that the head promises; false if that is beyond the limit.
    mutating func expect(_ length: Int) -> Bool {
        guard length <= limit else { return false }
        expected = length
        return true
    }

    /// Whether a piece of that length is all of the promised length.
    func awaits(_ length: Int) -> Bool { length == expected && bytes.isEmpty }

    /// Takes a body that stands somewhere already.
    mutating func set(_ whole: ArraySlice<UInt8>) {
        self.whole = whole
    }

    /// Adds a piece; false, and nothing is added, if the body would be beyond the limit.
    mutating func append(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count <= limit - bytes.count else { return false }
        // Most come in one piece with their head.
        if bytes.isEmpty, piece.count >= expected {
            bytes = [UInt8](piece)
            return true
        }
        if bytes.isEmpty { bytes.reserveCapacity(min(expected, Self.promisedCapacity)) }
        bytes.append(contentsOf: piece)
        return true
    }

    mutating func take() -> ArraySlice<UInt8> {
        expected = 0
        if let whole = whole.take() { return whole }
        let taken = bytes
        bytes = []
        return taken[...]
    }
}
