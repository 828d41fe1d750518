/// The text of a page, style or script.
enum PageText {
    /// Leaves out the lines that are comments, a fifth of what the pages would send: lines that begin with
    /// `//`, and blocks that begin a line and end one. A comment behind code stays.
    ///
    /// - Parameter path: the file's path, whose ending tells the kinds of comments; other files come back as
    ///   they are.
    static func withoutComments(_ bytes: [UInt8], path: String) -> [UInt8] {
        switch path.split(separator: ".").last {
        case "js": filter(bytes, line: "//", open: "/*", close: "*/")
        case "css": filter(bytes, line: nil, open: "/*", close: "*/")
        case "html": filter(bytes, line: nil, open: "<!--", close: "-->")
        default: bytes
        }
    }

    private static func filter(
        _ bytes: [UInt8], line mark: StaticString?, open: StaticString, close: StaticString
    ) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        /// The lines of a block so far, which is kept if its end is not the end of a line.
        var block: [UInt8]?
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let text = line.drop { $0 == UInt8(ascii: " ") }
            if block == nil, let mark, text.starts(with: mark.bytes) { continue }
            let isComment = block != nil || text.starts(with: open.bytes)
            guard isComment else {
                kept += line
                kept.append(UInt8(ascii: "\n"))
                continue
            }
            block = (block ?? []) + line + [UInt8(ascii: "\n")]
            guard let end = text.firstRange(of: close.bytes)?.upperBound else { continue }
            if end != text.endIndex { kept += block ?? [] }
            block = nil
        }
        kept += block ?? []
        // The text after the last line feed has none.
        kept.removeLast()
        return kept
    }
}

extension StaticString {
    fileprivate var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}
