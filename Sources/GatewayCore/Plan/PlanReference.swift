/// A reference to a value of the request or of another part: `{query.date}`, `{parts.user.friends[*].id}`.
package struct PlanReference: Sendable, Hashable, CustomStringConvertible {
    /// Where the value comes from.
    package enum Source: Sendable, Hashable {
        case path(String)
        case query(String)
        case header(String)
        /// The body of the request, or a place in it.
        case body
        /// The step that the path names first.
        case first
        /// The part that the path names first, below the names of its groups.
        case parts
        /// The element that a call of `forEach` is made for.
        case item
    }

    package let source: Source
    /// The place in the value. For `first` and `parts` it begins with a name.
    package let path: ValuePath
    /// The reference as it was written, without braces.
    package let description: String

    /// Why a text is not a reference.
    package struct ParseError: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// Parses the text between the braces.
    package init(_ text: String) throws(ParseError) {
        description = text
        var steps = try ValuePath(parsing: text).steps[...]
        guard case .name(let source)? = steps.popFirst() else { throw Self.unknown(text) }
        switch String(decoding: source, as: UTF8.self) {
        case "path": self.source = .path(try Self.onlyName(steps, in: text))
        case "query": self.source = .query(try Self.onlyName(steps, in: text))
        case "header": self.source = .header(try Self.onlyName(steps, in: text))
        case "body": self.source = .body
        case "first": self.source = .first
        case "parts": self.source = .parts
        case "item": self.source = .item
        default: throw Self.unknown(text)
        }
        switch self.source {
        case .path, .query, .header: path = ValuePath()
        case .body, .item: path = ValuePath(steps: Array(steps))
        case .first, .parts:
            guard case .name? = steps.first else {
                throw ParseError(description: "{\(text)}: the name of a part is missing")
            }
            path = ValuePath(steps: Array(steps))
        }
    }

    private static func onlyName(
        _ steps: ArraySlice<ValuePath.Step>, in text: String
    ) throws(ParseError) -> String {
        guard steps.count == 1, case .name(let name)? = steps.first else {
            throw ParseError(description: "{\(text)}: a name is missing, or something follows it")
        }
        return String(decoding: name, as: UTF8.self)
    }

    private static func unknown(_ text: String) -> ParseError {
        ParseError(
            description: "{\(text)}: a reference begins with path, query, header, body, first, parts or item")
    }
}
