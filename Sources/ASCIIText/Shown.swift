/// Text of a file as messages quote it: one line of bounded length.
package enum Shown {
    package static let length = 60

    package static func text(_ text: String, atMost length: Int = length) -> String {
        let scalars = text.unicodeScalars.prefix(length + 1)
        var shown = String.UnicodeScalarView()
        for scalar in scalars.prefix(length) {
            // Control characters, and the marks that reorder text on a terminal.
            let isHidden =
                scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
                || scalar.properties.generalCategory == .lineSeparator
                || scalar.properties.generalCategory == .paragraphSeparator
            shown.append(isHidden ? "\u{FFFD}" : scalar)
        }
        return String(shown) + (scalars.count > length ? "..." : "")
    }
}
