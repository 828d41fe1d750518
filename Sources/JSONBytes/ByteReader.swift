public import ASCIIText

// With `JSONLine` and `JSONText` the only file of this module with unsafe code: everything else reads through `ByteReader`.

/// Bytes that live as long as the call that lends them. Every access is bounds-checked: reading at or
/// beyond the end gives 0, which JSON allows nowhere, so the end needs no case of its own in a scanner.
@_spi(Reading)
public struct ByteReader {
    @usableFromInline let base: UnsafeRawPointer
    public let count: Int
    /// From here on fewer than eight and sixteen bytes are left.
    @usableFromInline let wordEnd: UInt
    @usableFromInline let vectorEnd: UInt

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

    /// - Precondition: the bytes stay where they are for as long as the reader is asked.
    @inlinable
    @inline(__always)
    public init(base: UnsafeRawPointer, count: Int) {
        self.base = base
        self.count = count
        wordEnd = UInt(bitPattern: max(count &- 7, 0))
        vectorEnd = UInt(bitPattern: max(count &- 15, 0))
    }

    /// The byte at `index`, or 0 outside the bytes.
    @inlinable
    @inline(__always)
    public subscript(index: Int) -> UInt8 {
        guard UInt(bitPattern: index) < UInt(bitPattern: count) else { return 0 }
        return base.load(fromByteOffset: index, as: UInt8.self)
    }

    /// The eight bytes from `index` on, the first one lowest; nil where fewer than eight are left.
    @inlinable
    @inline(__always)
    public func word(at index: Int) -> UInt64? {
        guard UInt(bitPattern: index) < wordEnd else { return nil }
        return UInt64(littleEndian: base.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// The first of the sixteen bytes from `index` on at which a run of plain text in a string ends: `"`, `\`, a
    /// control byte, a byte above ASCII. Behind them where there is none, nil where fewer than sixteen are left.
    @inlinable
    @inline(__always)
    public func stringStop(at index: Int) -> Int? {
        guard UInt(bitPattern: index) < vectorEnd else { return nil }
        return index &+ firstStringStop(from: index)
    }

    /// Where the closing quote of a string stands that goes on at `index` with up to fifteen bytes of plain text; nil
    /// for any other string, and where fewer than sixteen bytes are left.
    @inlinable
    @inline(__always)
    public func closingQuote(at index: Int) -> Int? {
        guard UInt(bitPattern: index) < vectorEnd else { return nil }
        let stop = firstStringStop(from: index)
        guard stop < 16 else { return nil }
        let place = index &+ stop
        return base.load(fromByteOffset: place, as: UInt8.self) == Byte.quote ? place : nil
    }

    /// The same where a colon follows the quote; nil too where fewer than seventeen bytes are left.
    @inlinable
    @inline(__always)
    public func closingQuoteAndColon(at index: Int) -> Int? {
        guard UInt(bitPattern: index &+ 1) < vectorEnd else { return nil }
        let stop = firstStringStop(from: index)
        guard stop < 16 else { return nil }
        let place = index &+ stop
        let two = UInt16(littleEndian: base.loadUnaligned(fromByteOffset: place, as: UInt16.self))
        return two == UInt16(Byte.colon) << 8 | UInt16(Byte.quote) ? place : nil
    }

    @inlinable
    @inline(__always)
    func firstStringStop(from index: Int) -> Int {
        let bytes = base.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
        // By arithmetic, for which the compiler has vector instructions: its comparisons go lane by lane. Bit 7 of a
        // term says: a control byte or a quote (which a flip of bit 1 puts next to them), a backslash, beyond ASCII.
        let below = ((bytes ^ 0x02) &- 0x21) | ((bytes ^ Byte.backslash) &- 1)
        let stops = unsafeBitCast((below | bytes) & 0x80, to: SIMD2<UInt64>.self)
        if stops[0] != 0 { return stops[0].littleEndian.trailingZeroBitCount &>> 3 }
        if stops[1] != 0 { return 8 &+ stops[1].littleEndian.trailingZeroBitCount &>> 3 }
        return 16
    }

    /// Whether the bytes of `range` are exactly `other`.
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

    /// Whether the `count` bytes from `left` on are those from `right` on.
    public func equals(_ left: Int, _ right: Int, count: Int) -> Bool {
        (0..<count).allSatisfy { self[left &+ $0] == self[right &+ $0] }
    }

    /// The first eight bytes of `range`, the first one lowest, zeros where the range is shorter.
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

    /// The same of other bytes.
    @inlinable
    @inline(__always)
    public static func prefix(of bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard let start = bytes.baseAddress else { return 0 }
        let bytes = ByteReader(base: UnsafeRawPointer(start), count: bytes.count)
        return bytes.prefix(of: 0..<bytes.count)
    }
}
