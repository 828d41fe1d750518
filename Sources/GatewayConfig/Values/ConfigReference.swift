/// A reference to a value of the request or of another part: `{parts.user.friends[0].id}`.
package struct ConfigReference: Sendable, Hashable {
    /// Where the value comes from. Names are those of the configuration.
    package enum Source: Sendable, Hashable {
        case path(String)
        case query(String)
        case header(String)
        case body
        /// A step, with the group around it: `["checks", "user"]`.
        case step([String])
        /// A part, with the groups around it: `["weather", "now"]`.
        case part([String])
        /// The item of a `forEach`.
        case item
    }

    /// A segment of a path below the source (RFC 9535).
    package enum Segment: Sendable, Hashable {
        case member(String)
        /// From 0.
        case element(Int)
        /// `[*]`: all elements of an array.
        case all
    }

    package let source: Source
    /// Empty for the whole value, and for a parameter.
    package let path: [Segment]
    /// As the file has it, with braces.
    package let text: String
    package let place: ConfigPlace
}
