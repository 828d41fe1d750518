import Foundation

/// The articles of the catalogs, and what must be true of them.
enum Documentation {
    /// The lines of each block of Swift code in an article.
    static func codeBlocks(_ article: SourceFile) -> [[String]] {
        var blocks: [[String]] = []
        var block: [String]?
        for line in article.lines {
            if line == "```swift" {
                block = []
            } else if line == "```", let code = block {
                blocks.append(code)
                block = nil
            } else {
                block?.append(String(line))
            }
        }
        return blocks
    }

    /// Blocks of code that stand in no test: nobody compiles them.
    static func codeComplaints(_ article: SourceFile, tests: [SourceFile]) -> [String] {
        codeBlocks(article).filter { block in
            let wanted = code(block)
            return !tests.contains { contains(code($0.lines.map(String.init)), wanted) }
        }.map { "\(article.path): no test compiles the code that begins with \($0.first ?? "nothing")" }
    }

    /// The lines without what depends on the place: the indentation and empty lines.
    private static func code(_ lines: [String]) -> [String] {
        lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private static func contains(_ lines: [String], _ wanted: [String]) -> Bool {
        guard let first = wanted.first, lines.count >= wanted.count else { return false }
        return (0...lines.count - wanted.count).contains {
            lines[$0] == first && Array(lines[$0..<$0 + wanted.count]) == wanted
        }
    }

    /// Operators of a source file that the table of operators does not name.
    static func operatorComplaints(_ file: SourceFile, table: SourceFile) -> [String] {
        let named = Set(
            table.lines.filter { $0.hasPrefix("| `") }.flatMap { row in
                row.split(separator: "|")[0].split(separator: "`").map { String($0.prefix { $0 != "(" }) }
            })
        return file.lines.compactMap { line -> String? in
            guard let name = operatorName(line), !named.contains(name) else { return nil }
            return "\(file.path): the table of operators has no \(name)"
        }
    }

    /// `flatMap` for `public consuming func flatMap<...`.
    private static func operatorName(_ line: Substring) -> String? {
        let words = line.trimmingCharacters(in: .whitespaces).split(separator: " ")
        guard let function = words.firstIndex(of: "func"), function + 1 < words.count, words[0] == "public",
            words[..<function].allSatisfy({ ["public", "consuming", "static"].contains($0) })
        else { return nil }
        return words[function + 1].prefix { $0.isLetter || $0 == "`" }.replacingOccurrences(of: "`", with: "")
    }
}
