import ASCIIText
import HTTPModel

/// The decoded and validated path of a request. The router matches it, and path parameters are slices of it.
///
/// No decoded segment may be `.` or `..`, or contain a slash, a backslash, a control byte or invalid UTF-8.
/// So decoding cannot move the boundaries of segments, and a parameter that becomes a segment of an
/// upstream's path cannot escape its position there.
struct DecodedPath: Sendable {
    let bytes: ArraySlice<UInt8>

    /// Decodes a raw path. Without encoded bytes, the common case, nothing is copied.
    init(_ raw: ArraySlice<UInt8>) throws(DecodedPathError) {
        guard raw.first == UInt8(ascii: "/") else { throw DecodedPathError(rule: "begin with a slash") }
        let scan = raw.withUnsafeBufferPointer { Self.scan($0) }
        if scan.hasForbidden { throw DecodedPathError(rule: Self.characterRule) }
        guard scan.isEncoded else {
            if scan.hasDotSegment { throw .dots }
            bytes = raw
            return
        }
        let decoded = try Self.decoded(raw)
        if decoded.withUnsafeBufferPointer({ Self.scan($0).hasDotSegment }) { throw .dots }
        bytes = decoded
    }

    private struct Scan {
        var isEncoded = false
        /// A segment is `.` or `..`.
        var hasDotSegment = false
        /// A byte is not allowed in a raw path.
        var hasForbidden = false
    }

    /// Scans a path that begins with a slash, in one pass.
    private static func scan(_ path: UnsafeBufferPointer<UInt8>) -> Scan {
        var scan = Scan()
        var start = 1
        var dots = 0
        for index in 1..<path.count {
            let byte = path[index]
            // Letters and digits first, because they are the most common.
            if byte > UInt8(ascii: "/"), byte < 0x7f, byte != UInt8(ascii: "\\") { continue }
            switch byte {
            case UInt8(ascii: "/"):
                if index - start == dots, dots == 1 || dots == 2 { scan.hasDotSegment = true }
                start = index + 1
                dots = 0
            case UInt8(ascii: "."): dots += 1
            case UInt8(ascii: "%"): scan.isEncoded = true
            case 0x20..<0x2e: break
            default: scan.hasForbidden = true
            }
        }
        if path.count - start == dots, dots == 1 || dots == 2 { scan.hasDotSegment = true }
        return scan
    }

    private static let characterRule = "not contain a backslash or a control character, encoded or not"

    private static func decoded(_ raw: ArraySlice<UInt8>) throws(DecodedPathError) -> ArraySlice<UInt8> {
        var result: [UInt8] = []
        result.reserveCapacity(raw.count)
        var index = raw.startIndex
        while index < raw.endIndex {
            guard raw[index] == UInt8(ascii: "%") else {
                result.append(raw[index])
                index += 1
                continue
            }
            guard let byte = PercentEncoding.byte(ofEscapeAt: index, in: raw) else {
                throw DecodedPathError(rule: "have two hexadecimal digits after each %")
            }
            if byte == UInt8(ascii: "/") { throw DecodedPathError(rule: "not contain an encoded slash") }
            if ASCII.isControl(byte) || byte == UInt8(ascii: "\\") {
                throw DecodedPathError(rule: characterRule)
            }
            result.append(byte)
            index += 3
        }
        guard String(validating: result, as: UTF8.self) != nil else {
            throw DecodedPathError(rule: "be valid UTF-8")
        }
        return result[...]
    }
}

/// The rule that a path breaks, phrased to follow "The path must".
struct DecodedPathError: Error, Equatable {
    let rule: String

    static var dots: DecodedPathError {
        DecodedPathError(rule: "not contain a segment . or .., encoded or not")
    }
}
