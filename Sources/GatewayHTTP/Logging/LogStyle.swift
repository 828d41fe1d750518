import ASCIIText
import GatewayConfig
import Glibc
import JSONBytes

/// How the lines of one stream look.
enum LogStyle: UInt8, Sendable {
    case json, text, coloredText

    /// - Parameters:
    ///   - format: what the configuration says.
    ///   - descriptor: the stream.
    init(_ format: LogFormat, of descriptor: Int32) {
        let isTerminal = isatty(descriptor) == 1
        switch format {
        case .json: self = .json
        case .auto where !isTerminal: self = .json
        case .auto, .text: self = isTerminal && !Self.avoidsColor ? .coloredText : .text
        }
    }

    /// Any text but none, as no-color.org has it.
    private static var avoidsColor: Bool { getenv("NO_COLOR").map { $0.pointee != 0 } ?? false }

    /// Returns text in a colour if the style has colours.
    func colored(_ text: String, _ color: LogColor?) -> String {
        guard let color, self == .coloredText else { return text }
        return "\u{1b}[\(color.rawValue)m\(text)\u{1b}[0m"
    }
}

/// The colours of a terminal (ECMA-48 SGR) that lines of text use.
enum LogColor: String {
    case red = "31"
    case yellow = "33"
    case faint = "2"
}

/// Text of strangers in lines for people.
enum LogText {
    /// Returns words as they are, and any other text in quotes, as `quotedIfNeeded` does.
    static func message(_ text: String) -> String {
        text.utf8.allSatisfy { (0x20...0x7e).contains($0) } ? text : quotedIfNeeded(text)
    }

    /// Returns the text as it is if it is one plain word, else in quotes and with escapes, so that it can
    /// neither end the line nor write to the terminal.
    static func quotedIfNeeded(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (0x21...0x7e).contains(byte) && byte != Byte.quote && byte != Byte.backslash
            }
        guard !isPlain else { return text }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { shown.append(isHidden(scalar) ? "\u{fffd}" : scalar) }
        return JSONFragment(string: String(shown)).description
    }

    /// Characters that change the terminal or the order of others. JSON escapes the other controls.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control: scalar.value >= 0x7f
        case .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
