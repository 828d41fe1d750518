import ASCIIText
import EndpointPlans

/// The messages of libyaml's errors: its own words, and what a user can do about the common ones.
enum YAMLSyntaxMessage {
    /// Returns the message, and its line and column from 1.
    static func describe(
        _ error: YAMLSyntaxError, in text: ArraySlice<UInt8>
    ) -> (message: String, line: Int, column: Int) {
        if let offset = error.byteOffset {
            let (line, column) = place(of: offset, in: text)
            let isEncoding = error.problem.contains("UTF-8")
            return ("\(error.problem)\(isEncoding ? "; the file is not UTF-8" : "")", line, column)
        }
        // At the end of a last line without a line break, libyaml's marks are on the line after it.
        let end = place(of: text.count, in: text)
        let contextLine = min(error.contextMark.line + 1, end.line)
        let rest = rest(of: text, from: error.mark)
        var message = noBreakSpace(in: text, until: error.mark.line + 1) ?? hint(error, rest, contextLine)
        if message == nil {
            message = error.problem
            if let context = error.context, context != "while scanning for the next token" {
                message = "\(context) from line \(contextLine): \(error.problem)"
            }
        }
        let mark = (line: error.mark.line + 1, column: error.mark.column + 1)
        let (line, column) = mark < end ? mark : end
        return (message ?? error.problem, line, column)
    }

    /// - Parameters:
    ///   - error: the error.
    ///   - rest: the line of the error up to the error, and from there on.
    ///   - contextLine: where what libyaml reads begins.
    private static func hint(
        _ error: YAMLSyntaxError, _ rest: (before: [UInt8], after: [UInt8]), _ contextLine: Int
    ) -> String? {
        switch (error.problem, rest.after.first) {
        case ("found character that cannot start any token", Byte.tab?):
            return "a tab cannot indent; use spaces"
        case ("found character that cannot start any token", let byte?):
            return "a value that begins with \(Character(Unicode.Scalar(byte))) needs quotes"
        case ("mapping values are not allowed in this context", _):
            return "a colon and a space begin the value of a name, which cannot begin here; "
                + "quote a text that contains them, or indent names alike"
        case ("did not find expected ',' or '}'", Byte.openBrace?),
            ("did not find expected ',' or ']'", Byte.openBrace?):
            guard let word = word(around: rest) else { return nil }
            if word.contains("\u{201C}") || word.contains("\u{201D}") {
                return "\u{201C} and \u{201D} are no quotes; write \""
            }
            return "quote \"\(word)\": unquoted braces begin a mapping in YAML"
                + (word.hasPrefix("$")
                    ? "; a number from a variable goes on a line of its own, without quotes" : "")
        case ("did not find expected ',' or '}'", _): return missing("}", "mapping", contextLine)
        case ("did not find expected ',' or ']'", _): return missing("]", "list", contextLine)
        case ("could not find expected ':'", _):
            return "line \(contextLine) is not of the form NAME: VALUE, with a blank after the colon"
        case ("did not find expected alphabetic or numeric character", _):
            return error.context == "while scanning an alias"
                ? "* begins an alias in YAML; quote a text that begins with it"
                : "& begins an anchor in YAML; quote a text that begins with it"
        case ("found unexpected end of stream", _) where error.context == "while scanning a quoted scalar":
            return "the quotes that open in line \(contextLine) are not closed"
        case ("did not find expected key", _), ("did not find expected '-' indicator", _):
            return
                "\(error.context ?? "while parsing") from line \(contextLine): \(error.problem); "
                + "names and dashes of one block begin in the same column"
        default: return nil
        }
    }

    private static func missing(_ end: String, _ kind: String, _ line: Int) -> String {
        "a comma or \(end) is missing before this, in the \(kind) that begins in line \(line)"
    }

    /// Returns a message if the line of an error, or the one before it, is indented with a space that does
    /// not break.
    private static func noBreakSpace(in text: ArraySlice<UInt8>, until line: Int) -> String? {
        let lines = text.split(separator: Byte.lineFeed, maxSplits: line, omittingEmptySubsequences: false)
        for number in max(1, line - 1)...max(1, line) where number <= lines.count {
            let indent = lines[number - 1].prefix { ASCII.isBlank($0) || $0 == 0xC2 || $0 == 0xA0 }
            guard indent.contains(0xA0) else { continue }
            return "line \(number) is indented with a no-break space (U+00A0); write usual spaces"
        }
        return nil
    }

    /// Returns the text without blanks and commas in which braces begin: `/users/{path.id}`.
    private static func word(around rest: (before: [UInt8], after: [UInt8])) -> String? {
        let start = rest.before.reversed().prefix { byte in
            !ASCII.isBlank(byte) && byte != Byte.comma && byte != Byte.openBrace && byte != Byte.openBracket
        }
        guard !start.isEmpty, let end = rest.after.firstIndex(of: Byte.closeBrace) else { return nil }
        return Shown.text(String(decoding: start.reversed() + rest.after[...end], as: UTF8.self))
    }

    /// Returns the line of the mark up to the mark, and from there on.
    private static func rest(
        of text: ArraySlice<UInt8>, from mark: YAMLMark
    ) -> (before: [UInt8], after: [UInt8]) {
        // libyaml counts characters, so bytes that continue one are skipped.
        var characters = 0
        var index = text.startIndex
        while index < text.endIndex {
            if text[index] & 0xC0 != 0x80 {
                if characters == mark.index { break }
                characters += 1
            }
            index += 1
        }
        let before = text[..<index].reversed().prefix { $0 != Byte.lineFeed }
        let after = text[index...].prefix { $0 != Byte.lineFeed }
        return (before.reversed(), Array(after))
    }

    private static func place(of offset: Int, in text: ArraySlice<UInt8>) -> (line: Int, column: Int) {
        var (line, column) = (1, 1)
        var previous: Unicode.Scalar?
        for scalar in String(decoding: text.prefix(offset), as: UTF8.self).unicodeScalars {
            defer { previous = scalar }
            // The second half of a CRLF.
            if scalar == "\n", previous == "\r" { continue }
            if isBreak(scalar) { (line, column) = (line + 1, 1) } else { column += 1 }
        }
        return (line, column)
    }

    /// Whether a character ends a line in YAML 1.1 (4.1.4), as libyaml counts lines.
    private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": true
        default: false
        }
    }
}
