public import ASCIIText

/// Percent-encoding of RFC 3986 2.1, with the rules for values that become part of a path.
public enum PercentEncoding {
    /// Why a value was refused.
    public enum Failure: Error, Sendable, Hashable {
        /// A `%` without two hexadecimal digits after it.
        case malformedEscape
        /// The decoded bytes are no UTF-8.
        case notUTF8
        /// A path value is one segment: it has at least one byte.
        case empty
        /// `.` or `..`, as it is or encoded.
        case dotSegment
        /// `/`, `\`, NUL or another control byte, as it is or encoded.
        case forbiddenByte
    }

    /// Returns the byte that the escape at `index` stands for; nil if two hexadecimal digits do not follow.
    ///
    /// - Parameters:
    ///   - index: the index of a `%`.
    ///   - bytes: the bytes that have it, with indices that count them.
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

    /// Decodes one segment of a request's path and checks that it can stand for one segment only.
    public static func decodeSegment(_ bytes: some Collection<UInt8>) throws(Failure) -> String {
        let decoded = try decode(bytes)
        try checkSegment(decoded)
        guard let text = String(validating: decoded, as: UTF8.self) else { throw .notUTF8 }
        return text
    }

    /// One segment of a path: everything outside `unreserved` is percent-encoded. What would leave the segment,
    /// encoded any number of times, is refused, for the server behind may decode it once more than we think.
    public static func encodeSegment(_ value: String) throws(Failure) -> String {
        try checkSegment(Array(value.utf8))
        return encode(value)
    }

    /// Everything outside `unreserved` percent-encoded: a name or a value of a query.
    public static func encode(_ value: String) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(value.utf8.count)
        for byte in value.utf8 { append(byte, to: &encoded) }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Whether a value may be one segment of a path: not empty, no `.`, `..`, `/`, `\`, NUL or control byte,
    /// as it is or encoded any number of times.
    public static func checkSegment(_ value: [UInt8]) throws(Failure) {
        guard !value.isEmpty else { throw .empty }
        // None of these is part of an escape, so what one decoding brings out all further ones leave.
        let decoded = value.contains(0x25) ? decodeToTheEnd(value) : value
        guard decoded != [0x2e], decoded != [0x2e, 0x2e] else { throw .dotSegment }
        guard !decoded.contains(where: isForbiddenInSegment) else { throw .forbiddenByte }
    }

    private static func isForbiddenInSegment(_ byte: UInt8) -> Bool {
        byte == 0x2f || byte == 0x5c || byte < 0x20 || byte == 0x7f
    }

    /// Decodes what is an escape, and what that makes one, and keeps a `%` that is none, as a chain of careless servers
    /// would. In one pass, however often a value is encoded: an escape is decoded as its last digit comes.
    private static func decodeToTheEnd(_ bytes: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        for byte in bytes {
            decoded.append(byte)
            while decoded.count >= 3, decoded[decoded.count - 3] == 0x25,
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
        output.append(0x25)
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
