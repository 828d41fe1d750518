package import HTTPModel

/// The `traceparent` of upstream calls (W3C Trace Context, level 1): continues the client's trace with a new
/// span, or starts a trace.
package enum TraceContext {
    /// Returns the client's `traceparent` in the form of version 00; nil if it is absent, malformed or
    /// repeated.
    static func received(in fields: HTTPFields) -> ArraySlice<UInt8>? {
        guard let index = fields.firstIndex(of: .traceParent),
            fields.firstIndex(of: .traceParent, from: index + 1) == nil
        else { return nil }
        return valid(fields.valueBytes(at: index))
    }

    /// Returns the span of the client that the request belongs to, and whether its trace is sampled; nil
    /// without a valid `traceparent`.
    package static func parent(in fields: HTTPFields) -> (span: UInt64, isSampled: Bool)? {
        guard let received = received(in: fields) else { return nil }
        let digits = received.dropFirst(36).prefix(16)
        let span = digits.reduce(UInt64(0)) { $0 << 4 | UInt64(value(of: $1)) }
        return (span, value(of: received[received.startIndex + 54]) & 1 == 1)
    }

    private static func value(of digit: UInt8) -> UInt8 {
        digit < UInt8(ascii: "a") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
    }

    /// Writes a `traceparent` of `length` bytes.
    ///
    /// - Parameters:
    ///   - received: the client's, already validated; nil starts a trace.
    ///   - identifiers: give the ids of the span and of a new trace.
    ///   - isSampled: what the flags say of the trace; nil for what the client's say.
    ///   - place: as many bytes.
    static func write(
        continuing received: ArraySlice<UInt8>?, _ identifiers: Identifiers, isSampled: Bool?,
        to place: UnsafeMutableRawBufferPointer
    ) {
        let (zero, dash) = (UInt8(ascii: "0"), UInt8(ascii: "-"))
        if let received {
            received.withUnsafeBytes { place.copyMemory(from: $0) }
            // Only sampled (bit 0) and random (bit 1, level 2) are known. Other flags must not be forwarded.
            let flags = value(of: place[54]) & 3
            (place[53], place[54]) = (zero, zero + (isSampled.map { flags & 2 | ($0 ? 1 : 0) } ?? flags))
        } else {
            (place[0], place[1], place[2]) = (zero, zero, dash)
            write(identifiers.next(), at: 3, place)
            write(identifiers.next(), at: 19, place)
            place[35] = dash
            (place[52], place[53], place[54]) = (dash, zero, isSampled == true ? zero + 1 : zero)
        }
        write(identifiers.next() | 1, at: 36, place)
    }

    private static let length = 55
    static let placeholder = String(repeating: "0", count: length)

    /// Checks the format: `00-` 32 digits `-` 16 digits `-` 2 digits, in lower case, neither id all zeros.
    /// Version ff is invalid; later versions may continue after a dash.
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
        // A later version is downgraded to 00.
        return isFirstVersion ? head : [UInt8(ascii: "0"), UInt8(ascii: "0")] + head.dropFirst(2)
    }

    private static func isLowerHex(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    private static func write(_ bits: UInt64, at offset: Int, _ place: UnsafeMutableRawBufferPointer) {
        place.storeBytes(of: digits(of: UInt32(bits >> 32)), toByteOffset: offset, as: UInt64.self)
        place.storeBytes(
            of: digits(of: UInt32(truncatingIfNeeded: bits)), toByteOffset: offset + 8, as: UInt64.self)
    }

    /// Returns eight hexadecimal digits in memory order, computed in parallel in one byte each.
    private static func digits(of bits: UInt32) -> UInt64 {
        var nibbles = UInt64(bits)
        nibbles = (nibbles | nibbles << 16) & 0x0000_ffff_0000_ffff
        nibbles = (nibbles | nibbles << 8) & 0x00ff_00ff_00ff_00ff
        nibbles = (nibbles | nibbles << 4) & 0x0f0f_0f0f_0f0f_0f0f
        // 1 in each byte whose digit is a letter: "a" is 39 more than "0" + 10.
        let letters = (nibbles + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return (nibbles + 0x3030_3030_3030_3030 + letters * 39).bigEndian
    }
}
