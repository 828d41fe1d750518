package import JSONSchema

/// What a parameter must be: how its text is read, and what then holds for the value.
package struct ValueRule: Sendable {
    package var type: DataType
    /// How the texts of an array are read.
    package var items = DataType.string
    /// What the value must follow; nil if the type says all.
    package var schema: JSONSchema?
    /// Whether the text is written into an upstream's path, so that it has to stay within one segment.
    package var isSegment = false
    /// Whether the text is written into a field, so that it has no control characters.
    package var isFieldValue = false

    package init(_ type: DataType = .string, schema: JSONSchema? = nil) {
        self.type = type
        self.schema = schema
    }
}
