/// A text that people read: the comments of consecutive lines, a string literal, or a paragraph of a
/// document. Its code is left out: interpolations, fenced blocks and what stands between backticks.
struct Passage: Equatable {
    enum Kind: String, CaseIterable {
        case comment, message, document
    }

    let kind: Kind
    let path: String
    /// The number of the first line.
    let line: Int
    let text: String

    /// Returns the comments and, of a file of Sources, the string literals.
    static func passages(ofCode file: SourceFile) -> [Passage] {
        var reader = PassageReader(file)
        reader.read()
        let isMessage = file.path.hasPrefix("Sources/")
        return reader.passages.filter { $0.kind == .comment || isMessage }
    }

    /// Returns the paragraphs of a document in Markdown.
    static func passages(ofDocument file: SourceFile) -> [Passage] {
        var passages: [Passage] = []
        var isFenced = false
        var paragraph: [Substring] = []
        for (index, line) in (file.lines + [""]).enumerated() {
            let isFence = line.drop { $0 == " " }.hasPrefix("```")
            if isFence { isFenced.toggle() }
            if !isFenced, !isFence, line.contains(where: { $0 != " " }) {
                paragraph.append(line)
            } else if !paragraph.isEmpty {
                passages.append(
                    Passage(
                        kind: .document, path: file.path, line: index + 1 - paragraph.count,
                        text: withoutCode(paragraph.joined(separator: "\n"))))
                paragraph = []
            }
        }
        return passages
    }

    /// Returns `text` with nothing but line feeds between backticks.
    fileprivate static func withoutCode(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "`")) else { return text }
        return text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, piece in
            index.isMultiple(of: 2) ? String(piece) : String(piece.filter { $0 == "\n" })
        }.joined(separator: "`")
    }
}

/// Reads the comments and string literals of a Swift file. It does not know literals of regular expressions:
/// one with a quotation mark is read as a string up to the end of its line.
private struct PassageReader {
    private let path: String
    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    /// The lines of the comment that the next line may continue.
    private var comment: [String] = []
    private var lastCommentLine = 0
    private(set) var passages: [Passage] = []

    init(_ file: SourceFile) {
        path = file.path
        bytes = Array(file.text.utf8)
    }

    mutating func read() {
        var isLineBlank = true
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\n"):
                line += 1
                index += 1
                isLineBlank = true
            case UInt8(ascii: "/") where isNext("//"): readComment(continues: isLineBlank)
            case UInt8(ascii: "\""), UInt8(ascii: "#"): readLiteral()
            case let byte:
                if byte != UInt8(ascii: " ") { isLineBlank = false }
                index += 1
            }
        }
        endComment()
    }

    private func isNext(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard index + count <= bytes.count else { return false }
        return (0..<count).allSatisfy { bytes[index + $0] == text.utf8Start[$0] }
    }

    private mutating func readComment(continues: Bool) {
        while index < bytes.count, bytes[index] == UInt8(ascii: "/") { index += 1 }
        let end = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        let text = String(decoding: bytes[index..<end], as: UTF8.self)
        index = end
        let isEmpty = !text.contains { $0 != " " }
        if !continues || isEmpty || line != lastCommentLine + 1 { endComment() }
        guard !isEmpty else { return }
        comment.append(text)
        lastCommentLine = line
    }

    private mutating func endComment() {
        guard !comment.isEmpty else { return }
        add(.comment, lastCommentLine + 1 - comment.count, comment.joined(separator: "\n"))
        comment = []
    }

    private mutating func add(_ kind: Passage.Kind, _ line: Int, _ text: String) {
        passages.append(Passage(kind: kind, path: path, line: line, text: Passage.withoutCode(text)))
    }

    private mutating func readLiteral() {
        var hashes = 0
        while index < bytes.count, bytes[index] == UInt8(ascii: "#") {
            hashes += 1
            index += 1
        }
        guard isNext("\"") else { return }
        let isLong = isNext("\"\"\"\n")
        index += isLong ? 3 : 1
        readString(isLong ? 3 : 1, hashes)
    }

    /// Reads a string whose end is `quotes` quotation marks and `hashes` number signs.
    private mutating func readString(_ quotes: Int, _ hashes: Int) {
        let first = line
        var text: [UInt8] = []
        while index < bytes.count, !ends(quotes, hashes) {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\n") {
                if quotes == 1 { break }
                line += 1
            }
            index += 1
            guard byte == UInt8(ascii: "\\"), escapes(hashes), index + hashes < bytes.count else {
                text.append(byte)
                continue
            }
            index += hashes
            if bytes[index] == UInt8(ascii: "(") {
                skipInterpolation()
                text.append(UInt8(ascii: "`"))
                text.append(UInt8(ascii: "`"))
            } else {
                if bytes[index] == UInt8(ascii: "\n") { line += 1 }
                // An escaped character separates words.
                text.append(UInt8(ascii: " "))
                index += 1
            }
        }
        endComment()
        add(.message, first, String(decoding: text, as: UTF8.self))
    }

    private func escapes(_ hashes: Int) -> Bool {
        bytes[index...].prefix(hashes).allSatisfy { $0 == UInt8(ascii: "#") }
    }

    /// Moves beyond the end of the string, if it is next.
    private mutating func ends(_ quotes: Int, _ hashes: Int) -> Bool {
        guard bytes[index] == UInt8(ascii: "\""), index + quotes + hashes <= bytes.count else { return false }
        let marks = bytes[index..<index + quotes].allSatisfy { $0 == UInt8(ascii: "\"") }
        let signs = bytes[(index + quotes)...].prefix(hashes).allSatisfy { $0 == UInt8(ascii: "#") }
        guard marks, signs else { return false }
        index += quotes + hashes
        return true
    }

    private mutating func skipInterpolation() {
        var depth = 0
        repeat {
            switch bytes[index] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: "\n"): line += 1
            case UInt8(ascii: "\""):
                readLiteral()
                continue
            default: break
            }
            index += 1
        } while index < bytes.count && depth > 0
    }
}
