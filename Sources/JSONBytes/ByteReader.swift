public import ASCIIText

// All unsafe code of this module is in this file, `JSONLine` and `JSONText`.

/// Borrowed bytes with bounds-checked access.
///
/// An index out of bounds reads as 0. JSON allows that byte nowhere, so scanners need no separate check for
/// the end.
@_spi(Reading)
public struct ByteReader {
    @usableFromInline let base: UnsafeRawPointer
    /// The number of bytes.
    public let count: Int
    /// The first indices with fewer than eight and fewer than sixteen bytes left.
    @usableFromInline let wordEnd: UInt
    @usableFromInline let vectorEnd: UInt

    /// Calls `body` with a reader of `slice`. Index 0 is the first byte of the slice.
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

    /// - Precondition: The memory stays valid while the reader is in use.
    @inlinable
    @inline(__always)
    public init(base: UnsafeRawPointer, count: Int) {
        self.base = base
        self.count = count
        wordEnd = UInt(bitPattern: max(count &- 7, 0))
        vectorEnd = UInt(bitPattern: max(count &- 15, 0))
    }

    /// The byte at an index; 0 out of bounds.
    @inlinable
    @inline(__always)
    public subscript(index: Int) -> UInt8 {
        guard UInt(bitPattern: index) < UInt(bitPattern: count) else { return 0 }
        return base.load(fromByteOffset: index, as: UInt8.self)
    }

    /// Returns the eight bytes from `index` on as a little-endian word; nil if fewer than eight are left.
    @inlinable
    @inline(__always)
    public func word(at index: Int) -> UInt64? {
        guard UInt(bitPattern: index) < wordEnd else { return nil }
        return UInt64(littleEndian: base.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// Returns the index of the first quote, backslash, control byte or byte above ASCII.
    ///
    /// Looks at sixteen bytes. Returns the index after them if all are plain text, and nil if fewer are left.
    @inlinable
    @inline(__always)
    public func stringStop(at index: Int) -> Int? {
        guard UInt(bitPattern: index) < vectorEnd else { return nil }
        return index &+ firstStringStop(from: index)
    }

    /// Returns the index of the closing quote if at most fifteen bytes of plain text come before it. Returns
    /// nil for other strings, and if fewer than sixteen bytes are left.
    @inlinable
    @inline(__always)
    public func closingQuote(at index: Int) -> Int? {
        guard UInt(bitPattern: index) < vectorEnd else { return nil }
        let stop = firstStringStop(from: index)
        guard stop < 16 else { return nil }
        let end = index &+ stop
        return base.load(fromByteOffset: end, as: UInt8.self) == Byte.quote ? end : nil
    }

    /// Like `closingQuote(at:)`, but also requires a colon after the quote, and seventeen bytes.
    @inlinable
    @inline(__always)
    public func closingQuoteAndColon(at index: Int) -> Int? {
        guard UInt(bitPattern: index &+ 1) < vectorEnd else { return nil }
        let stop = firstStringStop(from: index)
        guard stop < 16 else { return nil }
        let end = index &+ stop
        let two = UInt16(littleEndian: base.loadUnaligned(fromByteOffset: end, as: UInt16.self))
        return two == UInt16(Byte.colon) << 8 | UInt16(Byte.quote) ? end : nil
    }

    @inlinable
    @inline(__always)
    func firstStringStop(from index: Int) -> Int {
        let bytes = base.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
        // The compiler vectorizes this arithmetic, but not comparisons. Bit 7 marks a control byte or a quote
        // (flipping bit 1 puts the quote next to the control bytes), a backslash, or a byte above ASCII.
        let below = ((bytes ^ 0x02) &- 0x21) | ((bytes ^ Byte.backslash) &- 1)
        let stops = unsafeBitCast((below | bytes) & 0x80, to: SIMD2<UInt64>.self)
        if stops[0] != 0 { return stops[0].littleEndian.trailingZeroBitCount &>> 3 }
        if stops[1] != 0 { return 8 &+ stops[1].littleEndian.trailingZeroBitCount &>> 3 }
        return 16
    }

    /// The bytes at `range`; valid as long as the reader's memory.
    ///
    /// - Precondition: `range` is within the bytes.
    func bytes(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "range out of bounds")
        let start = (base + range.lowerBound).assumingMemoryBound(to: UInt8.self)
        return UnsafeBufferPointer(start: start, count: range.count)
    }

    /// The bytes at `range`, without a type; valid as long as the reader's memory.
    ///
    /// - Precondition: `range` is within the bytes.
    @inlinable
    @inline(__always)
    public func rawBytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "range out of bounds")
        return UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    /// Whether a range has the same bytes as a collection.
    @inlinable
    @inline(__always)
    public func equals(_ range: Range<Int>, _ other: some Collection<UInt8>) -> Bool {
        guard range.count == other.count else { return false }
        var index = range.lowerBound
        for byte in other {
            guard self[index] == byte else { return false }
            index &+= 1
        }
        return true
    }

    /// Whether two ranges of the same length have equal bytes.
    public func equals(_ left: Int, _ right: Int, count: Int) -> Bool {
        (0..<count).allSatisfy { self[left &+ $0] == self[right &+ $0] }
    }

    /// Returns the first eight bytes of `range` as a little-endian word, padded with zeros if the range is
    /// shorter.
    @inlinable
    @inline(__always)
    public func prefix(of range: Range<Int>) -> UInt64 {
        let length = range.upperBound &- range.lowerBound
        if let word = word(at: range.lowerBound) {
            return length >= 8 ? word : word & ((1 &<< (UInt64(length) &* 8)) &- 1)
        }
        var word: UInt64 = 0
        for offset in 0..<min(length, 8) {
            word |= UInt64(self[range.lowerBound &+ offset]) &<< (UInt64(offset) &* 8)
        }
        return word
    }

    /// Returns the first eight bytes as a little-endian word, padded with zeros if there are fewer.
    @inlinable
    @inline(__always)
    public static func prefix(of bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard let start = bytes.baseAddress else { return 0 }
        let bytes = ByteReader(base: UnsafeRawPointer(start), count: bytes.count)
        return bytes.prefix(of: 0..<bytes.count)
    }
}
