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

    /// - Parameters:
    ///   - source: where the value comes from.
    ///   - path: the place in the value. For `first` and `parts` it begins with a name.
    ///   - description: the reference as it was written, without braces.
    package init(_ source: Source, _ path: ValuePath = ValuePath(), description: String) {
        self.source = source
        self.path = path
        self.description = description
    }
}
