import Foundation

/// The rules for the articles of the catalogs.
enum Documentation {
    /// A fenced block of an article: the kind after its fence, and its lines.
    struct Block: Equatable {
        let kind: String
        let lines: [String]
    }

    /// Returns the fenced blocks of an article, in order.
    static func blocks(_ article: SourceFile) -> [Block] {
        var blocks: [Block] = []
        var kind = ""
        var block: [String]?
        for line in article.lines {
            if let lines = block, line == "```" {
                blocks.append(Block(kind: kind, lines: lines))
                block = nil
            } else if block == nil, line.hasPrefix("```") {
                kind = String(line.dropFirst(3))
                block = []
            } else {
                block?.append(String(line))
            }
        }
        return blocks
    }

    /// Complains about code (`swift`) that stands in no test, so that it is never compiled, and about printed
    /// lines (`text`) that no test expects.
    static func codeComplaints(_ article: SourceFile, tests: [SourceFile]) -> [String] {
        blocks(article).filter { block in
            guard block.kind == "swift" || block.kind == "text" else { return false }
            let wanted = code(block.lines)
            return !tests.contains { contains(code($0.lines.map(String.init)), wanted) }
        }.map { block in
            let first = block.lines.first ?? "nothing"
            return block.kind == "swift"
                ? "\(article.path): no test compiles the code that begins with \(first)"
                : "\(article.path): no test expects the lines that begin with \(first)"
        }
    }

    /// The most lines of other projects' code that one block may quote.
    private static let longestQuote = 18

    /// Complains about blocks of a kind that is not checked, and about quotations of other projects' code
    /// (`swift-before`) that are long or that no code of this project follows.
    static func kindComplaints(_ article: SourceFile) -> [String] {
        let blocks = blocks(article)
        return blocks.indices.flatMap { index -> [String] in
            let block = blocks[index]
            let place = "\(article.path): the block that begins with \(block.lines.first ?? "nothing")"
            switch block.kind {
            // SluiceCommandTests runs `console` and `nginx`, GatewayHTTPTests reads `yaml` and `json`.
            case "", "swift", "text", "console", "nginx", "yaml", "json": return []
            case "swift-before":
                var complaints: [String] = []
                if block.lines.count > longestQuote { complaints.append("\(place) quotes too much") }
                if !blocks[index...].contains(where: { $0.kind == "swift" }) {
                    complaints.append("\(place) has no code after it")
                }
                return complaints
            default: return ["\(place) is \(block.kind), which no test checks"]
            }
        }
    }

    /// Returns the lines without indentation and empty lines, which depend on the place.
    private static func code(_ lines: [String]) -> [String] {
        lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private static func contains(_ lines: [String], _ wanted: [String]) -> Bool {
        guard let first = wanted.first, lines.count >= wanted.count else { return false }
        return (0...lines.count - wanted.count).contains {
            lines[$0] == first && Array(lines[$0..<$0 + wanted.count]) == wanted
        }
    }

    /// Complains about operators of a source file that the table of operators does not name.
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

    /// Returns the operator that a line declares: `flatMap` for `public consuming func flatMap<...`.
    private static func operatorName(_ line: Substring) -> String? {
        let words = line.trimmingCharacters(in: .whitespaces).split(separator: " ")
        guard let function = words.firstIndex(of: "func"), function + 1 < words.count, words[0] == "public",
            words[..<function].allSatisfy({ ["public", "consuming", "static"].contains($0) })
        else { return nil }
        return words[function + 1].prefix { $0.isLetter || $0 == "`" }.replacingOccurrences(of: "`", with: "")
    }

    // MARK: - Public names

    /// Returns the members that the public protocols of these files require. The protocol documents them for
    /// all conforming types.
    static func requirements(of files: [SourceFile]) -> Set<String> {
        Set(
            files.flatMap { file -> [String] in
                var isProtocol = false
                return file.lines.compactMap { line -> String? in
                    if line.hasPrefix("public protocol") {
                        isProtocol = true
                        return nil
                    }
                    if line == "}" { isProtocol = false }
                    return isProtocol ? declaredName(line.trimmingCharacters(in: .whitespaces)) : nil
                }
            })
    }

    /// Complains about public members and requirements of a file that no table of an article names.
    static func memberComplaints(_ file: SourceFile, table: SourceFile) -> [String] {
        let rows = table.lines.filter { $0.hasPrefix("| ") }.joined(separator: " ")
        let named = Set(rows.split { !($0.isLetter || $0.isNumber) }.map(String.init))
        let members = file.lines.filter { $0.hasPrefix("    public ") && !$0.contains("struct ") }
            .compactMap { declaredName($0.trimmingCharacters(in: .whitespaces)) }
        return (members + requirements(of: [file])).filter { $0 != "init" && !named.contains($0) }.sorted()
            .map {
                "\(file.path): no table of \(table.path) names \($0)"
            }
    }

    /// Complains about files that switch off the formatter's rule for documentation comments.
    static func commentComplaints(_ file: SourceFile) -> [String] {
        file.lines.enumerated().compactMap { index, line -> String? in
            guard line.contains("swift-format-ignore") else { return nil }
            let rules = line.split(separator: ":", maxSplits: 1).dropFirst().first ?? ""
            let isAll = rules.allSatisfy { $0 == " " }
            guard isAll || rules.contains(commentRule) else { return nil }
            return "\(file.path):\(index + 1): public names need documentation comments"
        }
    }

    /// The formatter's rule for documentation comments of public declarations.
    static let commentRule = "AllPublicDeclarationsHaveDocumentation"

    /// Returns the name that a line declares: `name` for `public static let name = ...`; nil for imports,
    /// extensions and initializers that protocols require.
    private static func declaredName(_ line: String) -> String? {
        let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "`") }.map(String.init)
        let kinds: Set = [
            "func", "var", "let", "init", "struct", "class", "enum", "protocol", "typealias", "actor",
            "subscript",
            "associatedtype",
        ]
        guard let kind = words.firstIndex(where: kinds.contains), !words[..<kind].contains("import") else {
            return nil
        }
        guard words[kind] == "init" || words[kind] == "subscript" else {
            let name = kind + 1
            return words.indices.contains(name) ? words[name] : nil
        }
        let label = words.dropFirst(kind + 1).first ?? ""
        let isAskedFor =
            label == "from" || label == "rawValue" || label.hasSuffix("Literal")
            || label == "stringInterpolation" || label == "literalCapacity"
        return isAskedFor ? nil : words[kind]
    }
}
