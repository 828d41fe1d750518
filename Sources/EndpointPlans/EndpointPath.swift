/// The path of an endpoint, as a file has it.
package struct EndpointPath: Sendable, Hashable {
    package let text: String
    /// The segments of its `PathTemplate`; none if it is not a template.
    package let segments: [PathTemplate.Segment]
    /// As the file has it, for messages.
    package let shown: String
    /// Whether it has a variable that is not read.
    package let isUnknown: Bool

    package init(text: String, segments: [PathTemplate.Segment], shown: String, isUnknown: Bool = false) {
        self.text = text
        self.segments = segments
        self.shown = shown
        self.isUnknown = isUnknown
    }

    package var parameters: [String] { segments.compactMap(\.parameter) }
}
