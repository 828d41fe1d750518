import ASCIIText
import HTTPModel

/// The rules for request targets. Every target is checked byte by byte before it is sent.
///
/// The target is in origin-form; scheme and authority come from the configuration. A dot segment is rejected
/// because it could leave the configured prefix.
enum TargetRules {
    /// The kinds of path that a program may specify, with or without the leading slash.
    enum PathKind: Equatable {
        case path
        case pathAndQuery
        /// Can be sent after `HTTPURL.normalizedTarget` has encoded it.
        case notNormalized
        /// Cannot be sent, for this reason.
        case fault(String)
    }

    static func classify(_ target: UnsafeRawBufferPointer) -> PathKind {
        if isOrdinary(target) { return .path }
        guard target.allSatisfy({ ASCII.isTargetByte($0) || ASCII.isControl($0) }) else {
            return .notNormalized
        }
        if let fault = fault(inPath: target) { return .fault(fault) }
        return target.contains(UInt8(ascii: "?")) ? .pathAndQuery : .path
    }

    /// Whether all bytes are plain and no segment is empty or begins with a dot, as in nearly every path.
    private static func isOrdinary(_ path: UnsafeRawBufferPointer) -> Bool {
        guard path.first == UInt8(ascii: "/") else { return false }
        var index = 1
        while index < path.count {
            let byte = path[index]
            // Letters first, because most bytes are letters.
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

    /// Returns why a normalized path cannot be sent, or nil. The leading slash and a query are optional.
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

    /// Returns a normalized target, or throws if it cannot be sent.
    static func checked(_ target: [UInt8]) throws(RequestFault) -> [UInt8] {
        if let fault = target.withUnsafeBytes({ TargetRules.fault(inPath: $0) }) {
            throw RequestFault(.url, fault)
        }
        try checkLength(target)
        return target
    }

    static func checkLength(_ target: [UInt8]) throws(RequestFault) {
        guard target.count <= maximumLength else {
            throw RequestFault(.url, "the URL is longer than \(maximumLength) bytes")
        }
    }

    /// The longest request target that we, like most servers, accept by default.
    static let maximumLength = 8192

    private static var dotSegment: String { "the path has a dot segment" }

    /// RFC 3986 3.4.
    private static func end(ofQueryCharacterAt index: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        if bytes[index] == UInt8(ascii: "%") {
            return PercentEncoding.byte(ofEscapeAt: index, in: bytes).map { _ in index + 3 }
        }
        return ASCII.isTargetByte(bytes[index]) ? index + 1 : nil
    }

    /// Whether the segment is `.` or `..`, with each dot literal or as `%2e`.
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
