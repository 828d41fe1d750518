public import ASCIIText

/// Percent-encoding (RFC 3986 2.1), and the rules for path segments.
public enum PercentEncoding {
    /// Why text cannot be decoded, or is not one path segment.
    public enum Failure: Error, Sendable, Hashable {
        /// A `%` is not followed by two hex digits.
        case malformedEscape
        case notUTF8
        case empty
        /// `.` or `..`, plain or encoded.
        case dotSegment
        /// A `/`, `\` or control byte, plain or encoded.
        case forbiddenByte
    }

    /// Decodes the escape at `index`; nil if two hex digits do not follow.
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

    /// Decodes every escape. `+` stays `+`.
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

    /// Decodes every escape and checks that the result is UTF-8. `+` stays `+`.
    public static func decodeString(_ bytes: some Collection<UInt8>) throws(Failure) -> String {
        guard let text = String(validating: try decode(bytes), as: UTF8.self) else { throw .notUTF8 }
        return text
    }

    /// Decodes one path segment and checks that it stays one segment (`checkSegment`).
    public static func decodeSegment(_ bytes: some Collection<UInt8>) throws(Failure) -> String {
        let decoded = try decode(bytes)
        try checkSegment(decoded)
        guard let text = String(validating: decoded, as: UTF8.self) else { throw .notUTF8 }
        return text
    }

    /// Percent-encodes a value as one path segment: everything outside `unreserved`.
    ///
    /// - Throws: if the value would not stay one segment. Values already encoded, any number of times, are
    ///   checked too, because the server may decode once too often.
    public static func encodeSegment(_ value: String) throws(Failure) -> String {
        try checkSegment(Array(value.utf8))
        return encode(value)
    }

    /// Percent-encodes everything outside `unreserved`, for a query's name or value.
    public static func encode(_ value: String) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(value.utf8.count)
        for byte in value.utf8 { append(byte, to: &encoded) }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Checks that a value stays one path segment: it is not empty, `.` or `..`, and contains no `/`, `\` or
    /// control byte, plain or encoded any number of times.
    public static func checkSegment(_ value: [UInt8]) throws(Failure) {
        guard !value.isEmpty else { throw .empty }
        // No forbidden byte is part of an escape, so one that a decoding step reveals survives the further
        // steps.
        let decoded = value.contains(Byte.percent) ? decodeToTheEnd(value) : value
        guard decoded != [Byte.point], decoded != [Byte.point, Byte.point] else { throw .dotSegment }
        guard !decoded.contains(where: isForbiddenInSegment) else { throw .forbiddenByte }
    }

    package static func isForbiddenInSegment(_ byte: UInt8) -> Bool {
        byte == Byte.slash || byte == Byte.backslash || ASCII.isControl(byte)
    }

    /// Decodes until no escape is left and keeps a malformed `%`, as a chain of careless servers would. One
    /// pass is enough: an escape is decoded as soon as its last digit is appended.
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
    /// What is wrong, in words.
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
