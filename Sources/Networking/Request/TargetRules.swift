import HTTPModel

/// What a built request target must be: read again, byte by byte, before it is sent.
///
/// The target is in origin-form and its connection belongs to the upstream, so scheme and authority are what
/// the configuration said. That it stays under the configured prefix is checked here.
enum TargetRules {
    /// What a path is that a target wrote, with or without its first slash.
    enum Finding: Equatable {
        case path
        case pathAndQuery
        /// It cannot be sent, and why.
        case fault(String)
    }

    static func look(at target: UnsafeRawBufferPointer) -> Finding {
        if isOrdinary(target) { return .path }
        if let fault = fault(inPath: target) { return .fault(fault) }
        return target.contains(UInt8(ascii: "?")) ? .pathAndQuery : .path
    }

    /// Whether all of it is plain, and no segment empty or begun by a dot: nearly every path.
    private static func isOrdinary(_ path: UnsafeRawBufferPointer) -> Bool {
        guard path.first == UInt8(ascii: "/") else { return false }
        var index = 1
        while index < path.count {
            let byte = path[index]
            // Letters first: most bytes are.
            if (byte | 0x20) &- UInt8(ascii: "a") >= 26 {
                if byte == UInt8(ascii: ".") || byte == UInt8(ascii: "/") {
                    if path[index &- 1] == UInt8(ascii: "/") { return false }
                } else if !isPlain(byte) {
                    return false
                }
            }
            index &+= 1
        }
        return true
    }

    /// Why a path, with or without its first slash and with or without a query, cannot be sent, or nil.
    static func fault(inPath target: UnsafeRawBufferPointer) -> String? {
        var index = 0
        while index < target.count, target[index] != UInt8(ascii: "?") {
            let start = target[index] == UInt8(ascii: "/") ? index &+ 1 : index
            index = start
            while true {
                while index < target.count, isPlain(target[index]) { index &+= 1 }
                if index == target.count || target[index] == UInt8(ascii: "/")
                    || target[index] == UInt8(ascii: "?")
                {
                    break
                }
                guard let next = end(ofEscapeAt: index, in: target) else {
                    return "the path has a byte that is not allowed or not percent-encoded"
                }
                index = next
            }
            // `//host/` could be read as another authority, and many servers drop an empty segment.
            let isLast = index == target.count || target[index] == UInt8(ascii: "?")
            if start == index, !isLast { return "the path has an empty segment" }
            if index - start <= 6, isDotSegment(UnsafeRawBufferPointer(rebasing: target[start..<index])) {
                return "the path has a dot segment"
            }
        }
        while index < target.count {
            guard let next = end(ofQueryCharacterAt: index, in: target) else {
                return "the query has a byte that is not allowed or not percent-encoded"
            }
            index = next
        }
        return nil
    }

    /// What is accepted as a request target by default, here and by most servers.
    static let maximumLength = 8192

    /// An escape that a path may have: not of a slash, backslash or control byte, which some servers decode.
    private static func end(ofEscapeAt index: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes[index] == UInt8(ascii: "%"), let decoded = escape(at: index, in: bytes) else {
            return nil
        }
        if decoded < 0x20 || decoded == 0x7f { return nil }
        if decoded == UInt8(ascii: "/") || decoded == UInt8(ascii: "\\") { return nil }
        return index + 3
    }

    /// RFC 3986 3.4.
    private static func end(ofQueryCharacterAt index: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        let byte = bytes[index]
        if isPlain(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") { return index + 1 }
        guard byte == UInt8(ascii: "%"), escape(at: index, in: bytes) != nil else { return nil }
        return index + 3
    }

    /// RFC 3986 3.3 `pchar` but for escapes.
    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        let word = byte < 64 ? plainLow : byte < 128 ? plainHigh : 0
        return word &>> UInt64(byte & 63) & 1 == 1
    }

    // `unreserved`, `sub-delims`, `:` and `@` (RFC 3986 3.3), a bit for each byte below 64 and each from there on.
    private static var plainLow: UInt64 { 0x2fff_7fd2_0000_0000 }
    private static var plainHigh: UInt64 { 0x47ff_fffe_87ff_ffff }

    private static func escape(at index: Int, in bytes: UnsafeRawBufferPointer) -> UInt8? {
        guard index + 2 < bytes.count, let high = ASCII.hexValue(bytes[index + 1]),
            let low = ASCII.hexValue(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    /// `.` and `..`, each dot as it is or as `%2e`.
    private static func isDotSegment(_ segment: UnsafeRawBufferPointer) -> Bool {
        guard (1...6).contains(segment.count) else { return false }
        var dots = 0
        var index = 0
        while index < segment.count {
            if segment[index] == UInt8(ascii: ".") {
                index += 1
            } else if segment[index] == UInt8(ascii: "%"), escape(at: index, in: segment) == UInt8(ascii: ".")
            {
                index += 3
            } else {
                return false
            }
            dots += 1
        }
        return dots <= 2
    }
}
