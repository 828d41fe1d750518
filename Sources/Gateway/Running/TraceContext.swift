/// The `traceparent` of upstream calls (W3C Trace Context, level 1): the client's trace goes on with a span of ours,
/// or one begins.
enum TraceContext {
    /// - Parameter received: the client's `traceparent`; one that is malformed counts as none.
    static func traceparent(continuing received: ArraySlice<UInt8>?, _ identifiers: Identifiers) -> String {
        let received = received.flatMap(valid)
        let (zero, dash) = (UInt8(ascii: "0"), UInt8(ascii: "-"))
        return String(unsafeUninitializedCapacity: length) { buffer in
            if let received {
                _ = buffer.initialize(fromContentsOf: received)
            } else {
                (buffer[0], buffer[1], buffer[2]) = (zero, zero, dash)
                write(identifiers.next(), at: 3, buffer)
                write(identifiers.next(), at: 19, buffer)
                buffer[35] = dash
                (buffer[52], buffer[53], buffer[54]) = (dash, zero, zero)
            }
            write(identifiers.next() | 1, at: 36, buffer)
            return length
        }
    }

    private static let length = 55

    /// `00-` 32 digits `-` 16 digits `-` 2 digits, lower case, neither id all zeros; version ff is none, and later
    /// versions may go on after a dash.
    private static func valid(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.count >= length else { return nil }
        let start = bytes.startIndex
        let head = bytes.prefix(length)
        for (offset, byte) in head.enumerated() {
            let isDash = offset == 2 || offset == 35 || offset == 52
            guard isDash ? byte == UInt8(ascii: "-") : isLowerHex(byte) else { return nil }
        }
        let isFirstVersion = head[start] == UInt8(ascii: "0") && head[start + 1] == UInt8(ascii: "0")
        if isFirstVersion, bytes.count != length { return nil }
        if bytes.count > length, bytes[start + length] != UInt8(ascii: "-") { return nil }
        if head[start] == UInt8(ascii: "f"), head[start + 1] == UInt8(ascii: "f") { return nil }
        let traceID = head[(start + 3)..<(start + 35)]
        let parentID = head[(start + 36)..<(start + 52)]
        guard traceID.contains(where: { $0 != UInt8(ascii: "0") }),
            parentID.contains(where: { $0 != UInt8(ascii: "0") })
        else { return nil }
        // Written back as version 00, whose first digit it may not have.
        return isFirstVersion ? head : [UInt8(ascii: "0"), UInt8(ascii: "0")] + head.dropFirst(2)
    }

    private static func isLowerHex(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    private static func write(_ bits: UInt64, at offset: Int, _ buffer: UnsafeMutableBufferPointer<UInt8>) {
        let place = UnsafeMutableRawBufferPointer(buffer)
        place.storeBytes(of: digits(of: UInt32(bits >> 32)), toByteOffset: offset, as: UInt64.self)
        place.storeBytes(
            of: digits(of: UInt32(truncatingIfNeeded: bits)), toByteOffset: offset + 8, as: UInt64.self)
    }

    /// Eight hexadecimal digits, in the order of memory; all eight at once, a byte each.
    private static func digits(of bits: UInt32) -> UInt64 {
        var nibbles = UInt64(bits)
        nibbles = (nibbles | nibbles << 16) & 0x0000_ffff_0000_ffff
        nibbles = (nibbles | nibbles << 8) & 0x00ff_00ff_00ff_00ff
        nibbles = (nibbles | nibbles << 4) & 0x0f0f_0f0f_0f0f_0f0f
        // One in each byte whose digit is a letter, which stand 39 after where the tens of digits would go on.
        let letters = (nibbles + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return (nibbles + 0x3030_3030_3030_3030 + letters * 39).bigEndian
    }
}
