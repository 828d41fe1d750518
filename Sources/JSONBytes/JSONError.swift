/// Why bytes are not a JSON document (RFC 8259), and where.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The byte at which the document went wrong, counted from 0 at its first byte.
    public let offset: Int
    public let reason: Reason

    public init(offset: Int, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }

    public var description: String { "\(reason) at byte \(offset)" }

    /// A kind of mistake. The set may grow.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        private let code: Code

        private enum Code: UInt8 {
            case unexpectedEnd, unexpectedByte, trailingBytes, missingValue, missingKey
            case missingColon, missingCommaOrEnd, badLiteral, badNumber, controlByteInString, badEscape
            case badUTF8, depthExceeded, numberTooLong
        }

        /// The document ends before its value does, or holds no value at all.
        public static let unexpectedEnd = Reason(code: .unexpectedEnd)
        /// A byte that starts no value.
        public static let unexpectedByte = Reason(code: .unexpectedByte)
        /// Something other than white space follows the document's value.
        public static let trailingBytes = Reason(code: .trailingBytes)
        /// A comma, colon or closing bracket stands where a value is due.
        public static let missingValue = Reason(code: .missingValue)
        /// An object's member does not begin with a string.
        public static let missingKey = Reason(code: .missingKey)
        /// No colon follows the name of a member.
        public static let missingColon = Reason(code: .missingColon)
        /// Neither a comma nor the closing bracket follows an element or a member.
        public static let missingCommaOrEnd = Reason(code: .missingCommaOrEnd)
        /// Letters that are not `true`, `false` or `null`.
        public static let badLiteral = Reason(code: .badLiteral)
        /// A leading zero, a missing digit, or a number cut short.
        public static let badNumber = Reason(code: .badNumber)
        /// A byte below 0x20 inside a string, which must be escaped.
        public static let controlByteInString = Reason(code: .controlByteInString)
        /// A backslash followed by anything but `"\/bfnrt` or `u` and four hexadecimal digits.
        public static let badEscape = Reason(code: .badEscape)
        /// Bytes that are not UTF-8: overlong, a surrogate, above U+10FFFF, or a sequence cut short.
        public static let badUTF8 = Reason(code: .badUTF8)
        /// More nesting than `JSONLimits.maxDepth`.
        public static let depthExceeded = Reason(code: .depthExceeded)
        /// A number of more bytes than `JSONLimits.maxNumberLength`.
        public static let numberTooLong = Reason(code: .numberTooLong)

        public var description: String {
            switch code {
            case .unexpectedEnd: "the document is cut short"
            case .unexpectedByte: "a byte that starts no value"
            case .trailingBytes: "bytes after the end of the document"
            case .missingValue: "a value is missing"
            case .missingKey: "a member's name is missing"
            case .missingColon: "the colon after a member's name is missing"
            case .missingCommaOrEnd: "a comma or a closing bracket is missing"
            case .badLiteral: "letters that are not true, false or null"
            case .badNumber: "a malformed number"
            case .controlByteInString: "an unescaped control byte in a string"
            case .badEscape: "a malformed escape in a string"
            case .badUTF8: "bytes that are not UTF-8"
            case .depthExceeded: "more nesting than allowed"
            case .numberTooLong: "a number longer than allowed"
            }
        }
    }
}
