/// One thing that is wrong with a value, and which word of the schema says so. Never has the value itself.
public struct SchemaFault: Sendable, Hashable, CustomStringConvertible {
    /// Where the value is, as a JSON Pointer: `/lines/0/count`. Empty for the whole value.
    public let instance: String
    /// The word of the schema that refuses it: `minimum`. `cost` and `pattern` also stand for a check that
    /// would take more work than its bound.
    public let keyword: String
    /// What the value must be, in words: `at least 1`.
    public let rule: String
    /// The document of the schema; empty for the schema itself.
    public let document: String
    /// Where the document has the word.
    public let place: SchemaPlace
    /// The same place as `instance`, step by step.
    package let steps: [Step]
    /// The member that an object lacks.
    package var missing: String?

    package enum Step: Sendable, Hashable {
        case member(String)
        case element(Int)
    }

    /// The fault in words, with its places.
    public var description: String {
        let subject = instance.isEmpty ? "the value" : instance
        return "\(subject) must be \(rule) (\(keyword))"
    }
}
