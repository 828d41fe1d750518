/// A place in a schema document: line and column from 1, the column in Unicode scalars.
public struct SchemaPlace: Sendable, Hashable, Comparable {
    /// The line, from 1.
    public let line: Int
    /// The column in Unicode scalars, from 1.
    public let column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Whether the left place comes first.
    public static func < (left: SchemaPlace, right: SchemaPlace) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// What is wrong with a schema, and where: `card.json:4:5: error: a schema has no word "maxLenght"`.
public struct SchemaProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The URI or file of the document; empty for the schema itself.
    public let document: String
    /// Where the document says so.
    public let place: SchemaPlace
    /// What is wrong, in words.
    public let message: String
    /// Whether the schema can be used all the same.
    public let isWarning: Bool

    package init(document: String, place: SchemaPlace, message: String, isWarning: Bool = false) {
        self.document = document
        self.place = place
        self.message = message
        self.isWarning = isWarning
    }

    /// The problem in one line, with its place.
    public var description: String {
        let name = document.isEmpty ? "" : "\(document):"
        return "\(name)\(place.line):\(place.column): \(isWarning ? "warning" : "error"): \(message)"
    }
}

/// Everything that is wrong with a schema and the documents that it refers to.
public struct JSONSchemaError: Error, Sendable, CustomStringConvertible {
    /// The problems by document and place. None of them is a warning.
    public let problems: [SchemaProblem]

    /// Errors and warnings, in the same order.
    package let all: [SchemaProblem]

    package init(_ problems: [SchemaProblem], all: [SchemaProblem]? = nil) {
        self.all = all ?? problems
        self.problems = problems
    }

    /// The problems, one a line.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
