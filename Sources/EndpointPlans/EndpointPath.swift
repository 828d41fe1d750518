/// The path of an endpoint: `/api/weights/{date}`. Each segment is a literal, written decoded, or a
/// parameter.
package struct EndpointPath: Sendable, Hashable {
    package enum Segment: Sendable, Hashable {
        case literal(String)
        case parameter(String)
        /// All that follows, which may be empty.
        case rest(String)

        package var parameter: String? {
            switch self {
            case .literal: nil
            case .parameter(let name), .rest(let name): name
            }
        }
    }

    package let text: String
    package let segments: [Segment]
    /// As the file has it, for messages.
    package let shown: String
    /// Whether it has a variable that is not read.
    package let isUnknown: Bool

    package init(text: String, segments: [Segment], shown: String, isUnknown: Bool = false) {
        self.text = text
        self.segments = segments
        self.shown = shown
        self.isUnknown = isUnknown
    }

    package var parameters: [String] { segments.compactMap(\.parameter) }
}
