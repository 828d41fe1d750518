import ASCIIText

/// The value of Host and the authority of a URL: `uri-host [ ":" port ]` (RFC 9110 7.2, RFC 3986 3.2),
/// without userinfo.
public enum Authority {
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
    package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var groups = 0
        var hasGap = false
        var index = 0
        if bytes.count >= 2, bytes[0] == Byte.colon, bytes[1] == Byte.colon {
            hasGap = true
            index = 2
        }
        while index < bytes.count {
            let start = index
            while index < bytes.count, index - start < 4, ASCII.hexValue(bytes[index]) != nil { index += 1 }
            if index < bytes.count, bytes[index] == Byte.point {
                guard IPv4Text.isValid(UnsafeRawBufferPointer(rebasing: bytes[start...])) else {
                    return false
                }
                groups += 2
                break
            }
            guard index > start else { return false }
            groups += 1
            if index == bytes.count { break }
            guard bytes[index] == Byte.colon, index + 1 < bytes.count else { return false }
            index += 1
            if bytes[index] == Byte.colon {
                guard !hasGap else { return false }
                hasGap = true
                index += 1
            }
        }
        return hasGap ? groups < 8 : groups == 8
    }
}

/// The text form of an IPv4 address: four decimal numbers up to 255 without leading zeros.
package enum IPv4Text {
    package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var parts = 0
        var index = 0
        while true {
            let start = index
            var value = 0
            while index < bytes.count, ASCII.isDigit(bytes[index]), index - start < 3 {
                value = value * 10 + Int(bytes[index] - Byte.zero)
                index += 1
            }
            guard index > start, value <= 255, index - start == 1 || bytes[start] != Byte.zero else {
                return false
            }
            parts += 1
            if index == bytes.count { return parts == 4 }
            guard bytes[index] == Byte.point else { return false }
            index += 1
        }
    }
}
