import ASCIIText
package import JSONBytes

/// Parses what stands in the braces of a reference: `parts.user.friends[*]['first name']`.
///
/// Names follow RFC 9535 2.5.1, and may contain dashes, because header fields do.
package struct ReferenceParser {
    package struct Fault: Error, Equatable {
        package let message: String
        /// The first name, if no reference begins with it.
        package var unknownRoot: String?
    }

    private let bytes: [UInt8]
    private var index: Int

    /// - Parameter start: the index after the opening brace.
    package init(_ bytes: [UInt8], from start: Int) {
        self.bytes = bytes
        index = start
    }

    /// Returns the root, the path below it, and the index after the closing brace.
    package mutating func parse() throws(Fault) -> (root: ReferenceRoot, path: [JSONPathStep], end: Int) {
        let word = name() ?? ""
        if word.isEmpty, index < bytes.count, ASCII.isBlank(bytes[index]) {
            throw Fault(message: "a reference has no blanks, such as {path.id}")
        }
        if word.isEmpty, index < bytes.count, bytes[index] == Byte.quote {
            throw Fault(message: "a reference has no quotes; JSON stands in YAML without quotes around it")
        }
        guard let root = ReferenceRoot(rawValue: word) else {
            throw Fault(
                message: "a reference begins with \(Words.list(ReferenceRoot.allCases.map(\.rawValue)))",
                unknownRoot: word)
        }
        var path: [JSONPathStep] = []
        while true {
            switch next() {
            case Byte.closeBrace?: return (root, path, index)
            case Byte.point?:
                guard let name = name() else { throw Fault(message: "a name follows a point") }
                path.append(.name(Array(name.utf8)))
            case Byte.openBracket?: path.append(try bracketed())
            case let byte?:
                throw Fault(
                    message:
                        "\"\(Shown.text(String(decoding: [byte], as: UTF8.self)))\" cannot follow a name; "
                        + "a name of other characters is written ['name']")
            case nil: throw Fault(message: "{ begins a reference that is not closed by }; {{ is the text {")
            }
        }
    }

    private mutating func next() -> UInt8? {
        guard index < bytes.count else { return nil }
        defer { index += 1 }
        return bytes[index]
    }

    /// Returns nil, and skips nothing, where no name begins.
    private mutating func name() -> String? {
        let start = index
        while index < bytes.count {
            let byte = bytes[index]
            let isFirst = index == start
            let fits =
                ASCII.isLetter(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
                || !isFirst && (ASCII.isDigit(byte) || byte == Byte.minus)
            guard fits else { break }
            index += 1
        }
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    private mutating func bracketed() throws(Fault) -> JSONPathStep {
        let step: JSONPathStep
        switch next() {
        case Byte.asterisk?: step = .all
        case let quote? where quote == UInt8(ascii: "'") || quote == Byte.quote:
            step = .name(try quoted(by: quote))
        case let byte? where isSlice(after: byte):
            throw Fault(
                message: "slices are not supported: brackets hold an index from 0, a name in quotes or *")
        case let byte? where ASCII.isDigit(byte):
            let start = index - 1
            while index < bytes.count, ASCII.isDigit(bytes[index]) { index += 1 }
            let digits = String(decoding: bytes[start..<index], as: UTF8.self)
            guard let element = Int(digits), digits.count <= 9, "\(element)" == digits else {
                throw Fault(message: "[\(Shown.text(digits))] is not the index of an element")
            }
            step = .index(element)
        default: throw Fault(message: "brackets hold an index from 0, a name in quotes or *")
        }
        guard next() == Byte.closeBracket else { throw Fault(message: "a bracket is not closed by ]") }
        return step
    }

    /// Whether brackets hold a slice of RFC 9535 2.3.4: `0:12`, `:3`, `-2:`.
    private func isSlice(after byte: UInt8) -> Bool {
        guard byte != Byte.colon else { return true }
        guard ASCII.isDigit(byte) || byte == Byte.minus else { return false }
        return bytes[index...].first { !ASCII.isDigit($0) } == Byte.colon
    }

    /// Reads a name in quotes, with the escapes of RFC 9535 2.3.1 except UTF-16 pairs.
    private mutating func quoted(by quote: UInt8) throws(Fault) -> [UInt8] {
        var name: [UInt8] = []
        while let byte = next() {
            if byte == quote { return name }
            guard byte == Byte.backslash else {
                name.append(byte)
                continue
            }
            switch next() {
            case quote?: name.append(quote)
            case Byte.backslash?: name.append(Byte.backslash)
            case Byte.slash?: name.append(Byte.slash)
            case UInt8(ascii: "n")?: name.append(Byte.lineFeed)
            case UInt8(ascii: "r")?: name.append(Byte.carriageReturn)
            case UInt8(ascii: "t")?: name.append(Byte.tab)
            default: throw Fault(message: "a backslash stands before a quote, a backslash, /, n, r or t")
            }
        }
        throw Fault(message: "a quote is not closed")
    }
}
