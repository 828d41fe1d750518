import Foundation

/// A fenced block of an article.
struct ArticleBlock {
    /// The kind after its fence: `yaml`.
    let kind: String
    let lines: [String]

    var text: String { lines.joined(separator: "\n") + "\n" }

    /// Returns the fenced blocks of a Markdown text, in order.
    static func blocks(_ markdown: String) -> [ArticleBlock] {
        var blocks: [ArticleBlock] = []
        var kind: String?
        var lines: [String] = []
        for line in markdown.components(separatedBy: "\n") {
            if let open = kind, line == "```" {
                blocks.append(ArticleBlock(kind: open, lines: lines))
                kind = nil
                lines = []
            } else if kind == nil, line.hasPrefix("```") {
                kind = String(line.dropFirst(3))
            } else if kind != nil {
                lines.append(line)
            }
        }
        return blocks
    }

    /// Whether a file has these lines one after another, at any depth of indentation.
    func isPart(of file: String) -> Bool {
        let all = file.components(separatedBy: "\n").map(Self.trimmed)
        let wanted = lines.map(Self.trimmed)
        guard !wanted.isEmpty, all.count >= wanted.count else { return false }
        return (0...all.count - wanted.count).contains { Array(all[$0..<$0 + wanted.count]) == wanted }
    }

    private static func trimmed(_ line: String) -> String { line.trimmingCharacters(in: .whitespaces) }
}
