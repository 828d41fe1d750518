public import ASCIIText

/// Percent-encoding (RFC 3986 2.1), and the rules for values that become a segment of a path.
public enum PercentEncoding {
    /// The rule that a value breaks.
    public enum Failure: Error, Sendable, Hashable {
        /// Two hexadecimal digits do not follow a `%`.
        case malformedEscape
        /// The decoded bytes are not UTF-8.
        case notUTF8
        /// The segment has no byte.
        case empty
        /// The segment is `.` or `..`, plain or encoded.
        case dotSegment
        /// The segment has a `/`, a `\` or a control byte, plain or encoded.
        case forbiddenByte
    }

    /// Returns the byte that the escape at `index` stands for; nil if two hexadecimal digits do not follow.
    ///
    /// - Parameters:
    ///   - index: the index of a `%`.
    ///   - bytes: the bytes, with consecutive indices.
    @inlinable @inline(__always)
    package static func byte<Bytes: RandomAccessCollection<UInt8>>(
        ofEscapeAt index: Int, in bytes: Bytes
    ) -> UInt8? where Bytes.Index == Int {
        guard bytes.endIndex &- index > 2, let high = ASCII.hexValue(bytes[index + 1]),
            let low = ASCII.hexValue(bytes[index + 2])
        else { return nil }
        return high &<< 4 | low
    }

    /// Decodes every escape. A `+` stays a plus.
    public static func decode(_ bytes: some Collection<UInt8>) throws(Failure) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            guard byte == Byte.percent else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(ASCII.hexValue),
                let low = rest.next().flatMap(ASCII.hexValue)
            else { throw .malformedEscape }
            decoded.append(high << 4 | low)
        }
        return decoded
    }

    /// Decodes every escape and checks that the result is UTF-8. A `+` stays a plus.
    public static func decodeString(_ bytes: some Collection<UInt8>) throws(Failure) -> String {
        guard let text = String(validating: try decode(bytes), as: UTF8.self) else { throw .notUTF8 }
        return text
    }

    /// Decodes one segment of a request's path and checks that it stays one segment (`checkSegment`).
    public static func decodeSegment(_ bytes: some Collection<UInt8>) throws(Failure) -> String {
        let decoded = try decode(bytes)
        try checkSegment(decoded)
        guard let text = String(validating: decoded, as: UTF8.self) else { throw .notUTF8 }
        return text
    }

    /// Percent-encodes a value as one segment of a path: everything outside `unreserved`.
    ///
    /// - Throws: if the value would not stay one segment. Values that are encoded already, any number of times, are checked
    ///   too, because the server may decode once more than it should.
    public static func encodeSegment(_ value: String) throws(Failure) -> String {
        try checkSegment(Array(value.utf8))
        return encode(value)
    }

    /// Percent-encodes everything outside `unreserved`, for a name or a value of a query.
    public static func encode(_ value: String) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(value.utf8.count)
        for byte in value.utf8 { append(byte, to: &encoded) }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Checks that a value stays one segment of a path: it is not empty, is not `.` or `..`, and has no `/`, `\` or control
    /// byte, plain or encoded any number of times.
    public static func checkSegment(_ value: [UInt8]) throws(Failure) {
        guard !value.isEmpty else { throw .empty }
        // No forbidden byte is part of an escape, so further decodings keep what one of them brings out.
        let decoded = value.contains(Byte.percent) ? decodeToTheEnd(value) : value
        guard decoded != [Byte.point], decoded != [Byte.point, Byte.point] else { throw .dotSegment }
        guard !decoded.contains(where: isForbiddenInSegment) else { throw .forbiddenByte }
    }

    private static func isForbiddenInSegment(_ byte: UInt8) -> Bool {
        byte == Byte.slash || byte == Byte.backslash || ASCII.isControl(byte)
    }

    /// Decodes until no escape is left and keeps a malformed `%`, as a chain of careless servers would. One pass is enough,
    /// however often the value is encoded: an escape is decoded when its last digit is appended.
    private static func decodeToTheEnd(_ bytes: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        for byte in bytes {
            decoded.append(byte)
            while decoded.count >= 3, decoded[decoded.count - 3] == Byte.percent,
                let high = ASCII.hexValue(decoded[decoded.count - 2]),
                let low = ASCII.hexValue(decoded[decoded.count - 1])
            {
                decoded.removeLast(3)
                decoded.append(high << 4 | low)
            }
        }
        return decoded
    }

    private static func append(_ byte: UInt8, to output: inout [UInt8]) {
        if ASCII.isUnreserved(byte) {
            output.append(byte)
            return
        }
        output.append(Byte.percent)
        output.append(ASCII.hexDigit(byte >> 4))
        output.append(ASCII.hexDigit(byte & 15))
    }
}

extension PercentEncoding.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformedEscape: "a % is not followed by two hexadecimal digits"
        case .notUTF8: "is not UTF-8"
        case .empty: "is empty"
        case .dotSegment: "is . or .."
        case .forbiddenByte: "has a slash, a backslash or a control character"
        }
    }
}
