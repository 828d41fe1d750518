import AccessControl
import Foundation
import Testing

@testable import GatewayConfig

/// Compares the tables of the article `FileReference.md` with the tables that drive the reader.
@Suite("The reference of the file")
struct FileReferenceTests {
    private static func article() throws -> String {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/GatewayCore/GatewayCore.docc/FileReference.md")
            .standardized
        return try String(contentsOf: path, encoding: .utf8)
    }

    /// The lines of the table below a heading.
    private static func table(_ heading: String, of article: String) -> String {
        let section = article.components(separatedBy: "\n### `\(heading)`\n").dropFirst().first ?? ""
        let lines = section.components(separatedBy: "\n").prefix { !$0.hasPrefix("#") }
        return lines.filter { $0.hasPrefix("|") }.joined(separator: "\n")
    }

    @Test("Each object of the format has a table with the type, the default and the meaning of its keys")
    func tables() throws {
        let article = try Self.article()
        for shape in ConfigSchemaText.shapes {
            let expected = ShapeTable(shape: shape).text
            #expect(
                Self.table(shape.definition, of: article) == expected,
                "\nexpected:\n\n### `\(shape.definition)`\n\n\(expected)\n")
        }
    }

    @Test("The objects of the format are those that the schema defines, and the file")
    func definitions() {
        let defined = Set(ConfigSchemaText.make().matches(of: /"#\/definitions\/(\w+)"/).map { String($0.1) })
        let known = ConfigSchemaText.shapes.map(\.definition)
        #expect(defined.symmetricDifference(known) == ["variable", "file", "includedFile"])
        #expect(Set(known).count == known.count)
    }

    @Test("Types are in the words of the article, with their bounds")
    func types() {
        let rows = ShapeTable(shape: SettingTable.timeouts.shape).text.components(separatedBy: "\n")
        #expect(rows[2] == "| `total` | time, 1ms to 1h | `10s` | One call, with all its attempts. |")
        let listen = ShapeTable(shape: SettingTable.listen.shape).text
        #expect(listen.contains("| `port` | integer, 0 to 65535 | `8080` |"))
        #expect(ShapeTable(shape: DocumentShape.shape).text.contains("| `version` | `1` | required |"))
        let upstream = ShapeTable(shape: SettingTable.upstream.shape).text
        #expect(upstream.contains("| `breaker` | `off` or `breaker` | |"))
    }

    @Test("A wrong cell, a missing row and a missing table are found")
    func wrongTables() {
        let expected = ShapeTable(shape: SettingTable.log.shape).text
        func table(_ text: String) -> String {
            Self.table("log", of: "text\n### `log`\n\n\(text)\n\n## Next\n| x |\n")
        }
        #expect(table(expected) == expected)
        #expect(table(expected.replacing("info", with: "debug")) != expected)
        #expect(table(expected.components(separatedBy: "\n")[0]) != expected)
        #expect(Self.table("drain", of: "### `log`\n\(expected)") == "")
    }

    @Test("The limits that the article names are those of the reader")
    func limits() throws {
        let article = try Self.article()
        for row in [
            "| bytes of a file | \(ConfigFiles.largestFile >> 20) MiB |",
            "| files, with the root file | \(ConfigFiles.mostFiles) |",
            "| nested lists and mappings | \(YAMLLimits().levels) |",
            "| values and keys of all files, after aliases | \(YAMLLimits().nodes) |",
            "| bytes of a secret | \(VariableReader.largestFile >> 10) KiB |",
            "| bytes of a file of API keys | \(APIKeyTable.maxLength >> 20) MiB |",
            "| bytes of all replaced values | \(VariableReader.largestTotal >> 20) MiB |",
            "| characters of a number | \(ConfigValueBuilder.longestNumber) |",
            "| problems that are printed | \(ProblemList.capacity) |",
        ] {
            #expect(article.contains(row), "\(row)")
        }
    }
}
