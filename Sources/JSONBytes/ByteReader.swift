// With `TextBuffer` the only file of this module with unsafe code: everything else reads bytes through `ByteReader`.

/// Bytes that live as long as the call that lends them. Every access is bounds-checked: reading at or
/// beyond the end gives 0, which JSON allows nowhere, so the end needs no case of its own in a scanner.
struct ByteReader {
    private let base: UnsafeRawPointer
    let count: Int

    /// Lends the bytes of `slice` to `body`; the reader's index 0 is the slice's first byte.
    @inline(__always)
    static func read<Result, Failure: Error>(
        _ slice: ArraySlice<UInt8>, _ body: (ByteReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try slice.withUnsafeBufferPointer { (buffer) throws(Failure) -> Result in
            guard let start = buffer.baseAddress else { return try ByteReader.readNothing(body) }
            return try body(ByteReader(base: UnsafeRawPointer(start), count: buffer.count))
        }
    }

    private static func readNothing<Result, Failure: Error>(
        _ body: (ByteReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var zero: UInt8 = 0
        return try withUnsafePointer(to: &zero) { (pointer) throws(Failure) -> Result in
            try body(ByteReader(base: UnsafeRawPointer(pointer), count: 0))
        }
    }

    @inline(__always)
    private init(base: UnsafeRawPointer, count: Int) {
        self.base = base
        self.count = count
    }

    /// The byte at `index`, or 0 outside the bytes.
    @inline(__always)
    subscript(index: Int) -> UInt8 {
        guard UInt(bitPattern: index) < UInt(bitPattern: count) else { return 0 }
        return base.load(fromByteOffset: index, as: UInt8.self)
    }

    /// The eight bytes from `index` on, the first one lowest; nil where fewer than eight are left.
    @inline(__always)
    func word(at index: Int) -> UInt64? {
        guard index >= 0, index &+ 8 <= count else { return nil }
        return UInt64(littleEndian: base.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// Whether the bytes of `range` are exactly `other`.
    @inline(__always)
    func equals(_ range: Range<Int>, _ other: some Collection<UInt8>) -> Bool {
        guard range.count == other.count else { return false }
        var index = range.lowerBound
        for byte in other {
            guard self[index] == byte else { return false }
            index &+= 1
        }
        return true
    }
}
