import ASCIIText

/// The value of Host and the authority of a URL: `uri-host [ ":" port ]` (RFC 9110 7.2, RFC 3986 3.2),
/// without userinfo.
package enum Authority {
    /// Whether the bytes are a host with an optional port.
    ///
    /// A reg-name may contain a comma, but two joined Host lines do too, so commas are refused.
    public static func isValid(_ bytes: UnsafeRawBufferPointer, requiresPort: Bool = false) -> Bool {
        guard let host = hostEnd(in: bytes) else { return false }
        if host == bytes.count { return !requiresPort }
        guard bytes[host] == Byte.colon else { return false }
        return portIsValid(UnsafeRawBufferPointer(rebasing: bytes[(host + 1)...]), mayBeEmpty: !requiresPort)
    }

    /// Returns the index after the host: the end of the bytes, or the colon before a port. Nil if the host is
    /// invalid.
    package static func hostEnd(in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let first = bytes.first else { return nil }
        if first == Byte.openBracket {
            guard let close = bytes.firstIndex(of: Byte.closeBracket),
                IPv6Text.isValid(UnsafeRawBufferPointer(rebasing: bytes[1..<close]))
            else { return nil }
            return close + 1
        }
        var index = 0
        while index < bytes.count, bytes[index] != Byte.colon {
            let byte = bytes[index]
            if ASCII.isHostByte(byte) {
                index += 1
            } else if byte == Byte.percent, PercentEncoding.byte(ofEscapeAt: index, in: bytes) != nil {
                index += 3
            } else {
                return nil
            }
        }
        return index == 0 ? nil : index
    }

    private static func portIsValid(_ digits: UnsafeRawBufferPointer, mayBeEmpty: Bool) -> Bool {
        if digits.isEmpty { return mayBeEmpty }
        var value = 0
        for digit in digits {
            guard ASCII.isDigit(digit) else { return false }
            value = value * 10 + Int(digit - Byte.zero)
            guard value <= 65535 else { return false }
        }
        return true
    }
}

/// The text form of an IPv6 address (RFC 4291 2.2). Zones are refused because they mean something on one
/// machine only.
package enum IPv6Text {
    package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool { value(bytes) != nil }

    /// Returns the address as a number; nil for any other text.
    package static func value(_ bytes: UnsafeRawBufferPointer) -> UInt128? {
        var value: UInt128 = 0
        var groups = 0
        var groupsBeforeGap: Int?
        var index = 0
        if bytes.count >= 2, bytes[0] == Byte.colon, bytes[1] == Byte.colon {
            groupsBeforeGap = 0
            index = 2
        }
        while index < bytes.count {
            let start = index
            var group: UInt128 = 0
            while index < bytes.count, index - start < 4, let digit = ASCII.hexValue(bytes[index]) {
                group = group << 4 | UInt128(digit)
                index += 1
            }
            if index < bytes.count, bytes[index] == Byte.point {
                guard let ipv4 = IPv4Text.value(UnsafeRawBufferPointer(rebasing: bytes[start...])) else {
                    return nil
                }
                value = value << 32 | UInt128(ipv4)
                groups += 2
                break
            }
            guard index > start else { return nil }
            value = value << 16 | group
            groups += 1
            if index == bytes.count { break }
            guard bytes[index] == Byte.colon, index + 1 < bytes.count else { return nil }
            index += 1
            if bytes[index] == Byte.colon {
                guard groupsBeforeGap == nil else { return nil }
                groupsBeforeGap = groups
                index += 1
            }
        }
        guard let groupsBeforeGap else { return groups == 8 ? value : nil }
        guard groups < 8 else { return nil }
        let bitsBehindGap = 16 * (groups - groupsBeforeGap)
        // A shift by 128 leaves 0.
        let beforeGap = value >> bitsBehindGap
        return beforeGap << (128 - 16 * groupsBeforeGap) | (value ^ beforeGap << bitsBehindGap)
    }
}

/// The text form of an IPv4 address: four decimal numbers up to 255 without leading zeros.
package enum IPv4Text {
    package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool { value(bytes) != nil }

    /// Returns the address as a number; nil for any other text.
    package static func value(_ bytes: UnsafeRawBufferPointer) -> UInt32? {
        var address: UInt32 = 0
        var parts = 0
        var index = 0
        while true {
            let start = index
            var value: UInt32 = 0
            while index < bytes.count, ASCII.isDigit(bytes[index]), index - start < 3 {
                value = value * 10 + UInt32(bytes[index] - Byte.zero)
                index += 1
            }
            guard index > start, value <= 255, index - start == 1 || bytes[start] != Byte.zero else {
                return nil
            }
            address = address << 8 | value
            parts += 1
            guard parts <= 4 else { return nil }
            if index == bytes.count { return parts == 4 ? address : nil }
            guard bytes[index] == Byte.point else { return nil }
            index += 1
        }
    }
}
