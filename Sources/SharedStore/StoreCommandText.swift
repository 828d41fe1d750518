internal import CHiredis

/// The words of a command: its name and its arguments, of any bytes, in one array.
struct StoreWords: Hashable, Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var lengths: [Int] = []

    /// - Parameters:
    ///   - count: about as many words as there will be.
    ///   - byteCount: about as many bytes as they will have.
    init(count: Int, byteCount: Int) {
        lengths.reserveCapacity(count)
        bytes.reserveCapacity(byteCount)
    }

    init(_ words: String...) {
        for word in words { append(word) }
    }

    mutating func append(_ word: String) { append { $0 += word.utf8 } }

    mutating func append(_ word: [UInt8]) { append { $0 += word } }

    /// Appends the bytes that `write` appends as one word.
    mutating func append(_ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        write(&bytes)
        lengths.append(bytes.count - start)
    }
}

/// The bytes of a command, as hiredis formats them.
struct StoreCommandText: ~Copyable {
    /// Allocated by hiredis, freed in `deinit`.
    private var text: UnsafeMutablePointer<CChar>?
    private var count = 0

    init(_ words: StoreWords) {
        let lengths = words.lengths
        var formatted: UnsafeMutablePointer<CChar>?
        var length: Int64 = -1
        withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: lengths.count) { starts in
            words.bytes.withUnsafeBytes { bytes in
                var next = bytes.assumingMemoryBound(to: CChar.self).baseAddress
                for (index, wordLength) in lengths.enumerated() {
                    starts.initializeElement(at: index, to: next)
                    next = next.map { $0 + wordLength }
                }
                length = chiredis_format(
                    &formatted, Int32(lengths.count), starts.baseAddress, lengths)
            }
        }
        text = formatted
        count = max(0, Int(length))
    }

    deinit {
        if text != nil { redisFreeCommand(text) }
    }

    /// Calls `body` with the bytes; with none if the system has no memory.
    borrowing func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        body(UnsafeRawBufferPointer(start: text, count: count))
    }
}
