import ASCIIText

/// The path of a value in a document (RFC 6901): `/data/points/0`. Parse it once and use it for many lookups.
public struct JSONPointer: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    struct Token: Sendable, Hashable {
        let bytes: [UInt8]
        /// nil unless the token is digits without a leading zero. `-`, the position after the last element,
        /// never has a value.
        let arrayIndex: Int?

        init(_ text: some Collection<UInt8>) {
            bytes = Array(text)
            let isIndex =
                !bytes.isEmpty && bytes.allSatisfy(ASCII.isDigit)
                && (bytes.count == 1 || bytes[0] != Byte.zero)
            arrayIndex = isIndex ? Int(String(decoding: bytes, as: UTF8.self)) : nil
        }
    }

    let tokens: [Token]

    /// The whole document.
    public static let root = JSONPointer(members: [])

    /// Why text is not a JSON Pointer.
    public struct ParseError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The text.
        public let pointer: String
        /// What is wrong, in words.
        public let description: String
    }

    /// Parses a JSON Pointer: `""`, or tokens that each follow a `/`, with `~0` for `~` and `~1` for `/`.
    public init(_ pointer: String) throws(ParseError) {
        guard !pointer.isEmpty else {
            self = .root
            return
        }
        guard pointer.utf8.first == UInt8(ascii: "/") else {
            throw ParseError(
                pointer: pointer, description: "the JSON Pointer \"\(pointer)\" does not start with a slash")
        }
        var tokens: [Token] = []
        for part in pointer.utf8.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        {
            guard let token = Self.unescape(part) else {
                throw ParseError(
                    pointer: pointer,
                    description: "the JSON Pointer \"\(pointer)\" has a ~ that is not followed by 0 or 1")
            }
            tokens.append(token)
        }
        self.tokens = tokens
    }

    /// Stops the program if the literal is invalid.
    public init(stringLiteral text: String) {
        do throws(ParseError) {
            try self.init(text)
        } catch {
            preconditionFailure(error.description)
        }
    }

    /// Creates a pointer from unescaped names. In an array, a name of digits is the index of an element.
    public init(members: [String]) {
        tokens = members.map { Token($0.utf8) }
    }

    /// Returns the pointer to a member of the value. In an array, a name of digits is the index of an
    /// element.
    public func appending(member: String) -> JSONPointer {
        JSONPointer(tokens: tokens + [Token(member.utf8)])
    }

    private init(tokens: [Token]) { self.tokens = tokens }

    /// The unescaped names and indices, from the outermost value on.
    package var names: [String] { tokens.map { String(decoding: $0.bytes, as: UTF8.self) } }

    private static func unescape(_ part: some Sequence<UInt8>) -> Token? {
        var bytes: [UInt8] = []
        var tilde = false
        for byte in part {
            if tilde {
                guard byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") else { return nil }
                bytes.append(byte == UInt8(ascii: "0") ? UInt8(ascii: "~") : UInt8(ascii: "/"))
                tilde = false
            } else if byte == UInt8(ascii: "~") {
                tilde = true
            } else {
                bytes.append(byte)
            }
        }
        return tilde ? nil : Token(bytes)
    }

    /// The value as text, for logs and messages.
    public var description: String {
        var text: [UInt8] = []
        for token in tokens {
            text.append(UInt8(ascii: "/"))
            for byte in token.bytes {
                switch byte {
                case UInt8(ascii: "~"): text += [UInt8(ascii: "~"), UInt8(ascii: "0")]
                case UInt8(ascii: "/"): text += [UInt8(ascii: "~"), UInt8(ascii: "1")]
                default: text.append(byte)
                }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
