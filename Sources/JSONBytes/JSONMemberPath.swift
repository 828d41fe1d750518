import ASCIIText

/// The place of a member below an object, as names separated by dots: `seller.name`.
///
/// It goes through arrays without mention: `items.title` is the title of each item. RFC 9535's
/// `items[*].title` is the same. A name with a dot or a bracket in it is quoted, `['first.name']`, with a
/// backslash before a quote or a backslash.
public struct JSONMemberPath: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// At least one.
    package let names: [[UInt8]]
    /// The path as it was written.
    public let description: String

    /// Why text is not a path of members.
    public struct ParseError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The text.
        public let path: String
        /// What is wrong, in words.
        public let description: String
    }

    /// Parses a path: `seller.name`.
    public init(_ path: String) throws(ParseError) {
        var parser = Parser(path)
        names = try parser.names()
        description = path
    }

    /// Stops the program if the literal is invalid.
    public init(stringLiteral path: String) {
        do throws(ParseError) {
            try self.init(path)
        } catch {
            preconditionFailure(error.description)
        }
    }

    /// Whether both are equal.
    public static func == (left: JSONMemberPath, right: JSONMemberPath) -> Bool { left.names == right.names }

    /// Adds to the hasher what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(names) }
}

extension JSONMemberPath {
    private struct Parser {
        let path: String
        let bytes: [UInt8]
        var index = 0

        init(_ path: String) {
            self.path = path
            bytes = Array(path.utf8)
        }

        mutating func names() throws(ParseError) -> [[UInt8]] {
            // Nearly every path is one name.
            if !bytes.isEmpty, !bytes.contains(where: { $0 == Byte.point || $0 == Byte.openBracket }) {
                return [bytes]
            }
            var names: [[UInt8]] = []
            if bytes.first != Byte.openBracket { names.append(try plain()) }
            while index < bytes.count {
                switch bytes[index] {
                case Byte.point:
                    index += 1
                    names.append(try plain())
                case Byte.openBracket:
                    if let name = try bracketed(isFirst: names.isEmpty) { names.append(name) }
                default: throw fault("has text after a bracket")
                }
            }
            return names
        }

        private mutating func plain() throws(ParseError) -> [UInt8] {
            let start = index
            while index < bytes.count, bytes[index] != Byte.point, bytes[index] != Byte.openBracket {
                index += 1
            }
            guard index > start else { throw fault("has an empty name") }
            return Array(bytes[start..<index])
        }

        /// Returns nil for `[*]`.
        private mutating func bracketed(isFirst: Bool) throws(ParseError) -> [UInt8]? {
            index += 1
            guard index < bytes.count else { throw fault("has a bracket that is not closed") }
            let quote = bytes[index]
            index += 1
            var name: [UInt8]?
            switch quote {
            case UInt8(ascii: "*"):
                guard !isFirst else { throw fault("begins with [*]; arrays need no mention") }
            case UInt8(ascii: "'"), Byte.quote: name = try quoted(by: quote)
            default:
                // RFC 9535 2.3.4: [0:12], [:3]
                if bytes[(index - 1)...].prefix(while: { $0 != Byte.closeBracket }).contains(Byte.colon) {
                    throw fault("has a slice; slices are not supported, and a path goes through all elements")
                }
                throw fault("has brackets around something other than a quoted name or *")
            }
            guard index < bytes.count, bytes[index] == Byte.closeBracket else {
                throw fault("has a bracket that is not closed")
            }
            index += 1
            return name
        }

        private mutating func quoted(by quote: UInt8) throws(ParseError) -> [UInt8] {
            var name: [UInt8] = []
            while index < bytes.count {
                var byte = bytes[index]
                index += 1
                if byte == quote { return name }
                if byte == Byte.backslash {
                    guard index < bytes.count, bytes[index] == quote || bytes[index] == Byte.backslash else {
                        throw fault("has a backslash that is not followed by a quote or a backslash")
                    }
                    byte = bytes[index]
                    index += 1
                }
                name.append(byte)
            }
            throw fault("has a quote that is not closed")
        }

        private func fault(_ what: String) -> ParseError {
            ParseError(path: path, description: "the path \"\(path)\" \(what)")
        }
    }
}
