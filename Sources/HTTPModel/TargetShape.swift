import ASCIIText

/// A request target's form and the range of its path, counted from the target's first byte.
package struct TargetShape {
    package let form: RequestTarget.Form
    package let path: Range<Int>

    /// Returns nil if the bytes have none of the four forms. The caller checks that the form fits the method.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return nil }
        if first == Byte.slash {
            form = .origin
            path = 0..<Self.pathEnd(in: bytes, from: 1)
            return
        }
        if first == Byte.asterisk, bytes.count == 1 {
            form = .asterisk
            path = 1..<1
            return
        }
        if let authorityStart = Self.schemeEnd(in: bytes) {
            var authorityEnd = authorityStart
            while authorityEnd < bytes.count, bytes[authorityEnd] != Byte.slash,
                bytes[authorityEnd] != Byte.questionMark
            {
                authorityEnd += 1
            }
            let authority = UnsafeRawBufferPointer(rebasing: bytes[authorityStart..<authorityEnd])
            guard Authority.isValid(authority) else { return nil }
            form = .absolute
            path = authorityEnd..<Self.pathEnd(in: bytes, from: authorityEnd)
            return
        }
        guard Authority.isValid(bytes, requiresPort: true) else { return nil }
        form = .authority
        path = bytes.count..<bytes.count
    }

    private static func pathEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var end = start
        while end &+ 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: end, as: UInt64.self))
            let other = word ^ (ones &* 0x3f)
            // Flags above the lowest one may be wrong because of a borrow.
            let flags = (other &- ones) & ~other & (ones &* 0x80)
            if flags != 0 { return end &+ flags.trailingZeroBitCount &>> 3 }
            end &+= 8
        }
        while end < bytes.count, bytes[end] != Byte.questionMark { end &+= 1 }
        return end
    }

    /// Returns the index after `http://` or `https://`, ignoring case; nil if the bytes start otherwise.
    private static func schemeEnd(in bytes: UnsafeRawBufferPointer) -> Int? {
        if bytes.count >= 7,
            ASCII.equals(UnsafeRawBufferPointer(rebasing: bytes[0..<7]), lowercase: "http://")
        {
            return 7
        }
        if bytes.count >= 8,
            ASCII.equals(UnsafeRawBufferPointer(rebasing: bytes[0..<8]), lowercase: "https://")
        {
            return 8
        }
        return nil
    }
}
