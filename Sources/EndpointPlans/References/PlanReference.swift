/// A reference to a value of the request or of another part: `{query.date}`, `{parts.user.friends[*].id}`.
package struct PlanReference: Sendable, Hashable {
    /// Where the value comes from.
    package enum Source: Sendable, Hashable {
        case path(String)
        case query(String)
        case header(String)
        /// The body of the request, or a place in it.
        case body
        /// The claims of the caller's identity. The name of the claim is the first step of the path.
        case claims
        /// A step, with the group around it: `["checks", "user"]`.
        case step([String])
        /// A part, with the groups around it: `["weather", "now"]`.
        case part([String])
        /// The element that a call of `forEach` is made for.
        case item
    }

    package let source: Source
    /// The place in the value. A parameter has none.
    package let path: ValuePath
    /// As it was written, with braces.
    package let text: String
    package let place: ConfigPlace

    /// The text without braces.
    package var name: String { String(text.dropFirst().dropLast()) }

    /// - Parameters:
    ///   - source: where the value comes from.
    ///   - path: the place in the value.
    ///   - text: the reference as it was written, with braces.
    ///   - place: where the file has it.
    package init(_ source: Source, _ path: ValuePath, text: String, at place: ConfigPlace = .code) {
        self.source = source
        self.path = path
        self.text = text
        self.place = place
    }
}
