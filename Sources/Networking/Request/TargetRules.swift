import ASCIIText
import HTTPModel

/// What a request target must be. Every target is read again, byte by byte, before it is sent.
///
/// The target is in origin-form and its connection belongs to the upstream, so scheme and authority come from
/// the configuration. A dot segment could leave the configured prefix, and is refused here.
enum TargetRules {
    /// The kinds of path that a program writes, with or without the first slash.
    enum Finding: Equatable {
        case path
        case pathAndQuery
        /// It can be sent once `HTTPURL.normalizedTarget` has encoded it.
        case notNormalized
        /// It cannot be sent, and why.
        case fault(String)
    }

    static func look(at target: UnsafeRawBufferPointer) -> Finding {
        if isOrdinary(target) { return .path }
        guard target.allSatisfy({ ASCII.isTargetByte($0) || ASCII.isControl($0) }) else {
            return .notNormalized
        }
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
                } else if !ASCII.isSegmentByte(byte) {
                    return false
                }
            }
            index &+= 1
        }
        return true
    }

    /// Why a normalized path, with or without its first slash and with or without a query, cannot be sent, or nil.
    static func fault(inPath target: UnsafeRawBufferPointer) -> String? {
        var index = 0
        var start = 0
        while index < target.count, target[index] != UInt8(ascii: "?") {
            var next = index &+ 1
            var endsSegment = target[index] == UInt8(ascii: "/")
            if !endsSegment, !ASCII.isSegmentByte(target[index]) {
                guard target[index] == UInt8(ascii: "%"),
                    let decoded = PercentEncoding.byte(ofEscapeAt: index, in: target),
                    !ASCII.isControl(decoded)
                else { return "the path has a byte that is not allowed or not percent-encoded" }
                next = index &+ 3
                // Many servers decode these before they resolve dot segments.
                endsSegment = decoded == UInt8(ascii: "/") || decoded == UInt8(ascii: "\\")
            }
            if endsSegment {
                if isDotSegment(target, start..<index) { return dotSegment }
                start = next
            }
            index = next
        }
        if isDotSegment(target, start..<index) { return dotSegment }
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

    private static var dotSegment: String { "the path has a dot segment" }

    /// RFC 3986 3.4.
    private static func end(ofQueryCharacterAt index: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        if bytes[index] == UInt8(ascii: "%") {
            return PercentEncoding.byte(ofEscapeAt: index, in: bytes).map { _ in index + 3 }
        }
        return ASCII.isTargetByte(bytes[index]) ? index + 1 : nil
    }

    /// `.` and `..`, each dot as it is or as `%2e`.
    private static func isDotSegment(_ target: UnsafeRawBufferPointer, _ segment: Range<Int>) -> Bool {
        guard (1...6).contains(segment.count) else { return false }
        var dots = 0
        var index = segment.lowerBound
        while index < segment.upperBound {
            if target[index] == UInt8(ascii: ".") {
                index += 1
            } else if target[index] == UInt8(ascii: "%"),
                PercentEncoding.byte(ofEscapeAt: index, in: target) == UInt8(ascii: ".")
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
