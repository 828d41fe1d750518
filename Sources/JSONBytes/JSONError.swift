/// Why bytes are not a JSON document (RFC 8259), and where.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The offset of the offending byte, from 0.
    public let offset: Int
    /// What is wrong.
    public let reason: Reason

    /// Creates an error.
    public init(offset: Int, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }

    /// What is wrong, in words.
    public var description: String { "\(reason) at byte \(offset)" }

    /// What is wrong with a document.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        private let code: Code

        private enum Code: UInt8 {
            case unexpectedEnd, unexpectedByte, trailingBytes, missingValue, missingKey
            case missingColon, missingCommaOrEnd, badLiteral, badNumber, controlByteInString, badEscape
            case badUTF8, depthExceeded, numberTooLong
        }

        /// The document ends inside its value, or has no value.
        public static let unexpectedEnd = Reason(code: .unexpectedEnd)
        /// A byte that cannot stand here.
        public static let unexpectedByte = Reason(code: .unexpectedByte)
        /// Bytes after the value.
        public static let trailingBytes = Reason(code: .trailingBytes)
        /// A comma, a colon or a closing bracket instead of a value.
        public static let missingValue = Reason(code: .missingValue)
        /// An object without a name where there must be one.
        public static let missingKey = Reason(code: .missingKey)
        /// A name without a colon after it.
        public static let missingColon = Reason(code: .missingColon)
        /// A value without a comma or a closing bracket after it.
        public static let missingCommaOrEnd = Reason(code: .missingCommaOrEnd)
        /// A word other than `true`, `false` and `null`.
        public static let badLiteral = Reason(code: .badLiteral)
        /// A number with a leading zero or a missing digit.
        public static let badNumber = Reason(code: .badNumber)
        /// An unescaped byte below 0x20 in a string.
        public static let controlByteInString = Reason(code: .controlByteInString)
        /// A backslash followed by anything but `"\/bfnrt` or `u` and four hexadecimal digits.
        public static let badEscape = Reason(code: .badEscape)
        /// Invalid UTF-8: overlong, a surrogate, above U+10FFFF, or an incomplete sequence.
        public static let badUTF8 = Reason(code: .badUTF8)
        /// Deeper nesting than `JSONLimits.maxDepth`.
        public static let depthExceeded = Reason(code: .depthExceeded)
        /// A number longer than `JSONLimits.maxNumberLength`.
        public static let numberTooLong = Reason(code: .numberTooLong)

        /// The value as text, for logs and messages.
        public var description: String {
            switch code {
            case .unexpectedEnd: "the document is cut short"
            case .unexpectedByte: "a byte that cannot start a value"
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
            case .depthExceeded: "nesting deeper than allowed"
            case .numberTooLong: "a number longer than allowed"
            }
        }
    }
}
