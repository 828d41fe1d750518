internal import EventIO

/// Bytes that have arrived and that the connection may not parse yet.
struct PendingInput {
    private var bytes: [UInt8] = []
    private var start = 0

    var isEmpty: Bool { start == bytes.count }
    var count: Int { bytes.count - start }
    /// The bytes in memory: also those that were used.
    var residentCount: Int { bytes.count }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        let count = bytes.count + more.count
        if count > bytes.capacity { bytes.reserveCapacity(BlockSize.capacity(for: count)) }
        bytes.append(contentsOf: more)
    }

    /// Passes the bytes to `body`, which returns how many it used.
    func read(_ body: (UnsafeRawBufferPointer) -> Int) -> Int {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    mutating func drop(_ used: Int) {
        start = min(start + used, bytes.count)
        if start == bytes.count { removeAll() }
    }

    mutating func removeAll() {
        bytes = []
        start = 0
    }
}
