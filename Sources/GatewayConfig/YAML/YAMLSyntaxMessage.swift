import ASCIIText

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
        var message = hint(error, rest, contextLine)
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
            return "quote \"\(word)\": unquoted braces begin a mapping in YAML"
        case ("did not find expected key", _), ("did not find expected '-' indicator", _):
            return
                "\(error.context ?? "while parsing") from line \(contextLine): \(error.problem); "
                + "names and dashes of one block begin in the same column"
        default: return nil
        }
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
